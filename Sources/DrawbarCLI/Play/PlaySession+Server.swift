// SPDX-License-Identifier: MIT

import JACKRemoteIO

/// The end and the return of the JACK server.
extension PlaySession {
  /// Whether nothing is played because the server has ended or does not call the client.
  var isServerAway: Bool { output.isServerShutDown || output.isStalled }

  /// Warns once on each server if its process thread is not real-time, because the sound may break up.
  func adviseOnScheduling() {
    guard let cycle = schedulingCycle, output.cycleCount >= cycle, !output.isFreewheeling,
      output.scheduling != nil
    else { return }
    schedulingCycle = nil
    if let advice = output.realtimeAdvice { warn(advice) }
  }

  /// Warns about samples that were not finite.
  func reportNonFiniteSamples(_ count: UInt64) {
    guard let warning = NonFiniteSamples.warning(count) else { return }
    terminal.clearPanel()
    Failure.report("warning: \(warning)")
  }

  /// Prints a warning, as a note above the panel or, without a terminal, on standard error.
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

  /// Closes the output, with a shorter wait for a server that does not answer.
  func close() {
    output.close(withinMilliseconds: isServerAway ? 100 : 1000)
  }
}
