// SPDX-License-Identifier: MIT

/// A program's announcement to a session manager.
public struct SessionAnnouncement: Sendable, Equatable {
  /// The program's name; also the name of its JACK client without a session.
  public var applicationName: String
  /// The program's `argv[0]`: the session manager starts it by this name again, without arguments.
  public var executableName: String

  /// An announcement with these fields.
  public init(applicationName: String, executableName: String) {
    self.applicationName = applicationName
    self.executableName = executableName
  }
}
