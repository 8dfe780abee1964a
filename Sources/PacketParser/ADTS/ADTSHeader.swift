// SPDX-License-Identifier: MIT

/// The header of an ADTS frame (ISO/IEC 13818-7 section 6.2, ISO/IEC 14496-3 section 1.A.2).
///
/// ```
///  55        44 43 42 41 40 39   38 37      34 33  32     30 29  28  27  26 25     13 12        2 1   0
/// +------------+--+-----+--+-------+----------+---+---------+---+---+---+---+--------+-----------+-----+
/// | sync: ones |ID|layer|pa|profile| rate     |prv| channels|org|hom|cid|cst| length | fullness  |blcks|
/// +------------+--+-----+--+-------+----------+---+---------+---+---+---+---+--------+-----------+-----+
/// ```
/// The layer is always 0, which no MPEG audio header has: this distinguishes the two.
struct ADTSHeader: Equatable {
  /// Bytes of a header without the checksum.
  static let byteCount = 7
  /// Bytes that `mayBegin` examines.
  static let signatureBytes = 3
  /// Bytes of the largest frame: its length has thirteen bits.
  static let maximumFrameBytes = 8191
  /// Frames of sound in one raw data block.
  static let framesPerBlock = 1024

  /// The bits of the first four bytes that all frames of a stream share: sync, ID, layer, profile, rate
  /// and channels. The checksum bit may change.
  private static let sharedBits: UInt32 = 0xFFFE_FDC0

  private let word: UInt32
  /// Bytes of the frame, header included.
  let frameBytes: Int
  /// Raw data blocks in the frame, 1 to 4.
  let blockCount: Int

  /// Reads the header at offset `place`, where `byteCount` bytes must be present; nil if no frame
  /// begins there.
  init?(_ bytes: Span<UInt8>, at place: Int) {
    let word = bytes.bigEndian32(at: place)
    guard word & 0xFFF6_0000 == 0xFFF0_0000, (word >> 10) & 15 < Self.sampleRates.count else {
      return nil
    }
    self.word = word
    let tail = Int(bytes[place + 4]) << 3 | Int(bytes[place + 5]) >> 5
    frameBytes = Int(word & 3) << 11 | tail
    blockCount = Int(bytes[place + 6] & 3) + 1
    guard frameBytes > headerBytes else { return nil }
  }

  /// Whether the first bytes are those of a header.
  static func mayBegin(_ bytes: Span<UInt8>) -> Bool {
    bytes.count >= signatureBytes && bytes[0] == 0xFF && bytes[1] & 0xF6 == 0xF0
      && Int(bytes[2] >> 2) & 15 < sampleRates.count
  }

  /// A value that is the same for all frames of a stream.
  var formatKey: UInt32 { word & Self.sharedBits }

  var hasChecksum: Bool { word & 0x0001_0000 == 0 }

  /// The MPEG-4 audio object type (ISO/IEC 14496-3 table 1.17): 1 main, 2 low complexity, 3 scalable
  /// rate, 4 long-term prediction.
  var objectType: Int { Int((word >> 14) & 3) + 1 }

  var sampleRateIndex: Int { Int((word >> 10) & 15) }

  /// The sample rate in Hz.
  var sampleRate: Int { Self.sampleRates[sampleRateIndex] }

  /// 1 to 7; 0 if a program config element lists the channels.
  var channelConfiguration: Int { Int((word >> 6) & 7) }

  /// Bytes before the first raw data block: with a checksum, also the byte offsets of the other blocks.
  var headerBytes: Int { Self.byteCount + (hasChecksum ? 2 * blockCount : 0) }

  /// The sample rates by index (ISO/IEC 14496-3 table 1.18).
  static let sampleRates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
    7_350,
  ]
}
