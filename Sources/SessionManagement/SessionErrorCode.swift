// SPDX-License-Identifier: MIT

import AudioModel

/// What a client tells a session manager to have gone wrong (NSM API, "Error Code Definitions").
///
/// `ERR_SAVE_FAILED`, which the API names among the answers to a save, has no number there: it is
/// ``general``.
public enum SessionErrorCode: Int32, Sendable {
  /// Anything that has no number of its own, a save that failed included.
  case general = -1
  /// The other side has another major version of the API.
  case incompatibleAPI = -2
  /// It cannot be done now.
  case notNow = -8
  /// What was saved is corrupt, or not this program's.
  case badProject = -9
  /// There is nothing saved, and nothing to begin with.
  case createFailed = -10
}

/// Why a request of a session manager's is answered with an error.
public struct SessionRefusal: Error, Equatable, Sendable {
  /// What it is to the session manager.
  public var code: SessionErrorCode
  /// What it is to a user, in one line.
  public var message: String

  /// A refusal with these fields.
  public init(_ code: SessionErrorCode, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension SessionRefusal: CustomStringConvertible {
  /// The message, in one line.
  public var description: String { message.asMessage }
}
