// SPDX-License-Identifier: MIT

/// What the tags of a stream say: Core Audio's info dictionary (`kAudioFileStreamProperty_InfoDictionary`)
/// and the pictures.
public struct AudioFileInfo: Hashable, Sendable {
  /// One statement.
  public struct Entry: Hashable, Sendable {
    /// What it is about.
    public var key: AudioTagKey
    /// What it says, as UTF-8 whatever the file has.
    public var value: String

    /// A statement.
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
  /// What the picture shows, by ID3v2's numbers (ID3v2.4 frames, section 4.14): 0 other, 3 the front
  /// cover, 4 the back cover. Containers that do not tell have 3 for their cover.
  public var kind: UInt8
  /// The media type as stated, such as `image/jpeg`; empty when the file does not say.
  public var mediaType: String
  /// What the file says about it.
  public var text: String
  /// Bytes of the picture.
  public var byteCount: Int
  /// The picture itself; empty unless the parser was asked to keep pictures
  /// (``AudioFileStreamOptions/pictureByteLimit``) and this one is not larger than that.
  public var bytes: [UInt8]

  /// A picture with these parts.
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
