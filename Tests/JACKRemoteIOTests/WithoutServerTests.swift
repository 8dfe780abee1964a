// SPDX-License-Identifier: MIT

import Glibc
import JACKRemoteIO
import TestKit
import Testing

extension OutputTests {
  @Suite("without a server")
  struct WithoutServer {
    @Test("opening fails within a second, with a helpful message and no output")
    func silentFailure() async throws {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        let start = monotonicSeconds()
        var message = ""
        do throws(RemoteIOError) {
          _ = try RemoteIO(RemoteIO.Configuration(serverName: "drawbar-test-nobody"))
        } catch {
          message = error.description
          guard error == .serverNotRunning("drawbar-test-nobody") else { exit(3) }
        }
        guard monotonicSeconds() - start < 1 else { exit(4) }
        guard message.contains("'drawbar-test-nobody'"), !message.contains("\n"),
          message.contains("jackd -n drawbar-test-nobody -d")
        else { exit(5) }
      }
      let errors = try #require(result).standardErrorContent
      #expect(String(decoding: errors, as: UTF8.self) == "")
    }

    @Test("libjack's own messages go to the configured descriptor")
    func messages() async throws {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        RemoteIO.libraryMessageDescriptor = 2
        guard RemoteIO.libraryMessageDescriptor == 2 else { exit(3) }
        _ = try? RemoteIO(RemoteIO.Configuration(serverName: "drawbar-test-nobody"))
      }
      let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      let lines = text.split(separator: "\n")
      #expect(lines.count > 1)
      #expect(lines.allSatisfy { $0.hasPrefix("jack: ") })
    }

    @Test("a failed open does not prevent the next one")
    func again() throws {
      for name in ["drawbar-test-nobody", "drawbar-test-no-one"] {
        #expect(throws: RemoteIOError.serverNotRunning(name)) {
          try RemoteIO(RemoteIO.Configuration(serverName: name))
        }
      }
    }
  }
}
