// SPDX-License-Identifier: MIT

import AudioModel

/// The `COMM` chunk of an AIFF or AIFF-C file (Apple's "Audio Interchange File Format: AIFF-C", 1991).
struct AIFFCommonChunk {
  /// Bytes that are read; the encoding's name follows them.
  static let maximumBytes = 22

  let dataFormat: AudioStreamBasicDescription
  /// The chunk's `numSampleFrames`, which counts packets; 0 if the program that wrote the file did not
  /// know it.
  let packetCount: UInt32

  /// Reads the content of a chunk at stream offset `offset`.
  init(
    _ chunk: Span<UInt8>, isAIFFC: Bool, at offset: Int64
  ) throws(AudioFileStreamError) {
    let wanted = isAIFFC ? Self.maximumBytes : 18
    guard chunk.count >= wanted else {
      throw AudioFileStreamError(
        .invalidFile, at: offset,
        "the AIFF file's COMM chunk has \(chunk.count) bytes, fewer than \(wanted)")
    }
    let channels = UInt32(chunk.bigEndian16(at: 0))
    packetCount = chunk.bigEndian32(at: 2)
    let bits = UInt32(chunk.bigEndian16(at: 6))
    let sampleRate = ExtendedFloat.value(chunk, at: 8) ?? 0
    let encoding = isAIFFC ? Self.identifier(chunk, at: 18) : "NONE"
    guard (1...1024).contains(channels), sampleRate >= 1, sampleRate <= 3_000_000 else {
      throw AudioFileStreamError(
        .invalidFile, at: offset,
        "the AIFF format makes no sense: \(channels) channels, \(sampleRate) Hz, \(bits) bits")
    }
    guard
      let format = Self.format(encoding, sampleRate: sampleRate, channels: channels, bits: bits)
    else {
      throw AudioFileStreamError(
        .unsupportedDataFormat, at: offset,
        "the AIFF file holds \(Self.name(encoding)) with \(channels) channels of \(bits) bits, "
          + "which is not supported: convert it to linear PCM first")
    }
    dataFormat = format
  }

  /// Four characters, or hexadecimal if one of them is not printable.
  private static func identifier(_ chunk: Span<UInt8>, at offset: Int) -> String {
    ChunkText.identifier(chunk, at: offset)
      ?? "\\x" + String(chunk.bigEndian32(at: offset), radix: 16, uppercase: true)
  }

  /// The format of a compression type; nil if unknown.
  private static func format(
    _ encoding: String, sampleRate: Double, channels: UInt32, bits: UInt32
  ) -> AudioStreamBasicDescription? {
    func linear(_ bits: UInt32, _ flags: AudioFormatFlags) -> AudioStreamBasicDescription? {
      guard (1...32).contains(bits) || flags.contains(.float) else { return nil }
      let isPacked = bits % 8 == 0
      return .linearPCM(
        sampleRate: sampleRate, channels: channels, bitsPerChannel: bits,
        flags: flags.union(isPacked ? .packed : .alignedHigh))
    }
    func blocks(_ id: AudioFormatID, bytes: UInt32, frames: UInt32) -> AudioStreamBasicDescription {
      AudioStreamBasicDescription(
        sampleRate: sampleRate, formatID: id, bytesPerPacket: bytes * channels,
        framesPerPacket: frames, channelsPerFrame: channels)
    }
    let big: AudioFormatFlags = bits > 8 ? [.signedInteger, .bigEndian] : .signedInteger
    switch encoding {
    // A sample occupies the high bits of the fewest bytes that hold it.
    case "NONE", "twos": return linear(bits, big)
    case "sowt": return linear(bits, .signedInteger)
    case "raw ": return bits <= 8 ? linear(bits, []) : nil
    case "in24": return linear(24, [.signedInteger, .bigEndian])
    case "in32": return linear(32, [.signedInteger, .bigEndian])
    // libsndfile writes the digit 1.
    case "42ni", "42n1": return linear(24, .signedInteger)
    case "23ni", "23n1": return linear(32, .signedInteger)
    case "fl32", "FL32": return linear(32, [.float, .bigEndian])
    case "fl64", "FL64": return linear(64, [.float, .bigEndian])
    case "ulaw", "ULAW": return .g711(.muLaw, sampleRate: sampleRate, channels: channels)
    case "alaw", "ALAW": return .g711(.aLaw, sampleRate: sampleRate, channels: channels)
    case "ima4": return blocks(.appleIMA4, bytes: 34, frames: 64)
    case "GSM ": return channels == 1 ? blocks(.gsm, bytes: 33, frames: 160) : nil
    default: return nil
    }
  }

  private static func name(_ encoding: String) -> String {
    switch encoding {
    case "NONE", "twos", "sowt", "raw ": "linear PCM ('\(encoding)')"
    case "GSM ": AudioFormatID.gsm.name
    case "MAC3", "MAC6": "MACE ('\(encoding)')"
    case "DWVW", "dwvw": "DWVW ('\(encoding)')"
    case "QDM2", "QDMC": "QDesign Music ('\(encoding)')"
    case "Qclp": "QUALCOMM PureVoice ('\(encoding)')"
    case "G722", "G726", "G728": "ITU-T G.\(encoding.dropFirst()) ('\(encoding)')"
    default: "the encoding '\(encoding)'"
    }
  }
}
