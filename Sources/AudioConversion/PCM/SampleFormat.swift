// SPDX-License-Identifier: MIT

internal import AudioModel

/// The memory layout of linear PCM samples.
///
/// Every integer is handled as if it filled the high bits of 32, so that one scale serves for all
/// widths and the sign is the sample's.
struct SampleFormat: Hashable {
  enum Kind: Hashable {
    case float32, float64, signedInteger, unsignedInteger
  }

  let kind: Kind
  /// Bytes of one sample, padding included.
  let byteCount: Int
  /// Bits of one integer sample, in the high bits of its bytes.
  let bitCount: Int
  let isBigEndian: Bool
  let channels: Int
  let isInterleaved: Bool
  /// Bits after the binary point of an integer; one less than all bits, except in fixed-point formats.
  let fractionBits: Int

  /// The number of buffers that hold the channels.
  var planes: Int { isInterleaved ? 1 : channels }
  /// Bytes from one frame to the next in one buffer.
  var bytesPerFrame: Int { isInterleaved ? byteCount * channels : byteCount }

  /// Parses a description, whose fields may be 0 if others determine them.
  ///
  /// - Throws: `'fmt?'` for anything but floats of 32 or 64 bits, signed integers of up to 32 bits in their
  ///   fewest bytes or in the high bits of more, and unsigned integers of one byte.
  init(_ format: AudioStreamBasicDescription) throws(AudioConversionError) {
    let flags = format.formatFlags
    let channels = Int(format.channelsPerFrame)
    let bits = Int(format.bitsPerChannel)
    guard (1...1024).contains(channels), (1...64).contains(bits) else {
      throw Self.refusal(format)
    }
    let isInterleaved = !flags.contains(.nonInterleaved)
    let divisor = isInterleaved ? channels : 1
    let byteCount =
      format.bytesPerFrame == 0 ? (bits + 7) / 8 : Int(format.bytesPerFrame) / divisor
    guard format.bytesPerFrame == 0 || Int(format.bytesPerFrame) == byteCount * divisor,
      format.framesPerPacket <= 1,
      format.bytesPerPacket == 0 || Int(format.bytesPerPacket) == byteCount * divisor
    else { throw Self.refusal(format) }
    let isFloat = flags.contains(.float)
    // Bits 7 to 12 of the flags: the number of bits after the binary point of a fixed-point number.
    let fraction = Int(flags.rawValue >> 7 & 0x3F)
    if isFloat {
      guard bits == 8 * byteCount, byteCount == 4 || byteCount == 8 else {
        throw Self.refusal(format)
      }
      kind = byteCount == 4 ? .float32 : .float64
    } else {
      // Samples in the low bits are not supported, nor are unsigned ones of more than a byte.
      guard (1...4).contains(byteCount), bits <= 8 * byteCount, fraction < bits,
        bits == 8 * byteCount || flags.contains(.alignedHigh),
        flags.contains(.signedInteger) || (byteCount == 1 && fraction == 0)
      else { throw Self.refusal(format) }
      kind = flags.contains(.signedInteger) ? .signedInteger : .unsignedInteger
    }
    self.byteCount = byteCount
    bitCount = bits
    isBigEndian = flags.contains(.bigEndian) && byteCount > 1
    self.channels = channels
    self.isInterleaved = isInterleaved
    fractionBits = fraction > 0 ? fraction : bits - 1
  }

  /// Returns the description with every field that follows from the others.
  func completed(_ format: AudioStreamBasicDescription) -> AudioStreamBasicDescription {
    var result = format
    result.framesPerPacket = 1
    result.bytesPerFrame = UInt32(bytesPerFrame)
    result.bytesPerPacket = UInt32(bytesPerFrame)
    if bitCount == 8 * byteCount { result.formatFlags.insert(.packed) }
    return result
  }

  private static func refusal(_ format: AudioStreamBasicDescription) -> AudioConversionError {
    AudioConversionError(
      .formatNotSupported,
      "linear PCM of \(format.bitsPerChannel) bits in \(format.bytesPerFrame) bytes a frame of "
        + "\(format.channelsPerFrame) channels, flags \(format.formatFlags.rawValue), is not supported"
    )
  }
}
