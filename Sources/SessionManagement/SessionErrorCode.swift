// SPDX-License-Identifier: MIT

import AudioModel

/// An error code that a client sends to a session manager (NSM API, "Error Code Definitions").
///
/// `ERR_SAVE_FAILED`, which the API names among the answers to a save, has no number there: it is
/// ``general``.
public enum SessionErrorCode: Int32, Sendable {
  /// Any error without a number of its own, including a failed save.
  case general = -1
  /// The other side has another major version of the API.
  case incompatibleAPI = -2
  /// The request cannot be done now.
  case notNow = -8
  /// The saved state is corrupt, or not this program's.
  case badProject = -9
  /// No state is saved, and a new one cannot be created.
  case createFailed = -10
}

/// The error that answers a session manager's request.
public struct SessionRefusal: Error, Equatable, Sendable {
  /// The code for the session manager.
  public var code: SessionErrorCode
  /// The message for the user, in one line.
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
