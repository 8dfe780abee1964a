// SPDX-License-Identifier: MIT

/// The description of a stream that a decoder needs before the first packet: Core Audio's source
/// description, input channel layout and decompression magic cookie of a converter.
public struct CodedStreamDescription: Hashable, Sendable {
  /// The packets' encoding, rate and channels.
  public var format: AudioStreamBasicDescription
  /// The speaker of each channel; nil if unknown.
  public var layout: AudioChannelLayout?
  /// Further data that the encoding needs, in the container's form: for AAC the ES descriptor or the
  /// AudioSpecificConfig, for Apple Lossless its specific config, for FLAC the metadata from the stream
  /// information on, for Opus the identification header, for Vorbis its headers. Empty for encodings
  /// that need none.
  public var magicCookie: [UInt8]
  /// For free-format MPEG audio: bytes of a frame without its padding.
  public var freeFormatFrameByteCount: Int?

  /// Creates a description with these fields.
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
