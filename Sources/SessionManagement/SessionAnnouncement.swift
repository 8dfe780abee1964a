// SPDX-License-Identifier: MIT

/// What a program says of itself to a session manager.
public struct SessionAnnouncement: Sendable, Equatable {
  /// What it is called, and its JACK client where there is no session.
  public var applicationName: String
  /// What it was started as, its `argv[0]`: a session manager starts it by that again, without arguments.
  public var executableName: String

  /// An announcement with these fields.
  public init(applicationName: String, executableName: String) {
    self.applicationName = applicationName
    self.executableName = executableName
  }
}
