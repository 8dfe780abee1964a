// SPDX-License-Identifier: MIT

/// A client's path and names in a session.
public struct SessionLocation: Equatable, Sendable {
  /// The path below which the client saves its state. It does not exist before the first save.
  public var path: String
  /// The session's name.
  public var displayName: String
  /// The client's name in this session, and in JACK's graph.
  public var clientID: String
}

/// A request of a session manager; the client answers it once it is done.
public enum SessionRequest: String, Sendable {
  /// Use a path and names, and load the state saved there.
  case open = "/nsm/client/open"
  /// Save.
  case save = "/nsm/client/save"
}

/// An event from the session manager.
public enum SessionEvent: Equatable, Sendable {
  /// The session manager has accepted the program; its own name.
  case joined(manager: String)
  /// The session manager has refused the program.
  case refused(code: Int32, message: String)
  /// ``SessionRequest/open``, to be answered.
  case open(SessionLocation)
  /// ``SessionRequest/save``, to be answered.
  case save
  /// A request that cannot be done; this refusal was sent as its answer.
  case invalid(SessionRequest, SessionRefusal)
  /// All programs of the session have loaded their state.
  case sessionIsLoaded
}

/// The protocol (NSM API 1.1) as a value without input or output: turns a message into an event for the program or a
/// refusal to send. Ignores or refuses unrelated messages; nothing traps.
struct SessionConversation {
  enum Outcome: Equatable {
    case event(SessionEvent)
    case refusal(SessionRequest, SessionRefusal)
    case nothing
  }

  /// The program's capabilities: it reports unsaved changes.
  static let capabilities = ":dirty:"
  static let apiVersion: (major: Int32, minor: Int32) = (1, 1)
  static let announcePath = "/nsm/server/announce"
  /// Leaves room for the names of a file and a temporary file below the path, within Linux's 4096 bytes.
  static let longestPath = 4000
  /// The most characters kept of a text for the user.
  private static let longestText = 1024

  /// Whether the session manager has accepted the program, or sent it a request to open a state.
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
        SessionLocation(
          path: path, displayName: Self.shortened(displayName), clientID: clientID)))
  }

  private static func shortened(_ text: String) -> String { String(text.prefix(longestText)) }
}
