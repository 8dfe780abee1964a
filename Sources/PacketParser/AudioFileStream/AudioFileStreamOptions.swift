// SPDX-License-Identifier: MIT

/// What a parser may count on, and what it shall keep.
public struct AudioFileStreamOptions: Hashable, Sendable {
  /// The caller can read from any byte of the stream, and before each slice looks at
  /// ``AudioFileStream/nextByteOffset``, where it reads on. Then a file whose index lies behind its
  /// audio can be played, and what is no audio need not be read.
  public var canReposition = false
  /// Pictures of up to so many bytes are kept; of others only the kind, type and size are. To get at
  /// a picture, parse the stream's beginning again with its size here.
  public var pictureByteLimit = 0

  /// A stream that is read from its first byte to its last, whose pictures are not wanted.
  public init() {}
}
