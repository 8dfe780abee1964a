// SPDX-License-Identifier: MIT

import AudioModel

/// Vorbis in Ogg (Vorbis I appendix A): identification, comments and setup, then packets.
///
/// ```
/// 1 "vorbis"  version 32  channels 8  rate 32  maximum, nominal, minimum bit rate 32 each
///             exponents of the short and the long block size, 4 each  framing flag
/// ```
/// The magic cookie has a comment header without comments: a decoder ignores them, and they may be
/// megabytes of pictures.
struct VorbisMapping: OggMapping {
  /// The most bytes of the setup header; encoders need some four thousand.
  private static let maximumSetupBytes = 256 << 10

  private let identification: [UInt8]
  private let channels: Int
  private let sampleRate: Int
  let nominalBitRate: Int?
  private let blockSizes: [Int]
  private var comments: HeaderComments? = HeaderComments(signature: "\u{3}vorbis")
  private var setup: [UInt8] = []
  /// Whether each mode's blocks are long; set after the setup header.
  private var modes: [Bool] = []
  /// The last packet's block size; nil if there is none.
  private var lastBlockSize: Int?

  init(_ packet: Span<UInt8>, at offset: Int64) throws(AudioFileStreamError) {
    guard packet.count >= 30 else { throw Self.broken("identification", at: offset) }
    guard packet.littleEndian32(at: 7) == 0 else {
      throw AudioFileStreamError(
        .unsupportedDataFormat, at: offset,
        "the Vorbis stream is of a version that is not known here")
    }
    channels = Int(packet[11])
    sampleRate = Int(packet.littleEndian32(at: 12))
    let nominal = Int32(bitPattern: packet.littleEndian32(at: 20))
    nominalBitRate = nominal > 0 ? Int(nominal) : nil
    let exponents = [packet[28] & 15, packet[28] >> 4]
    blockSizes = exponents.map { 1 << Int($0) }
    identification = (0..<30).map { packet[$0] }
    guard channels > 0, sampleRate > 0, exponents[0] >= 6, exponents[0] <= exponents[1],
      exponents[1] <= 13, packet[29] & 1 == 1
    else { throw Self.broken("identification", at: offset) }
  }

  private static func broken(_ header: String, at offset: Int64) -> AudioFileStreamError {
    AudioFileStreamError(
      .invalidFile, at: offset, "the Vorbis stream's \(header) header contradicts itself")
  }

  var dataFormat: AudioStreamBasicDescription {
    AudioStreamBasicDescription(
      sampleRate: Double(sampleRate), formatID: .vorbis, channelsPerFrame: UInt32(channels))
  }

  var channelLayout: AudioChannelLayout? { .vorbis(channels: channels) }

  var mayTrimStart: Bool { true }

  /// The most bytes of a packet: twice the samples of a long block as 32 bits each, at least 64 KiB;
  /// encoders need a tenth.
  var packetSizeUpperBound: Int {
    min(max(1 << 16, blockSizes[1] * channels * 4), OggParser.maximumPacketBytes)
  }

  /// The number of headers minus one, the sizes of the first two, and the headers.
  var magicCookie: [UInt8] {
    let comment: [UInt8] = [3] + Array("vorbis".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 1]
    return [2, UInt8(identification.count), UInt8(comment.count)] + identification + comment + setup
  }

  var isComplete: Bool { !modes.isEmpty }

  mutating func readHeader(
    _ bytes: Span<UInt8>, isStart: Bool, isEnd: Bool, at offset: Int64,
    into tags: inout TagCollector
  ) throws(AudioFileStreamError) -> Bool {
    if comments != nil {
      comments?.read(bytes, into: &tags)
      if isEnd {
        guard comments?.isRight == true else { throw Self.broken("comment", at: offset) }
        comments = nil
      }
      return true
    }
    guard setup.count + bytes.count <= Self.maximumSetupBytes else {
      throw AudioFileStreamError(
        .invalidFile, at: offset, "the Vorbis stream's setup header is larger than any encoder's")
    }
    for index in 0..<bytes.count { setup.append(bytes[index]) }
    if isEnd {
      guard let modes = VorbisSetup.modes(setup.span, channels: channels) else {
        throw Self.broken("setup", at: offset)
      }
      self.modes = modes
    }
    return true
  }

  /// Returns a quarter of the last block and of this one (section 4.3.8); the first packet only starts
  /// the overlap. The lowest bit is 0 in audio packets, and the mode's number follows it.
  mutating func frames(_ packet: Span<UInt8>) -> Int? {
    guard packet.count > 0, packet[0] & 1 == 0 else { return nil }
    let modeBits = Int.bitWidth - (modes.count - 1).leadingZeroBitCount
    let mode = Int(packet[0] >> 1) & (1 << modeBits - 1)
    guard mode < modes.count else { return nil }
    let blockSize = blockSizes[modes[mode] ? 1 : 0]
    defer { lastBlockSize = blockSize }
    guard let lastBlockSize else { return 0 }
    return (lastBlockSize + blockSize) / 4
  }

  mutating func forgetLastPacket() {
    lastBlockSize = nil
  }
}
