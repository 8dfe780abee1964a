// SPDX-License-Identifier: MIT

public import AudioModel

/// A converter for a render callback: Core Audio's AudioConverter with its fill callback, where nothing
/// may allocate or wait. It decodes one stream's packets, resamples them where the rates differ, and maps
/// their channels to those of the output.
///
/// Made and let go of off the render thread, which takes milliseconds and allocates; filled by one thread
/// at a time, which may be the render thread. Of the encodings it has those that are decoded in the
/// callback.
@safe
public struct RenderConverter: ~Copyable, @unchecked Sendable {
  /// What a fill callback answers when it is asked for a packet. They are never confused.
  @safe
  public enum Answer {
    /// One packet, of linear PCM a run of at most 1024 frames; and how many frames it decodes to. Its
    /// bytes stay where they are, unchanged, until the callback is called again, or the converter is
    /// not used any more.
    case packet(UnsafeRawBufferPointer, frameCount: Int)
    /// No packet now, for a reason of the caller's own. It comes back as ``Status/stopped(_:)``, and the
    /// next fill asks again.
    case status(Int32)
    /// No packet ever again. The callback is not called any more.
    case endOfStream
  }

  /// Why a fill ended.
  public enum Status: Hashable, Sendable {
    /// All frames were given.
    case complete
    /// The callback answered with this status.
    case stopped(Int32)
    /// Everything was given, what the resampler held back included.
    case endOfStream
  }

  /// What one fill did.
  public struct Fill: Hashable, Sendable {
    /// Frames given, whatever the status says.
    public let frameCount: Int
    /// Why no more were.
    public let status: Status

    @_noLocks
    init(_ frameCount: Int, _ status: Status) {
      self.frameCount = frameCount
      self.status = status
    }
  }

  private let converter: UnsafeMutablePointer<StreamConverter>

  /// A converter of a stream to an output's frames. Core Audio's `AudioConverterNew`.
  ///
  /// - Parameters:
  ///   - source: a format that is decoded in the callback.
  ///   - firstPacket: the packet that will be filled in first; a decoder may set itself up with it.
  ///   - sampleRate: the output's frames per second.
  ///   - channels: buffers that are filled.
  ///   - quality: how a stream of another rate is resampled.
  /// - Throws: ``AudioConverterError`` when the format cannot be converted.
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

  /// Packets that could not be decoded so far; silence, or the decoder's guess, was given for them.
  public var failedPacketCount: UInt64 {
    @_noLocks get { unsafe converter.pointee.failedPacketCount }
  }

  /// Gives the output so many frames, or as many as there are. Core Audio's
  /// `AudioConverterFillComplexBuffer`.
  ///
  /// What the callback has handed over is never lost: the next fill goes on where this one stopped.
  ///
  /// Real-time: wait-free, apart from what the callback does. The work is bounded by the frames, plus one
  /// packet's decode, where every packet has frames: one that has none is followed by the next at once.
  ///
  /// - Parameters:
  ///   - outputs: one buffer for each channel, with room for the frames.
  ///   - frameCount: frames wanted.
  ///   - input: the fill callback: asked for one packet when, and only when, it is needed, inside this
  ///     call. It must not touch this converter. The compiler refuses a closure that may lock or allocate.
  /// - Returns: how many frames were given, and why no more. The rest of the buffers is not touched.
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
        // One without bytes is a lost packet: nothing is read, and silence is given.
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
