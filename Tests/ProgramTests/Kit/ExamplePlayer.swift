// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

/// The example programs, run as a user runs them. The raw value names the program and its JACK client.
enum ExamplePlayer: String, CaseIterable, Sendable {
  case audioQueue = "audio-queue-player"
  case remoteIO = "remote-io-player"

  /// The program's path, beside `drawbar`.
  var path: String {
    Program.path.prefix(upTo: Program.path.lastIndex(of: "/") ?? Program.path.startIndex) + "/"
      + rawValue
  }

  func start(_ arguments: [String]) -> Subprocess {
    Subprocess([path] + arguments, environment: Program.environment)
  }

  func run(_ arguments: [String]) -> Program.Result {
    Program.run(arguments, program: path)
  }

  func isPresent(_ jack: JACKServer) -> Bool {
    (try? jack.ports().contains { $0.name.hasPrefix(rawValue) }) == true
  }

  /// A server at 44.1 kHz, so that nothing is resampled; synchronous, so that a busy machine loses no cycle; and
  /// with monitor ports.
  static var exactServer: JACKServer.Options {
    var options = JACKServer.Options.waiting(sampleRate: 44100, period: 512)
    options.hasMonitors = true
    return options
  }

  /// Plays a location to its end, and records the sound card's input. The recording starts before the player, on
  /// the monitors of the ports to which the player connects.
  func record(_ location: String, on jack: JACKServer) throws -> StereoFrames {
    let capture = jack.startCapture(of: ["system:monitor_1", "system:monitor_2"], seconds: 40)
    defer { capture.stop() }
    let isRecording = eventually {
      (try? jack.ports().filter { $0.name.hasPrefix("system:monitor") }
        .allSatisfy { $0.connections.count == 1 }) == true
    }
    try #require(isRecording, "jack_capture did not connect")
    let end = Program.end(of: start([location]), seconds: 35)
    #expect(end.exit == .status(0))
    #expect(end.errors == "")
    #expect(end.output == "" && !end.hasLeftSomething)
    #expect(!isPresent(jack))
    capture.stop()
    return StereoFrames(try capture.finish())
  }
}
