// SPDX-License-Identifier: MIT

/// What a decoder has to know of a stream before its first packet: what Core Audio gives a converter
/// as source description, input channel layout and decompression magic cookie.
public struct CodedStreamDescription: Hashable, Sendable {
  /// The packets' encoding, rate and channels.
  public var format: AudioStreamBasicDescription
  /// The speaker of each channel; nil where nobody says.
  public var layout: AudioChannelLayout?
  /// What the encoding needs besides, as the container has it: for AAC the ES descriptor or the
  /// AudioSpecificConfig, for Apple Lossless its specific config, for FLAC the metadata from the
  /// stream information on, for Opus the identification header, for Vorbis its headers. Empty for
  /// encodings that need none.
  public var magicCookie: [UInt8]
  /// For free-format MPEG audio: bytes of a frame without its padding.
  public var freeFormatFrameByteCount: Int?

  /// A description with these fields.
  public init(
    format: AudioStreamBasicDescription, layout: AudioChannelLayout? = nil,
    magicCookie: [UInt8] = [], freeFormatFrameByteCount: Int? = nil
  ) {
    self.format = format
    self.layout = layout
    self.magicCookie = magicCookie
    self.freeFormatFrameByteCount = freeFormatFrameByteCount
  }
}
