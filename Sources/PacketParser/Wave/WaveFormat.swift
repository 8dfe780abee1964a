// SPDX-License-Identifier: MIT

import AudioModel

/// The `fmt ` chunk of a WAVE file (Microsoft's WAVEFORMAT, WAVEFORMATEX and WAVEFORMATEXTENSIBLE).
struct WaveFormat {
  /// Bytes of the longest form.
  static let maximumBytes = 40

  let dataFormat: AudioStreamBasicDescription
  /// Nil when the file does not say.
  let channelLayout: AudioChannelBitmap?

  /// Reads a chunk's content that lies at stream offset `offset`.
  init(_ chunk: Span<UInt8>, at offset: Int64) throws(AudioFileStreamError) {
    guard chunk.count >= 16 else {
      throw AudioFileStreamError(
        .invalidFile, at: offset, "the WAVE format chunk has \(chunk.count) bytes, fewer than 16")
    }
    var tag = chunk.littleEndian16(at: 0)
    let channels = UInt32(chunk.littleEndian16(at: 2))
    let sampleRate = chunk.littleEndian32(at: 4)
    let bytesPerFrame = UInt32(chunk.littleEndian16(at: 12))
    var validBits = UInt32(chunk.littleEndian16(at: 14))
    var layout: AudioChannelBitmap? = channels <= 2 ? .standard(channels: channels) : nil
    if tag == 0xFFFE {
      guard chunk.count >= 40, chunk.littleEndian16(at: 16) >= 22, Self.hasBaseGUID(chunk) else {
        throw AudioFileStreamError(
          .unsupportedDataFormat, at: offset,
          "the extensible WAVE format is incomplete or of an unknown kind")
      }
      tag = chunk.littleEndian16(at: 24)
      let statedBits = UInt32(chunk.littleEndian16(at: 18))
      if statedBits > 0 { validBits = statedBits }
      layout = Self.layout(mask: chunk.littleEndian32(at: 20), channels: channels)
    }
    guard tag == 1 || tag == 3 else {
      throw AudioFileStreamError(
        .unsupportedDataFormat, at: offset,
        "the WAVE file holds \(Self.name(tag: tag)), which is not supported: only PCM is")
    }
    guard (1...1024).contains(channels), (1...3_000_000).contains(sampleRate),
      bytesPerFrame > 0, bytesPerFrame % channels == 0
    else {
      throw AudioFileStreamError(
        .invalidFile, at: offset,
        "the WAVE format makes no sense: \(channels) channels, \(sampleRate) Hz, "
          + "\(bytesPerFrame) bytes a frame")
    }
    let bytesPerSample = bytesPerFrame / channels
    let flags = try Self.flags(
      isFloat: tag == 3, bytesPerSample: bytesPerSample, validBits: validBits, at: offset)
    dataFormat = .linearPCM(
      sampleRate: Double(sampleRate), channels: channels, bitsPerChannel: validBits,
      bytesPerSample: bytesPerSample, flags: flags)
    channelLayout = layout
  }

  /// Eight-bit samples are unsigned, longer ones signed; fewer valid bits than the container has
  /// are its high ones.
  private static func flags(
    isFloat: Bool, bytesPerSample: UInt32, validBits: UInt32, at offset: Int64
  ) throws(AudioFileStreamError) -> AudioFormatFlags {
    let containers: ClosedRange<UInt32> = isFloat ? 4...8 : 1...4
    let isFloatSize = bytesPerSample == 4 || bytesPerSample == 8
    guard containers.contains(bytesPerSample), !isFloat || isFloatSize,
      (1...bytesPerSample * 8).contains(validBits), !isFloat || validBits == bytesPerSample * 8
    else {
      throw AudioFileStreamError(
        .unsupportedDataFormat, at: offset,
        "WAVE samples of \(validBits) bits in \(bytesPerSample) bytes are not supported")
    }
    if isFloat { return [.float, .packed] }
    let sign: AudioFormatFlags = bytesPerSample == 1 ? [] : .signedInteger
    return sign.union(validBits == bytesPerSample * 8 ? .packed : .alignedHigh)
  }

  /// KSDATAFORMAT_SUBTYPE_…: the format tag, then these fourteen bytes.
  private static func hasBaseGUID(_ chunk: Span<UInt8>) -> Bool {
    let base: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    for index in 0..<base.count where chunk[26 + index] != base[index] { return false }
    return true
  }

  /// The lowest positions of the mask, one for each channel; nil if there are too few.
  private static func layout(mask: UInt32, channels: UInt32) -> AudioChannelBitmap? {
    guard mask.nonzeroBitCount >= channels else { return nil }
    var kept = mask
    while kept.nonzeroBitCount > channels {
      kept &= ~(UInt32(1) << UInt32(31 - kept.leadingZeroBitCount))
    }
    return AudioChannelBitmap(rawValue: kept)
  }

  /// Encodings by their registered tag (RFC 2361).
  private static func name(tag: UInt16) -> String {
    switch tag {
    case 0x02: "Microsoft ADPCM"
    case 0x06: "A-law"
    case 0x07: "mu-law"
    case 0x11: "IMA ADPCM"
    case 0x31: "GSM 6.10"
    case 0x50: "MPEG layer I or II"
    case 0x55: "MP3"
    case 0xFF, 0x1600, 0x1610: "AAC"
    case 0x161, 0x162, 0x163: "Windows Media Audio"
    case 0x2000: "AC-3"
    default: "an encoding with the number \(tag)"
    }
  }
}
