// SPDX-License-Identifier: MIT

import AudioModel

/// The format found in a stream of ADTS frames.
struct ADTSFormat {
  /// A header of this format.
  let header: ADTSHeader
  /// The channels, if the headers do not state them.
  let programConfig: AACProgramConfig?
  /// Raw data blocks in each frame; nil if frames differ.
  var blockCount: Int?

  /// - Parameter bytes: the first frame, of which only a program config element is read.
  /// - Throws: `fmt?` if neither the header nor the frame states the channels.
  init(
    _ chain: ADTSFrameChain, firstFrame bytes: Span<UInt8>, at offset: Int64
  ) throws(AudioFileStreamError) {
    header = chain.headers[0]
    let blockCount = header.blockCount
    self.blockCount = chain.headers.allSatisfy { $0.blockCount == blockCount } ? blockCount : nil
    guard header.channelConfiguration == 0 else {
      programConfig = nil
      return
    }
    let config = AACProgramConfig(
      block: bytes.extracting(header.headerBytes..<min(header.frameBytes, bytes.count)))
    guard let config, config.channelCount > 0 else {
      throw AudioFileStreamError(
        .unsupportedDataFormat, at: offset,
        "the ADTS frames do not state their number of channels")
    }
    programConfig = config
  }

  var key: UInt32 { header.formatKey }

  var channels: UInt32 {
    if let programConfig { return UInt32(programConfig.channelCount) }
    return header.channelConfiguration == 7 ? 8 : UInt32(header.channelConfiguration)
  }

  /// Low complexity AAC at the sample rate of the headers. HE-AAC in ADTS looks the same: the
  /// extension's bits follow the Huffman-coded spectrum of each raw data block, so only a decoder finds
  /// them. The format therefore never claims HE-AAC; a decoder that finds the extension doubles the
  /// rate itself.
  var dataFormat: AudioStreamBasicDescription {
    AudioStreamBasicDescription(
      sampleRate: Double(header.sampleRate), formatID: .mpeg4AAC,
      framesPerPacket: UInt32((blockCount ?? 0) * ADTSHeader.framesPerBlock),
      channelsPerFrame: channels)
  }

  /// The order of the channels in the bit stream (ISO/IEC 14496-3 table 1.19), by Core Audio's tags.
  var channelLayout: AudioChannelLayout? {
    if programConfig != nil {
      return channels <= 2 ? AudioChannelLayout(.standard(channels: channels)) : nil
    }
    let tags: [UInt32] = [
      0, 100 << 16 | 1, 101 << 16 | 2, 114 << 16 | 3, 116 << 16 | 4, 120 << 16 | 5, 124 << 16 | 6,
      127 << 16 | 8,
    ]
    return AudioChannelLayout(tag: tags[header.channelConfiguration])
  }

  /// An AudioSpecificConfig (ISO/IEC 14496-3 section 1.6.2.1) as in MPEG-4 files: object type, rate,
  /// channels, and a GASpecificConfig for 1024 frames.
  var magicCookie: [UInt8] {
    let bits =
      header.objectType << 11 | header.sampleRateIndex << 7
      | header.channelConfiguration << 3
    let config = [UInt8(bits >> 8), UInt8(bits & 0xFF)]
    return config + (programConfig?.bytes ?? [])
  }

  /// Frame sizes in bytes that the standard allows: up to 6144 bits for a channel and block (ISO/IEC
  /// 14496-3 section 4.5.3.1), the header, and a checksum for each block. Larger frames are still
  /// accepted.
  var frameByteRange: ClosedRange<Int64> {
    let blocks = blockCount ?? 4
    let most = 768 * Int(channels) * blocks + ADTSHeader.byteCount + 4 * blocks
    return Int64(ADTSHeader.byteCount + 1)...Int64(min(most, ADTSHeader.maximumFrameBytes))
  }
}
