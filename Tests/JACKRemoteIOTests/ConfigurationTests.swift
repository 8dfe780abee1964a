// SPDX-License-Identifier: MIT

import JACKRemoteIO
import Testing

@Suite("A configuration")
struct ConfigurationTests {
  /// The error for a changed configuration. Names are checked before a server is contacted.
  private func error(_ change: (inout RemoteIO.Configuration) -> Void) -> RemoteIOError? {
    var configuration = RemoteIO.Configuration(serverName: "drawbar-test-nobody")
    change(&configuration)
    do throws(RemoteIOError) {
      _ = try RemoteIO(configuration)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "is refused for a client name that JACK does not allow",
    arguments: ["", "a:b", String(repeating: "n", count: 64), "line\nbreak", "zero\0"])
  func clientNames(_ name: String) {
    guard case .invalidClientName(name, _) = error({ $0.clientName = name }) else {
      Issue.record("\(name) was taken")
      return
    }
  }

  @Test(
    "is refused for a server name that JACK does not allow",
    arguments: ["", "a/b", "a:b", String(repeating: "n", count: 500)])
  func serverNames(_ name: String) {
    guard case .invalidServerName(name, _) = error({ $0.serverName = name }) else {
      Issue.record("\(name) was taken")
      return
    }
  }

  @Test(
    "is refused for port names that JACK does not allow",
    arguments: [[""], ["out:1"], ["a", "a"], [String(repeating: "p", count: 320)]])
  func portNames(_ names: [String]) {
    guard case .invalidPortName = error({ $0.outputPortNames = names }),
      case .invalidPortName = error({ $0.inputPortNames = names })
    else {
      Issue.record("\(names) was taken")
      return
    }
  }

  @Test("is refused without ports, and for an invalid expression")
  func others() {
    #expect(error { $0.outputPortNames = [] } == .noPorts)
    guard case .invalidConnection("(", _) = error({ $0.connection = .pattern("(") }),
      case .invalidConnection("(", _) = error({ $0.inputConnection = .pattern("(") })
    else {
      Issue.record("the expression was taken")
      return
    }
  }

  @Test("is refused when an input has the name of an output")
  func sameName() {
    let error = error { $0.inputPortNames = ["in_1", "out_1"] }
    #expect(error == .invalidPortName("out_1", "two ports have this name"))
  }

  @Test("is refused in one line that names the error")
  func messages() throws {
    let text = try #require(error { $0.clientName = "a:b" }).description
    #expect(text.contains("'a:b'") && !text.contains("\n"))
  }
}
