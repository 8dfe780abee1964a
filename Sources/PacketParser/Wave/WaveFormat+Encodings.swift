// SPDX-License-Identifier: MIT

import AudioModel

extension WaveFormat {
  /// The chunk's fields. `WaveFormat` replaces some by those of the extensible form.
  struct Fields {
    var tag: UInt16
    let channels: UInt32
    let sampleRate: UInt32
    /// Bytes of a frame of linear PCM, or of a block of another encoding.
    let blockBytes: UInt32
    /// Bits of the sample: at first those of its container, then the valid ones.
    var validBits: UInt32
    /// Frames of a block, if an extension states them.
    var framesPerBlock: UInt32?

    init(_ chunk: Span<UInt8>) {
      tag = chunk.littleEndian16(at: 0)
      channels = UInt32(chunk.littleEndian16(at: 2))
      sampleRate = chunk.littleEndian32(at: 4)
      blockBytes = UInt32(chunk.littleEndian16(at: 12))
      validBits = UInt32(chunk.littleEndian16(at: 14))
      if chunk.count >= 20, chunk.littleEndian16(at: 16) >= 2 {
        framesPerBlock = UInt32(chunk.littleEndian16(at: 18))
      }
    }

    /// Whether the sizes fit integers. 32 bits are excluded because such samples may be floats.
    var mayBeInteger: Bool {
      (1...24).contains(validBits) && blockBytes == (validBits + 7) / 8 * channels
    }

    /// Returns the encoding of the format tag, as registered by RFC 2361.
    func encoding(at offset: Int64) throws(AudioFileStreamError) -> Encoding {
      if tag == 0x50 { return .mpegAudio(.mpegLayer2) }
      if tag == 0x55 { return .mpegAudio(.mpegLayer3) }
      guard [1, 2, 3, 6, 7, 0x11, 0x31].contains(tag) else {
        throw AudioFileStreamError(
          .unsupportedDataFormat, at: offset,
          "the WAVE file holds \(name), which is not supported: convert it to linear PCM first")
      }
      guard (1...1024).contains(channels), (1...3_000_000).contains(sampleRate), blockBytes > 0
      else { throw nonsense(at: offset) }
      switch tag {
      case 1, 3: return .constant(try linearPCM(at: offset))
      case 6: return .constant(.g711(.aLaw, sampleRate: Double(sampleRate), channels: channels))
      case 7: return .constant(.g711(.muLaw, sampleRate: Double(sampleRate), channels: channels))
      default: return .constant(try blocks(at: offset))
      }
    }

    private func linearPCM(
      at offset: Int64
    ) throws(AudioFileStreamError) -> AudioStreamBasicDescription {
      guard blockBytes % channels == 0 else { throw nonsense(at: offset) }
      let bytesPerSample = blockBytes / channels
      return .linearPCM(
        sampleRate: Double(sampleRate), channels: channels, bitsPerChannel: validBits,
        bytesPerSample: bytesPerSample,
        flags: try flags(bytesPerSample: bytesPerSample, at: offset))
    }

    /// Returns the format flags. Eight-bit samples are unsigned, longer ones signed. If fewer bits are
    /// valid than the container has, they are its high bits.
    private func flags(
      bytesPerSample: UInt32, at offset: Int64
    ) throws(AudioFileStreamError) -> AudioFormatFlags {
      let isFloat = tag == 3
      let sizes: [UInt32] = isFloat ? [4, 8] : [1, 2, 3, 4, 8]
      guard sizes.contains(bytesPerSample), (1...bytesPerSample * 8).contains(validBits),
        !isFloat || validBits == bytesPerSample * 8
      else {
        throw AudioFileStreamError(
          .unsupportedDataFormat, at: offset,
          "WAVE samples of \(validBits) bits in \(bytesPerSample) bytes are not supported")
      }
      if isFloat { return [.float, .packed] }
      let sign: AudioFormatFlags = bytesPerSample == 1 ? [] : .signedInteger
      return sign.union(validBits == bytesPerSample * 8 ? .packed : .alignedHigh)
    }

    /// Describes an encoding of blocks (Microsoft's "New Multimedia Data Types and Data Techniques",
    /// 1994). A block of ADPCM with four bits a sample has as many frames as its bytes hold, whatever
    /// the extension states: a smaller number would make a decoder omit sound.
    private func blocks(
      at offset: Int64
    ) throws(AudioFileStreamError) -> AudioStreamBasicDescription {
      let most: UInt32?
      switch tag {
      case 0x02: most = adpcmFrames(headerBytes: 7, framesInHeader: 2, codeGroupBytes: 1)
      case 0x11:
        let groupBytes = validBits == 4 ? 4 * channels : 1
        most = adpcmFrames(headerBytes: 4, framesInHeader: 1, codeGroupBytes: groupBytes)
      // A block is two joined frames of GSM 06.10, whose 33 bytes lack four bits each.
      default: most = channels == 1 && blockBytes % 65 == 0 ? blockBytes / 65 * 320 : nil
      }
      guard let most else { throw nonsense(at: offset) }
      let isCounted = tag != 0x31 && validBits == 4
      let stated = framesPerBlock.flatMap { $0 > 0 && $0 <= most && !isCounted ? $0 : nil }
      return AudioStreamBasicDescription(
        sampleRate: Double(sampleRate), formatID: AudioFormatID(waveFormatTag: tag),
        bytesPerPacket: blockBytes, framesPerPacket: stated ?? most, channelsPerFrame: channels)
    }

    /// Returns the frames of a block: a header with the first samples of each channel, then whole
    /// groups of codes.
    private func adpcmFrames(
      headerBytes: UInt32, framesInHeader: UInt32, codeGroupBytes: UInt32
    ) -> UInt32? {
      guard (2...5).contains(validBits), blockBytes >= headerBytes * channels else { return nil }
      let codeBytes = blockBytes - headerBytes * channels
      return (codeBytes - codeBytes % codeGroupBytes) * 8 / (validBits * channels) + framesInHeader
    }

    private func nonsense(at offset: Int64) -> AudioFileStreamError {
      AudioFileStreamError(
        .invalidFile, at: offset,
        "the WAVE format makes no sense: \(name) with \(channels) channels, \(sampleRate) Hz, "
          + "\(blockBytes) bytes a block")
    }

    private var name: String {
      switch tag {
      case 0x01, 0x03: "linear PCM"
      case 0x02, 0x11, 0x31: AudioFormatID(waveFormatTag: tag).name
      case 0x06: AudioFormatID.aLaw.name
      case 0x07: AudioFormatID.muLaw.name
      case 0x08: "DTS"
      case 0x22: "TrueSpeech"
      case 0x40, 0x64, 0x14, 0x45: "ADPCM of the ITU-T (format tag \(tag))"
      case 0x92: "AC-3 in S/PDIF frames"
      case 0xFF, 0x1600, 0x1601, 0x1602, 0x1610, 0x706D, 0xA106: "AAC"
      case 0x160, 0x161, 0x162, 0x163: "Windows Media Audio"
      case 0x2000: "AC-3"
      case 0x674F...0x6771: "Vorbis"
      case 0x704F: "Opus"
      case 0xF1AC: "FLAC"
      default: "an encoding with the number \(tag)"
      }
    }
  }
}

extension AudioStreamBasicDescription {
  /// A-law or mu-law: eight bits a sample, a frame a packet.
  static func g711(
    _ formatID: AudioFormatID, sampleRate: Double, channels: UInt32
  ) -> AudioStreamBasicDescription {
    AudioStreamBasicDescription(
      sampleRate: sampleRate, formatID: formatID, bytesPerPacket: channels, framesPerPacket: 1,
      bytesPerFrame: channels, channelsPerFrame: channels, bitsPerChannel: 8)
  }
}
