// SPDX-License-Identifier: MIT

import JACKRemoteIO

/// The JACK server that comes and goes.
extension PlaySession {
  /// Nothing is played: the server has ended, or does not call.
  var isServerAway: Bool { output.isServerShutDown || output.isStalled }

  /// Says once on each server that the sound may break up because nothing there is real-time.
  func adviseOnScheduling() {
    guard let cycle = schedulingCycle, output.cycleCount >= cycle, !output.isFreewheeling,
      output.scheduling != nil
    else { return }
    schedulingCycle = nil
    if let advice = output.realtimeAdvice { warn(advice) }
  }

  /// Says that some of the sound was none.
  func reportNonFiniteSamples(_ count: UInt64) {
    guard let warning = NonFiniteSamples.warning(count) else { return }
    terminal.clearPanel()
    Failure.report("warning: \(warning)")
  }

  /// Says what may spoil the sound: with the notes, or as a line of its own where there is no terminal.
  func warn(_ text: String) {
    if terminal.showsPanel {
      terminal.print("note: \(text)")
    } else {
      Failure.report("warning: \(text)")
    }
  }

  func announceLoss(reason: String) {
    terminal.print("the JACK server \(output.serverName) has ended (\(reason)); waiting for it")
  }

  func announceReturn() {
    terminal.print(
      "JACK \(output.serverName) is back, \(Int(output.sampleRate)) Hz, \(output.bufferSize) frames: "
        + output.clientName)
  }

  /// Closes the output. A server that does not answer is not waited for.
  func close() {
    output.close(withinMilliseconds: isServerAway ? 100 : 1000)
  }
}
