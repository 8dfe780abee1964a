// SPDX-License-Identifier: MIT

/// A station's information on the sound that comes next. All texts are on one line: control characters are
/// written as `\u{…}`.
public struct StreamMetadata: Hashable, Sendable {
  /// The number of bytes that the source's reads have returned before this, over all its connections: the sound
  /// from there on is meant.
  public var byteOffset: UInt64
  /// The title, most often `artist - title`; nil when the station names none.
  public var title: String?
  /// The address of a page or picture to go with it; not to be trusted.
  public var url: String?

  /// Creates metadata with these fields.
  public init(byteOffset: UInt64, title: String? = nil, url: String? = nil) {
    self.byteOffset = byteOffset
    self.title = title
    self.url = url
  }
}

/// A station's information on itself, from the `icy-` fields of its answer. All texts are on one line.
public struct StationInformation: Hashable, Sendable {
  /// `icy-name`.
  public var name: String?
  /// `icy-genre`.
  public var genre: String?
  /// `icy-description`.
  public var description: String?
  /// `icy-url`: the station's page; not to be trusted.
  public var url: String?
  /// `icy-br`: the stated bit rate, in kilobits per second.
  public var kilobitsPerSecond: Int?

  /// Creates information with no field set.
  public init() {}
}
