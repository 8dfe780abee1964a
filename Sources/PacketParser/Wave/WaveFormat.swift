// SPDX-License-Identifier: MIT

import AudioModel

/// The `fmt ` chunk of a WAVE file (Microsoft's WAVEFORMAT, WAVEFORMATEX and WAVEFORMATEXTENSIBLE).
struct WaveFormat {
  /// Bytes of the longest form.
  static let maximumBytes = 40

  /// The encoding of the data chunk.
  enum Encoding {
    /// Packets of one size.
    case constant(AudioStreamBasicDescription)
    /// A stream of MPEG audio frames, most likely of this layer. The chunk does not describe it
    /// completely.
    case mpegAudio(AudioFileTypeID)
  }

  let encoding: Encoding
  /// The speakers of the channels; nil if the file does not state them.
  let channelLayout: AudioChannelBitmap?
  /// Average bytes per second; 0 if not stated.
  let averageBytesPerSecond: UInt32

  /// Creates the format of MPEG audio that no chunk describes.
  init(mpegAudio fileFormat: AudioFileTypeID) {
    encoding = .mpegAudio(fileFormat)
    channelLayout = nil
    averageBytesPerSecond = 0
  }

  /// Reads the content of a chunk at stream offset `offset`.
  init(_ chunk: Span<UInt8>, at offset: Int64) throws(AudioFileStreamError) {
    guard chunk.count >= 16 else {
      throw AudioFileStreamError(
        .invalidFile, at: offset, "the WAVE format chunk has \(chunk.count) bytes, fewer than 16")
    }
    var fields = Fields(chunk)
    var layout: AudioChannelBitmap? =
      fields.channels <= 2 ? .standard(channels: fields.channels) : nil
    if fields.tag == 0xFFFE {
      if chunk.count >= Self.maximumBytes, Self.hasKnownGUID(chunk) {
        fields.tag = chunk.littleEndian16(at: 24)
        // Some encodings store the frames of a block in this field instead of the valid bits.
        let statedBits = UInt32(chunk.littleEndian16(at: 18))
        if statedBits > 0 { fields.validBits = statedBits }
        layout = Self.layout(mask: chunk.littleEndian32(at: 20), channels: fields.channels)
      } else if chunk.count < Self.maximumBytes, fields.mayBeInteger {
        fields.tag = 1
      } else {
        throw AudioFileStreamError(
          .unsupportedDataFormat, at: offset,
          "the extensible WAVE format is incomplete or of an unknown kind: convert the file to linear PCM "
            + "first")
      }
      fields.framesPerBlock = nil
    }
    encoding = try fields.encoding(at: offset)
    channelLayout = layout
    averageBytesPerSecond = chunk.littleEndian32(at: 8)
  }

  /// Whether the GUID is KSDATAFORMAT_SUBTYPE_… or, for linear PCM, SUBTYPE_AMBISONIC_B_FORMAT_…: the
  /// format tag, then fourteen bytes. The size of the extension, before them, is ignored: some programs
  /// write 0.
  private static func hasKnownGUID(_ chunk: Span<UInt8>) -> Bool {
    let base: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    let ambisonic: [UInt8] = [0, 0, 0x21, 7, 0xD3, 0x11, 0x86, 0x44, 0xC8, 0xC1, 0xCA, 0, 0, 0]
    let rest: [UInt8] = (26..<40).map { chunk[$0] }
    return rest == base || rest == ambisonic && [1, 3].contains(chunk.littleEndian16(at: 24))
  }

  /// Returns the lowest positions of the mask, one for each channel; nil if there are too few.
  private static func layout(mask: UInt32, channels: UInt32) -> AudioChannelBitmap? {
    guard channels > 0, mask.nonzeroBitCount >= channels else { return nil }
    var kept = mask
    while kept.nonzeroBitCount > channels {
      kept &= ~(UInt32(1) << UInt32(31 - kept.leadingZeroBitCount))
    }
    return AudioChannelBitmap(rawValue: kept)
  }
}
