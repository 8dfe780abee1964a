// SPDX-License-Identifier: MIT

internal import AudioModel

extension AudioConverter {
  /// The most bytes that a packet of the input can have; where the encoding sets no bound, a generous
  /// guess. `'xips'`
  public var maximumInputPacketSize: Int {
    let channels = Int(inputFormat.channelsPerFrame)
    let frames = max(Int(inputFormat.framesPerPacket), 4096)
    if inputFormat.bytesPerPacket > 0 { return Int(inputFormat.bytesPerPacket) }
    switch inputFormat.formatID {
    // Layer II at 384 kbit/s and 32 kHz, padded; a free-format frame has its size and padding.
    case .mpegLayer1, .mpegLayer2, .mpegLayer3:
      return stream.freeFormatFrameByteCount.map { $0 + 4 } ?? 1729
    // 6144 bits a channel (ISO/IEC 14496-3, 4.5.3.1).
    case .mpeg4AAC, .mpeg4HEAAC, .mpeg4HEAACv2: return 768 * channels
    case .opus: return 1275 * 48 * max(1, (channels + 1) / 2)
    // Uncompressed samples and a header.
    default: return frames * channels * 4 + 1024
    }
  }

  /// Bytes of an output packet. `'xops'`
  public var maximumOutputPacketSize: Int { Int(outputFormat.bytesPerPacket) }

  /// The fewest bytes worth passing: one packet. `'mibs'`
  public var minimumInputBufferSize: Int { maximumInputPacketSize }

  /// The fewest bytes that the output must have room for, in each buffer: one frame. `'mobs'`
  public var minimumOutputBufferSize: Int { maximumOutputPacketSize }

  /// Returns the bytes of input that this many bytes of output, in each buffer, can require; packets of
  /// variable size count with the most that they can have. `'cibs'`
  ///
  /// - Throws: `'otsz'` for a size that is negative or no whole number of frames.
  public func inputBufferSize(forOutputSize byteCount: Int) throws(AudioConversionError) -> Int {
    guard byteCount >= 0, byteCount % outputSamples.bytesPerFrame == 0, byteCount < 1 << 40 else {
      throw AudioConversionError(
        .invalidOutputSize,
        "\(byteCount) bytes are no whole number of frames of \(outputSamples.bytesPerFrame)")
    }
    let frames = byteCount / outputSamples.bytesPerFrame
    let needed =
      ratePlan.map { ($0.inputRate * frames + $0.outputRate - 1) / $0.outputRate } ?? frames
    let framesPerPacket = max(1, Int(inputFormat.framesPerPacket))
    return (needed + framesPerPacket - 1) / framesPerPacket * maximumInputPacketSize
  }

  /// Returns the bytes of output, in each buffer, for this many bytes of input.
  ///
  /// `'cobs'`
  ///
  /// - Throws: `'insz'` for a size that is negative or no whole number of packets, `'op??'` for packets of
  ///   variable size, whose number the bytes do not determine.
  public func outputBufferSize(forInputSize byteCount: Int) throws(AudioConversionError) -> Int {
    guard !inputFormat.needsPacketDescriptions else {
      throw AudioConversionError(
        .operationNotSupported, "packets of variable size do not state their frame counts")
    }
    let bytesPerPacket = Int(inputFormat.bytesPerPacket)
    guard byteCount >= 0, byteCount % bytesPerPacket == 0, byteCount < 1 << 40 else {
      throw AudioConversionError(
        .invalidInputSize,
        "\(byteCount) bytes are no whole number of packets of \(bytesPerPacket)")
    }
    let frames = byteCount / bytesPerPacket * Int(inputFormat.framesPerPacket)
    let given =
      ratePlan.map { ($0.outputRate * frames + $0.inputRate - 1) / $0.inputRate } ?? frames
    return given * outputSamples.bytesPerFrame
  }
}
