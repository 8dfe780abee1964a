// SPDX-License-Identifier: MIT

import Testing

@testable import SessionManagement

@Suite("The conversation with a session manager")
struct SessionConversationTests {
  private static let announced: [OSCMessage.Argument] = [
    .string("/nsm/server/announce"), .string("Acknowledged"), .string("New Session Manager"),
    .string(":server-control:broadcast:optional-gui:"),
  ]

  private func open(
    _ path: String = "/s/song/drawbar.nABCD", _ id: String = "drawbar.nABCD"
  ) -> OSCMessage {
    OSCMessage(
      path: "/nsm/client/open", arguments: [.string(path), .string("song"), .string(id)])
  }

  private func refusal(
    _ outcome: SessionConversation.Outcome
  ) -> (request: SessionRequest, code: SessionErrorCode)? {
    guard case .refusal(let request, let refusal) = outcome else { return nil }
    return (request, refusal.code)
  }

  @Test("joins with the reply to the announcement, opens once, and then saves")
  func plain() {
    var conversation = SessionConversation()
    let reply = OSCMessage(path: "/reply", arguments: Self.announced)
    #expect(conversation.take(reply) == .event(.joined(manager: "New Session Manager")))
    #expect(conversation.take(reply) == .nothing)
    let place = SessionLocation(
      path: "/s/song/drawbar.nABCD", displayName: "song", clientID: "drawbar.nABCD")
    #expect(conversation.take(open()) == .event(.open(place)))
    #expect(
      conversation.take(OSCMessage(path: "/nsm/client/session_is_loaded"))
        == .event(.sessionIsLoaded))
    #expect(conversation.take(OSCMessage(path: "/nsm/client/save")) == .event(.save))
    #expect(conversation.take(OSCMessage(path: "/nsm/client/save")) == .event(.save))
  }

  @Test("is refused only by an error to the announcement")
  func refused() {
    var conversation = SessionConversation()
    let other: [OSCMessage.Argument] = [
      .string("/nsm/server/save"), .integer(-2), .string("no"),
    ]
    #expect(conversation.take(OSCMessage(path: "/error", arguments: other)) == .nothing)
    let mine: [OSCMessage.Argument] = [
      .string("/nsm/server/announce"), .integer(-2), .string("no"),
    ]
    #expect(
      conversation.take(OSCMessage(path: "/error", arguments: mine))
        == .event(.refused(code: -2, message: "no")))
    _ = conversation.take(open())
    #expect(conversation.take(OSCMessage(path: "/error", arguments: mine)) == .nothing)
  }

  @Test("refuses a second open, and a save before the first")
  func order() {
    var conversation = SessionConversation()
    let early = refusal(conversation.take(OSCMessage(path: "/nsm/client/save")))
    #expect(early?.request == .save && early?.code == .notNow)
    _ = conversation.take(open())
    let second = refusal(conversation.take(open("/s/other/drawbar.nABCD")))
    #expect(second?.request == .open && second?.code == .notNow)
  }

  @Test("refuses an invalid open: other types, no absolute path, a too long path, no ID")
  func places() {
    func code(_ message: OSCMessage) -> SessionErrorCode? {
      var conversation = SessionConversation()
      let result = refusal(conversation.take(message))
      #expect(!conversation.isOpen)
      return result?.code
    }
    let path = OSCMessage.Argument.string("/s/song")
    for arguments: [OSCMessage.Argument] in [
      [], [path], [path, .string("song"), .integer(1)], [.other, .string("song"), .string("id")],
      [path, .string("song"), .string("id"), .string("more")],
    ] {
      #expect(code(OSCMessage(path: "/nsm/client/open", arguments: arguments)) == .general)
    }
    #expect(code(open("song/drawbar")) == .createFailed)
    #expect(code(open("")) == .createFailed)
    #expect(code(open("/" + String(repeating: "a", count: 4000))) == .createFailed)
    #expect(code(open("/s/song", "")) == .general)
  }

  @Test("ignores answers to requests that it did not make")
  func others() {
    var conversation = SessionConversation()
    for message in [
      OSCMessage(path: "/nsm/client/show_optional_gui"), OSCMessage(path: "/tempo/update"),
      OSCMessage(path: ""), OSCMessage(path: "/reply"), OSCMessage(path: "/error"),
      OSCMessage(path: "/reply", arguments: [.string("/nsm/server/announce")]),
      OSCMessage(path: "/error", arguments: [.string("/nsm/server/announce"), .integer(-1)]),
    ] {
      #expect(conversation.take(message) == .nothing)
    }
    #expect(!conversation.isJoined)
  }
}
