// SPDX-License-Identifier: MIT

import JACKRemoteIO
import RenderCore
import TestKit
import Testing

/// All tests with a real libjack, run one by one because a process has one server at a time.
@Suite("The JACK output", .serialized)
struct OutputTests {
  static func configuration(
    _ connection: RemoteIO.ConnectionPolicy = .none, clientName: String = "drawbar"
  ) -> RemoteIO.Configuration {
    RemoteIO.Configuration(
      clientName: clientName, serverName: JACKServer.name, connection: connection)
  }

  /// Opens and starts an output that renders nothing, and closes it after the test.
  static func withIdleOutput(
    _ configuration: RemoteIO.Configuration = configuration(),
    _ body: (RemoteIO, RemoteIO.ConnectionReport) throws -> Void
  ) throws {
    let output = try RemoteIO(configuration)
    let renderer = Renderer(
      sampleRate: output.sampleRate, outputChannels: configuration.outputPortNames.count)
    defer {
      output.close()
      withExtendedLifetime(renderer) {}
    }
    let report = try output.start(rendering: renderer.context)
    try body(output, report)
  }
}
