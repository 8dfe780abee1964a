// SPDX-License-Identifier: MIT

import AudioModel

/// The STREAMINFO block (RFC 9639 section 8.2): values that hold for all frames.
///
/// ```
/// 16 minimum block size   16 maximum block size   24 minimum frame bytes   24 maximum frame bytes
/// 20 sample rate   3 channels - 1   5 bits - 1   36 samples of each channel   128 MD5
/// ```
struct FLACStreamInfo: Equatable {
  static let byteCount = 34

  /// Frames of sound in each FLAC frame except the last.
  var minimumBlockSize: Int
  var maximumBlockSize: Int
  /// Bytes of a FLAC frame; nil if not stated.
  var minimumFrameBytes: Int?
  var maximumFrameBytes: Int?
  var sampleRate: Int
  var channels: Int
  var bitsPerSample: Int
  /// Frames of sound in total; nil if not stated.
  var totalFrames: Int64?
  /// The block unchanged.
  var bytes: [UInt8]

  /// Reads the block at the start of `block`; nil if it contradicts itself.
  init?(_ block: Span<UInt8>) {
    guard block.count >= Self.byteCount else { return nil }
    minimumBlockSize = Int(block.bigEndian16(at: 0))
    maximumBlockSize = Int(block.bigEndian16(at: 2))
    let minimumBytes = Int(block.bigEndian32(at: 4) >> 8)
    let maximumBytes = Int(block.bigEndian32(at: 7) >> 8)
    minimumFrameBytes = minimumBytes > 0 ? minimumBytes : nil
    maximumFrameBytes = maximumBytes > 0 ? maximumBytes : nil
    let fields = block.bigEndian64(at: 10)
    sampleRate = Int(fields >> 44)
    channels = Int(fields >> 41 & 7) + 1
    bitsPerSample = Int(fields >> 36 & 31) + 1
    let total = Int64(fields & 0xF_FFFF_FFFF)
    totalFrames = total > 0 ? total : nil
    bytes = (0..<Self.byteCount).map { block[$0] }
    guard maximumBlockSize >= 16, minimumBlockSize <= maximumBlockSize, sampleRate > 0,
      bitsPerSample >= 4
    else { return nil }
  }

  /// Reads the block in a magic cookie: bare, or after its header, a file's signature, or an MP4 file's
  /// `dfLa` box; nil if there is none.
  init?(magicCookie: Span<UInt8>) {
    var start = magicCookie.has("dfLa", at: 4) ? 12 : 0
    if magicCookie.has("fLaC", at: start) { start += 4 }
    // Read as STREAMINFO, these bytes would be contradictory block sizes.
    if magicCookie.count - start >= 4, magicCookie.bigEndian32(at: start) & 0x7FFF_FFFF == 34 {
      start += 4
    }
    guard start < magicCookie.count else { return nil }
    self.init(magicCookie.extracting(start..<magicCookie.count))
  }

  /// Creates a block for a frame that disagrees with `stated`: blocks of any size, and no length.
  init(_ header: FLACFrameHeader, stated: FLACStreamInfo) {
    self.init(
      sampleRate: header.sampleRate > 0 ? header.sampleRate : stated.sampleRate,
      channels: header.channels,
      bitsPerSample: header.bitsPerSample > 0 ? header.bitsPerSample : stated.bitsPerSample)
  }

  /// Creates a block for frames with blocks of any size.
  init(sampleRate: Int, channels: Int, bitsPerSample: Int) {
    minimumBlockSize = 16
    maximumBlockSize = FLACFrameHeader.maximumBlockSize
    self.sampleRate = sampleRate
    self.channels = channels
    self.bitsPerSample = bitsPerSample
    let fields =
      UInt64(sampleRate) << 44 | UInt64(channels - 1) << 41 | UInt64(bitsPerSample - 1) << 36
    bytes = [0, 16, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0]
    bytes += (0..<8).map { UInt8(truncatingIfNeeded: fields >> (56 - 8 * $0)) }
    bytes += [UInt8](repeating: 0, count: Self.byteCount - bytes.count)
  }

  /// Whether the block applies to a frame.
  func holds(for header: FLACFrameHeader) -> Bool {
    (header.sampleRate == 0 || header.sampleRate == sampleRate) && header.channels == channels
      && (header.bitsPerSample == 0 || header.bitsPerSample == bitsPerSample)
      && header.blockSize <= maximumBlockSize
  }

  /// Frames of sound in each FLAC frame except the last, if all have the same number; otherwise 0.
  var framesPerPacket: Int { minimumBlockSize == maximumBlockSize ? maximumBlockSize : 0 }

  /// The most bytes of a frame: those of uncompressed samples, with one more bit for a difference
  /// channel. The stated maximum is no limit: joined files keep that of the first one.
  var frameByteUpperBound: Int {
    let stored = (maximumBlockSize * (bitsPerSample + 1) + 7) / 8 + 5
    return max(maximumFrameBytes ?? 0, FLACFrameHeader.maximumBytes + channels * stored + 2)
  }

  /// The format of the frames; its flags state the source's bit depth like those of Apple Lossless.
  var dataFormat: AudioStreamBasicDescription {
    let flags: UInt32 =
      switch bitsPerSample {
      case 16: 1
      case 20: 2
      case 24: 3
      case 32: 4
      default: 0
      }
    return AudioStreamBasicDescription(
      sampleRate: Double(sampleRate), formatID: .flac,
      formatFlags: AudioFormatFlags(rawValue: flags),
      framesPerPacket: UInt32(framesPerPacket), channelsPerFrame: UInt32(channels))
  }

  /// The channels' speakers: those of the comment's mask if it fits, else by the number of channels
  /// (RFC 9639 section 9.1.3).
  func channelLayout(mask: UInt32?) -> AudioChannelLayout {
    if let mask, mask.nonzeroBitCount == channels {
      return AudioChannelLayout(AudioChannelBitmap(rawValue: mask))
    }
    return AudioChannelLayout(.standard(channels: UInt32(channels)))
  }
}
