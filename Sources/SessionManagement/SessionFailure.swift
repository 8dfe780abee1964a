// SPDX-License-Identifier: MIT

import AudioModel

/// A failure to join a session.
public enum SessionFailure: Error, Hashable, Sendable {
  /// This build lacks liblo.
  case notBuiltIn
  /// The library that the program was built for is not installed.
  case noLibrary
  /// The session manager's URL cannot be used.
  case invalidURL(String)
  /// The session manager's host has no address.
  case unknownHost(String)
  /// No UDP socket could be opened, or no thread started to open it.
  case noSocket
  /// No program listens at this URL.
  case nobodyListens(String)
  /// The session manager did not answer within this many seconds.
  case noAnswer(String, seconds: Double)
  /// The session manager has refused the program.
  case refused(code: Int32, message: String)
  /// The session manager's request to open a state is invalid.
  case unusablePath(String)
  /// The caller cancelled the wait.
  case cancelled
}

extension SessionFailure: CustomStringConvertible {
  /// The failure and a remedy, in one line.
  public var description: String { sentence.asMessage }

  private var sentence: String {
    switch self {
    case .notBuiltIn:
      "no session manager can be talked to, since this program was built without liblo"
    case .noLibrary: "no session manager can be talked to: install liblo7"
    case .invalidURL(let text):
      "'\(text)' (NSM_URL) leads to no session manager: it must be osc.udp://HOST:PORT/"
    case .unknownHost(let host): "no address found for the session manager's host \(host) (NSM_URL)"
    case .noSocket: "no UDP port is left to talk to the session manager"
    case .nobodyListens(let url): "no session manager listens at \(url) (NSM_URL)"
    case .noAnswer(let url, let seconds):
      "the session manager at \(url) (NSM_URL) did not answer within \(seconds) s"
    case .refused(SessionErrorCode.incompatibleAPI.rawValue, let message):
      "the session manager speaks another version of the protocol: \(message)"
    case .refused(_, let message): "the session manager has refused this program: \(message)"
    case .unusablePath(let message):
      "the session manager sent no usable path: \(message)"
    case .cancelled: "no command waits for the session manager any longer"
    }
  }
}
