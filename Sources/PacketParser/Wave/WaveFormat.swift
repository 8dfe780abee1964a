// SPDX-License-Identifier: MIT

import AudioModel

/// The `fmt ` chunk of a WAVE file (Microsoft's WAVEFORMAT, WAVEFORMATEX and WAVEFORMATEXTENSIBLE).
struct WaveFormat {
  /// Bytes of the longest form.
  static let maximumBytes = 40

  /// What the data chunk holds.
  enum Encoding {
    /// Packets of one size.
    case constant(AudioStreamBasicDescription)
    /// A stream of MPEG audio frames, of which the chunk does not tell enough; most likely of this
    /// layer.
    case mpegAudio(AudioFileTypeID)
  }

  let encoding: Encoding
  /// Nil when the file does not say.
  let channelLayout: AudioChannelBitmap?
  /// Bytes per second on average; 0 when not stated.
  let averageBytesPerSecond: UInt32

  /// Reads a chunk's content that lies at stream offset `offset`.
  init(_ chunk: Span<UInt8>, at offset: Int64) throws(AudioFileStreamError) {
    guard chunk.count >= 16 else {
      throw AudioFileStreamError(
        .invalidFile, at: offset, "the WAVE format chunk has \(chunk.count) bytes, fewer than 16")
    }
    var fields = Fields(chunk)
    var layout: AudioChannelBitmap? =
      fields.channels <= 2 ? .standard(channels: fields.channels) : nil
    if fields.tag == 0xFFFE {
      guard chunk.count >= 40, chunk.littleEndian16(at: 16) >= 22, Self.hasBaseGUID(chunk) else {
        throw AudioFileStreamError(
          .unsupportedDataFormat, at: offset,
          "the extensible WAVE format is incomplete or of an unknown kind")
      }
      fields.tag = chunk.littleEndian16(at: 24)
      // In the place of the valid bits some encodings have the frames of a block.
      let statedBits = UInt32(chunk.littleEndian16(at: 18))
      if statedBits > 0 { fields.validBits = statedBits }
      fields.framesPerBlock = nil
      layout = Self.layout(mask: chunk.littleEndian32(at: 20), channels: fields.channels)
    }
    encoding = try fields.encoding(at: offset)
    channelLayout = layout
    averageBytesPerSecond = chunk.littleEndian32(at: 8)
  }

  /// KSDATAFORMAT_SUBTYPE_…: the format tag, then these fourteen bytes.
  private static func hasBaseGUID(_ chunk: Span<UInt8>) -> Bool {
    let base: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    for index in 0..<base.count where chunk[26 + index] != base[index] { return false }
    return true
  }

  /// The lowest positions of the mask, one for each channel; nil if there are too few.
  private static func layout(mask: UInt32, channels: UInt32) -> AudioChannelBitmap? {
    guard channels > 0, mask.nonzeroBitCount >= channels else { return nil }
    var kept = mask
    while kept.nonzeroBitCount > channels {
      kept &= ~(UInt32(1) << UInt32(31 - kept.leadingZeroBitCount))
    }
    return AudioChannelBitmap(rawValue: kept)
  }
}
