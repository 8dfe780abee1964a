// SPDX-License-Identifier: MIT

import AudioModel

/// An error of reading or changing a graph.
public enum JACKGraphError: Error, Sendable, Equatable {
  /// An error of the server or the client, as for a `RemoteIO`.
  case server(RemoteIOError)
  /// The pattern is not a regular expression; the second text is the reason.
  case invalidPattern(String, String)
  /// No port's name or alias matches.
  case noMatchingPort(String)
  /// There is no port of this name or alias, nor a client.
  case noSuchPort(String)
  /// Neither of the two has an output where the other has an input.
  case noOutputAndInput(String, String)
  /// The two have an output and an input, but none of one type.
  case typesDiffer(String, String)
  /// The server refused the connection, or accepted the request and did not make it.
  case refused(JACKGraph.Connection)
  /// The two are not connected; the first is connected to nothing when the second is nil.
  case notConnected(String, String?)
  /// The server did not break the connection.
  case notBroken(JACKGraph.Connection)
}

extension JACKGraphError: CustomStringConvertible {
  /// A one-line message: the failure, its location, and a remedy.
  public var description: String { sentence.asMessage }

  private var sentence: String {
    switch self {
    case .server(let error): error.description
    case .invalidPattern(let pattern, let why):
      "'\(pattern)' is \(why): write a backslash in front of a character that stands for itself"
    case .noMatchingPort(let pattern):
      "no JACK port's name or alias matches '\(pattern)': 'drawbar ports' lists them"
    case .noSuchPort(let name):
      "there is no JACK port or client '\(name)': 'drawbar ports' lists the ports"
    case .noOutputAndInput(let first, let second):
      "cannot connect '\(first)' and '\(second)': a connection goes from an output to an input"
    case .typesDiffer(let first, let second):
      "cannot connect '\(first)' and '\(second)': their ports are of different types"
    case .refused(let connection):
      "the JACK server did not connect '\(connection.output)' to '\(connection.input)': the client of "
        + "one of them may not be active, or may have gone"
    case .notConnected(let first, let second?): "'\(first)' and '\(second)' are not connected"
    case .notConnected(let first, nil): "'\(first)' is connected to nothing"
    case .notBroken(let connection):
      "the JACK server did not disconnect '\(connection.output)' from '\(connection.input)' within a "
        + "second: a client may be late; try again"
    }
  }
}
