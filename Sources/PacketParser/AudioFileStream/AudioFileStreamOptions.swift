// SPDX-License-Identifier: MIT

/// The caller's abilities and the data that a parser keeps.
public struct AudioFileStreamOptions: Hashable, Sendable {
  /// Whether the caller can read from any byte of the stream and checks
  /// ``AudioFileStream/nextByteOffset`` before each slice. Then a file whose index follows its audio
  /// can be played, and other data need not be read.
  public var canReposition = false
  /// The largest picture in bytes that is kept; larger ones keep only their kind, type and size. To get
  /// a picture, parse the stream's beginning again with its size here.
  public var pictureByteLimit = 0

  /// Creates options for a stream that is read from its first byte to its last, without pictures.
  public init() {}
}
