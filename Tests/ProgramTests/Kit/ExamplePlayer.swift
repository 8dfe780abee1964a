// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

/// The example programs, run as a user runs them. Each is called by its program's name, and its client in
/// the JACK graph, too.
enum ExamplePlayer: String, CaseIterable, Sendable {
  case audioQueue = "audio-queue-player"
  case remoteIO = "remote-io-player"

  /// It lies beside `drawbar`.
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

  /// 44.1 kHz, so that nothing is resampled; synchronous, so that no cycle is lost on a busy machine; and
  /// with monitors.
  static var exactServer: JACKServer.Options {
    var options = JACKServer.Options.waiting(sampleRate: 44100, period: 512)
    options.hasMonitors = true
    return options
  }

  /// Plays a location to its end, and records what the sound card is given. The recording runs before the
  /// player is there, on the monitors of the ports that the player connects itself to.
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
