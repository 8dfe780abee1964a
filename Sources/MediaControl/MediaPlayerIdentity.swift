// SPDX-License-Identifier: MIT

/// What does not change about a player while it runs: MPRIS's interface `org.mpris.MediaPlayer2`.
public struct MediaPlayerIdentity: Sendable, Equatable {
  /// What the player is called on the bus: ASCII letters, digits and `_`, not a digit first.
  public var busName: String
  /// What people call it.
  public var name: String
  /// The URL schemes that it opens, in lower case.
  public var uriSchemes: [String]
  /// What it plays, as MIME types.
  public var mimeTypes: [String]

  /// What is told of a player.
  public init(busName: String, name: String, uriSchemes: [String], mimeTypes: [String]) {
    self.busName = busName
    self.name = name
    self.uriSchemes = uriSchemes
    self.mimeTypes = mimeTypes
  }
}
