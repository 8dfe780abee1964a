// SPDX-License-Identifier: MIT

import AudioModel

/// Why a program takes part in no session.
public enum SessionFailure: Error, Hashable, Sendable {
  /// This build has no library for it.
  case notBuiltIn
  /// The library that the program was built for is not installed.
  case noLibrary
  /// The session manager's URL cannot be used.
  case invalidURL(String)
  /// The session manager's host has no address.
  case unknownHost(String)
  /// There is no socket to talk through.
  case noSocket
  /// Nobody listens at this URL.
  case nobodyListens(String)
  /// Nothing came of it within so many seconds.
  case noAnswer(String, seconds: Double)
  /// The session manager has refused the program.
  case refused(code: Int32, message: String)
  /// The session manager has given the program a place that cannot be one.
  case unusablePlace(String)
  /// Whoever asked wants it no longer.
  case cancelled
}

extension SessionFailure: CustomStringConvertible {
  /// What is wrong, and what to do, in one line.
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
    case .unusablePlace(let message):
      "the session manager gave no place that can be used: \(message)"
    case .cancelled: "nobody waits for the session manager any longer"
    }
  }
}
