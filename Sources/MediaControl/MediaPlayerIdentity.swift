// SPDX-License-Identifier: MIT

/// The constant properties of a player: MPRIS's interface `org.mpris.MediaPlayer2`.
public struct MediaPlayerIdentity: Sendable, Equatable {
  /// The player's name on the bus: ASCII letters, digits and `_`, not a digit first.
  public var busName: String
  /// The player's name for people.
  public var name: String
  /// The URL schemes that it opens, in lower case.
  public var uriSchemes: [String]
  /// The MIME types that it plays.
  public var mimeTypes: [String]

  /// An identity with these fields.
  public init(busName: String, name: String, uriSchemes: [String], mimeTypes: [String]) {
    self.busName = busName
    self.name = name
    self.uriSchemes = uriSchemes
    self.mimeTypes = mimeTypes
  }
}
