// SPDX-License-Identifier: MIT

/// The content of a stream's tags: Core Audio's info dictionary
/// (`kAudioFileStreamProperty_InfoDictionary`) and the pictures.
public struct AudioFileInfo: Hashable, Sendable {
  /// One statement.
  public struct Entry: Hashable, Sendable {
    /// The subject.
    public var key: AudioTagKey
    /// The text, always as UTF-8.
    public var value: String

    /// Creates a statement.
    public init(key: AudioTagKey, value: String) {
      self.key = key
      self.value = value
    }
  }

  /// All statements, one for each key, in the order of the file.
  public internal(set) var entries: [Entry] = []
  /// Cover art and other pictures, in the order of the file.
  public internal(set) var pictures: [AudioFilePicture] = []

  /// The statement about a key, if there is one.
  public subscript(key: AudioTagKey) -> String? {
    entries.first { $0.key == key }?.value
  }

  /// Whether there are neither statements nor pictures.
  public var isEmpty: Bool { entries.isEmpty && pictures.isEmpty }
}

/// A picture that a stream carries, most often its cover.
public struct AudioFilePicture: Hashable, Sendable {
  /// The kind of picture by ID3v2's numbers (ID3v2.4 frames, section 4.14): 0 other, 3 the front cover,
  /// 4 the back cover. 3 for containers that do not state the kind.
  public var kind: UInt8
  /// The media type, such as `image/jpeg`; empty if unknown.
  public var mediaType: String
  /// The picture's description in the file.
  public var text: String
  /// Bytes of the picture.
  public var byteCount: Int
  /// The picture itself; empty unless the parser keeps pictures of this size
  /// (``AudioFileStreamOptions/pictureByteLimit``).
  public var bytes: [UInt8]

  /// Creates a picture from its parts.
  public init(
    kind: UInt8, mediaType: String, text: String = "", byteCount: Int, bytes: [UInt8] = []
  ) {
    self.kind = kind
    self.mediaType = mediaType
    self.text = text
    self.byteCount = byteCount
    self.bytes = bytes
  }
}
