// SPDX-License-Identifier: MIT

import TestKit

/// A session's folder, and a session manager that assigns the program a path in it.
final class TestSession: Sendable {
  let folder = TemporaryDirectory()
  let server: SessionManagerServer

  init(path: String? = nil, id: String = ProgramTests.SessionManager.id) {
    server = SessionManagerServer(
      .open(path: path ?? folder.file("song/" + id), clientID: id))
  }

  deinit { server.stop() }

  /// The saved state's text.
  var state: String { String(decoding: contents(ofFile: file), as: UTF8.self) }

  var file: String { folder.file("song/\(ProgramTests.SessionManager.id)/state.json") }

  /// The number in a member of the saved state.
  func number(_ name: String) -> Double? {
    let rest = state.split(separator: "\"\(name)\": ", maxSplits: 1).dropFirst().first
    return rest.flatMap { Double($0.prefix { "0123456789.-".contains($0) }) }
  }

  /// Requests a save from the program, and waits for its answer.
  func save() -> OSCPacket? {
    let path = "/nsm/client/save"
    let before = server.answers(to: path).count
    server.send(OSCPacket(path))
    _ = eventually { server.answers(to: path).count > before }
    return server.answers(to: path).dropFirst(before).first
  }

  var hasOpened: Bool { !server.answers(to: "/nsm/client/open").isEmpty }

  static let saved = OSCPacket("/reply", [.string("/nsm/client/save"), .string("saved")])
}
