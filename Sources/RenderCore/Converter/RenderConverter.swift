// SPDX-License-Identifier: MIT

public import AudioModel

/// A converter for a render callback, which must not allocate or wait: Core Audio's AudioConverter with its fill
/// callback. It decodes one stream's packets, resamples them if the rates differ, and maps their channels to those of
/// the output.
///
/// Create and destroy it off the render thread, which takes milliseconds and allocates. One thread at a time fills
/// it, which may be the render thread. It supports the encodings that are decoded in the callback.
@safe
public struct RenderConverter: ~Copyable, @unchecked Sendable {
  /// The answer of a fill callback that is asked for a packet, one of three distinct cases.
  @safe
  public enum Answer {
    /// One packet, or for linear PCM a run of at most 1024 frames, and the number of frames it decodes to. Its bytes
    /// stay at their address, unchanged, until the callback is called again or the converter is no longer used.
    case packet(UnsafeRawBufferPointer, frameCount: Int)
    /// No packet now, for a reason that the caller defines. It is returned as ``Status/stopped(_:)``, and the next
    /// fill asks again.
    case status(Int32)
    /// No more packets. The callback is not called again.
    case endOfStream
  }

  /// The reason why a fill ended.
  public enum Status: Hashable, Sendable {
    /// All requested frames were written.
    case complete
    /// The callback answered with this status.
    case stopped(Int32)
    /// All sound was written, including the resampler's remainder.
    case endOfStream
  }

  /// The result of one fill.
  public struct Fill: Hashable, Sendable {
    /// Frames written, whatever the status.
    public let frameCount: Int
    /// The reason why the fill ended.
    public let status: Status

    @_noLocks
    init(_ frameCount: Int, _ status: Status) {
      self.frameCount = frameCount
      self.status = status
    }
  }

  private let converter: UnsafeMutablePointer<StreamConverter>

  /// Makes a converter of a stream to an output's frames. Core Audio's `AudioConverterNew`.
  ///
  /// - Parameters:
  ///   - source: a format that is decoded in the callback.
  ///   - firstPacket: the packet that will be filled in first; a decoder may use it to set itself up.
  ///   - sampleRate: the output's frames per second.
  ///   - channels: number of output buffers.
  ///   - quality: the quality of resampling, if the rates differ.
  /// - Throws: ``AudioConverterError`` if the format cannot be converted.
  public init(
    decoding source: CodedStreamDescription, firstPacket: UnsafeRawBufferPointer,
    sampleRate: Double, channels: Int, quality: ResamplerQuality = .good
  ) throws(AudioConverterError) {
    guard Renderer.sampleRates.contains(sampleRate) else {
      throw .sampleRateNotSupported(
        input: source.format.sampleRate, output: sampleRate, "no output has this rate")
    }
    let configuration = StreamConverter.Configuration(
      streamID: 0, stream: source, outputRate: Int(sampleRate.rounded()),
      outputChannels: channels, quality: quality)
    unsafe converter = try StreamConverter.make(configuration, firstPacket: firstPacket)
  }

  deinit {
    unsafe StreamConverter.destroy(converter)
  }

  /// Packets that could not be decoded so far; silence, or the decoder's concealment, replaced them.
  public var failedPacketCount: UInt64 {
    @_noLocks get { unsafe converter.pointee.failedPacketCount }
  }

  /// Fills the outputs with `frameCount` frames, or with as many as there are. Core Audio's
  /// `AudioConverterFillComplexBuffer`.
  ///
  /// No packet of the callback is lost: the next fill continues where this one stopped.
  ///
  /// Real-time: wait-free, apart from the callback. The work is bounded by the frames, plus one packet's decode, if
  /// every packet has frames: an empty packet is followed by the next at once.
  ///
  /// - Parameters:
  ///   - outputs: one buffer for each channel, with room for the frames.
  ///   - frameCount: frames wanted.
  ///   - input: the fill callback, which is called inside this call, for one packet at a time and only when it is
  ///     needed. It must not touch this converter. The compiler refuses a closure that may lock or allocate.
  /// - Returns: the number of frames written, and the reason for the end. The rest of the buffers is not touched.
  @_noLocks
  public mutating func fill(
    _ outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int,
    from input: () -> Answer
  ) -> Fill {
    var given = 0
    while given < frameCount {
      if unsafe converter.pointee.hasEnded {
        given += unsafe converter.pointee.drain(
          outputs, offset: given, frameCount: frameCount - given)
        return Fill(given, given < frameCount ? .endOfStream : .complete)
      }
      if unsafe !converter.pointee.needsPacket {
        given += unsafe converter.pointee.convert(
          into: outputs, offset: given, frameCount: frameCount - given)
        continue
      }
      switch input() {
      case .packet(let bytes, let frames):
        // Empty bytes mean a lost packet: nothing is read, and silence is output.
        let start = unsafe bytes.baseAddress ?? UnsafeRawPointer(converter)
        _ = unsafe converter.pointee.decode(
          FilledPacket(
            bytes: start, byteCount: bytes.count,
            frameCount: min(max(0, frames), Int(Int32.max)), trimStartFrames: 0, trimEndFrames: 0))
      case .status(let status): return Fill(given, .stopped(status))
      case .endOfStream: unsafe converter.pointee.hasEnded = true
      }
    }
    return Fill(given, .complete)
  }
}
