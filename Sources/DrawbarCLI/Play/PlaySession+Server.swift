// SPDX-License-Identifier: MIT

import JACKRemoteIO

/// The JACK server that comes and goes.
extension PlaySession {
  /// Nothing is played: the server has ended, or does not call.
  var isServerAway: Bool { output.isServerShutDown || output.isStalled }

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
