// SPDX-License-Identifier: MIT

import AudioModel

/// The audio description chunk of a Core Audio Format file (Apple's specification 1.0, "Audio
/// Description Chunk").
struct CoreAudioDescription {
  /// Bytes of the chunk.
  static let byteCount = 32
  /// A limit above the frames of any packet.
  static let maximumFramesPerPacket: UInt32 = 1 << 20

  let dataFormat: AudioStreamBasicDescription

  /// Reads the content of a chunk at stream offset `offset`.
  init(_ chunk: Span<UInt8>, at offset: Int64) throws(AudioFileStreamError) {
    let sampleRate = Double(bitPattern: chunk.bigEndian64(at: 0))
    let formatID = AudioFormatID(rawValue: FourCharacterCode(rawValue: chunk.bigEndian32(at: 8)))
    let flags = chunk.bigEndian32(at: 12)
    let bytesPerPacket = chunk.bigEndian32(at: 16)
    let framesPerPacket = chunk.bigEndian32(at: 20)
    let channels = chunk.bigEndian32(at: 24)
    let bits = chunk.bigEndian32(at: 28)
    guard sampleRate >= 1, sampleRate <= 3_000_000, (1...1024).contains(channels),
      bytesPerPacket <= UInt32(CoreAudioPacketTable.maximumPacketBytes),
      framesPerPacket <= Self.maximumFramesPerPacket, bits <= 1024
    else {
      throw AudioFileStreamError(
        .invalidFile, at: offset,
        "the Core Audio Format file's description makes no sense: \(channels) channels, "
          + "\(sampleRate) Hz, \(bytesPerPacket) bytes and \(framesPerPacket) frames a packet")
    }
    if formatID == .linearPCM {
      dataFormat = try Self.linearPCM(
        sampleRate: sampleRate, channels: channels, bits: bits, flags: flags,
        bytesPerPacket: bytesPerPacket, framesPerPacket: framesPerPacket, at: offset)
    } else {
      dataFormat = AudioStreamBasicDescription(
        sampleRate: sampleRate, formatID: formatID,
        formatFlags: AudioFormatFlags(rawValue: flags), bytesPerPacket: bytesPerPacket,
        framesPerPacket: framesPerPacket,
        bytesPerFrame: framesPerPacket == 1 ? bytesPerPacket : 0, channelsPerFrame: channels,
        bitsPerChannel: bits)
    }
  }

  /// Converts the file's two flags: 1 for float, and 2 for little-endian where the stream description
  /// has big-endian. Integers are signed, also those of eight bits. If a sample has fewer bits than its
  /// bytes hold, it occupies the high bits.
  private static func linearPCM(
    sampleRate: Double, channels: UInt32, bits: UInt32, flags: UInt32, bytesPerPacket: UInt32,
    framesPerPacket: UInt32, at offset: Int64
  ) throws(AudioFileStreamError) -> AudioStreamBasicDescription {
    let isFloat = flags & 1 != 0
    let bytesPerSample = bytesPerPacket / channels
    let isWhole = framesPerPacket == 1 && bytesPerPacket % channels == 0
    let isSize =
      isFloat
      ? (bytesPerSample == 4 || bytesPerSample == 8) && bits == bytesPerSample * 8
      : (1...4).contains(bytesPerSample) && (1...bytesPerSample * 8).contains(bits)
    guard isWhole, isSize else {
      throw AudioFileStreamError(
        .unsupportedDataFormat, at: offset,
        "linear PCM samples of \(bits) bits, \(framesPerPacket) frames in \(bytesPerPacket) bytes, "
          + "are not supported")
    }
    var result: AudioFormatFlags = isFloat ? .float : .signedInteger
    if flags & 2 == 0, bytesPerSample > 1 { result.insert(.bigEndian) }
    result.insert(bits == bytesPerSample * 8 ? .packed : .alignedHigh)
    return .linearPCM(
      sampleRate: sampleRate, channels: channels, bitsPerChannel: bits,
      bytesPerSample: bytesPerSample, flags: result)
  }

  /// Lists the formats of HE-AAC, which can also be decoded without its extensions: at half the rate
  /// and, where parametric stereo makes two channels from one, with one channel. Empty for encodings
  /// with a single form.
  static func formatList(_ format: AudioStreamBasicDescription) -> [AudioFormatListItem] {
    let isHE = format.formatID == .mpeg4HEAAC || format.formatID == .mpeg4HEAACv2
    guard isHE, format.framesPerPacket % 2 == 0, format.framesPerPacket > 0 else { return [] }
    var formats = [format]
    var plain = format
    if format.formatID == .mpeg4HEAACv2 {
      plain.formatID = .mpeg4HEAAC
      plain.channelsPerFrame = 1
      formats.append(plain)
    }
    plain.formatID = .mpeg4AAC
    plain.sampleRate /= 2
    plain.framesPerPacket /= 2
    formats.append(plain)
    return formats.map { AudioFormatListItem(format: $0) }
  }
}
