// SPDX-License-Identifier: MIT

/// Where a client has its place in a session.
public struct SessionPlace: Equatable, Sendable {
  /// The path below which the client keeps what it saves. Nothing is there before the first save.
  public var path: String
  /// What the session is called.
  public var displayName: String
  /// What the client is called in this session, and in JACK's graph.
  public var clientID: String
}

/// What a session manager asks for; each is answered when it has been done.
public enum SessionRequest: String, Sendable {
  /// Take a place, and what is saved there.
  case open = "/nsm/client/open"
  /// Save.
  case save = "/nsm/client/save"
}

/// What came from the session manager.
public enum SessionEvent: Equatable, Sendable {
  /// It has taken the program in; its own name.
  case joined(manager: String)
  /// It has not.
  case refused(code: Int32, message: String)
  /// ``SessionRequest/open``, to be answered.
  case open(SessionPlace)
  /// ``SessionRequest/save``, to be answered.
  case save
  /// A request that cannot be done, which has been answered with this.
  case invalid(SessionRequest, SessionRefusal)
  /// All of the session's programs have opened what was theirs.
  case sessionIsLoaded
}

/// The protocol (NSM API 1.1) as a value without input or output: a message that came in, an event for the
/// program or an answer out. Whatever does not belong here is ignored or refused; nothing traps.
struct SessionConversation {
  enum Outcome: Equatable {
    case event(SessionEvent)
    case refusal(SessionRequest, SessionRefusal)
    case nothing
  }

  /// What the program can do: it tells when something has changed that was not saved.
  static let capabilities = ":dirty:"
  static let apiVersion: (major: Int32, minor: Int32) = (1, 1)
  static let announcePath = "/nsm/server/announce"
  /// Room for a file's name and its temporary one below the path, within Linux's 4096 bytes.
  static let longestPath = 4000
  /// Longer texts are of no use to a reader.
  private static let longestText = 1024

  /// The session manager has said that it has taken the program in, or given it a place.
  private(set) var isJoined = false
  private(set) var isOpen = false

  mutating func take(_ message: OSCMessage) -> Outcome {
    switch message.path {
    case "/reply": takeReply(message.arguments)
    case "/error": takeError(message.arguments)
    case SessionRequest.open.rawValue: takeOpen(message.arguments)
    case SessionRequest.save.rawValue:
      isOpen
        ? .event(.save)
        : .refusal(.save, SessionRefusal(.notNow, "nothing has been opened yet"))
    case "/nsm/client/session_is_loaded": .event(.sessionIsLoaded)
    default: .nothing
    }
  }

  private mutating func takeReply(_ arguments: [OSCMessage.Argument]) -> Outcome {
    guard !isJoined, arguments.first == .string(Self.announcePath), arguments.count >= 3,
      case .string(let manager) = arguments[2]
    else { return .nothing }
    isJoined = true
    return .event(.joined(manager: Self.shortened(manager)))
  }

  private func takeError(_ arguments: [OSCMessage.Argument]) -> Outcome {
    guard !isJoined, arguments.count >= 3, arguments[0] == .string(Self.announcePath),
      case .integer(let code) = arguments[1], case .string(let message) = arguments[2]
    else { return .nothing }
    return .event(.refused(code: code, message: Self.shortened(message)))
  }

  private mutating func takeOpen(_ arguments: [OSCMessage.Argument]) -> Outcome {
    func refuse(_ code: SessionErrorCode, _ message: String) -> Outcome {
      .refusal(.open, SessionRefusal(code, message))
    }
    guard !isOpen else { return refuse(.notNow, "something is open: start another instance") }
    guard arguments.count == 3, case .string(let path) = arguments[0],
      case .string(let displayName) = arguments[1], case .string(let clientID) = arguments[2]
    else { return refuse(.general, "open takes three strings in UTF-8") }
    guard path.hasPrefix("/"), path.utf8.count <= Self.longestPath else {
      return refuse(.createFailed, "not an absolute path of at most \(Self.longestPath) bytes")
    }
    guard !clientID.isEmpty else { return refuse(.general, "the client ID is empty") }
    (isJoined, isOpen) = (true, true)
    return .event(
      .open(
        SessionPlace(
          path: path, displayName: Self.shortened(displayName), clientID: clientID)))
  }

  private static func shortened(_ text: String) -> String { String(text.prefix(longestText)) }
}
