// SPDX-License-Identifier: MIT

internal import AudioModel
internal import CRealtimeScope

/// A render callback whose frames have a format of their own, and the converter of these frames to the output's: the
/// stream format of a Remote IO unit's output element, with the converter behind it.
///
/// It lives at a fixed address, which is the context of ``renderFormatted(_:_:)``.
@safe
struct FormattedCallback: ~Copyable {
  private let function: drawbar_render_callback
  private let context: UnsafeMutableRawPointer?
  let converter: UnsafeMutablePointer<StreamConverter>
  private let bytesPerFrame: Int
  private let channels: Int
  /// Whether the callback has a buffer of floats for each channel, instead of one for all.
  private let isPlanar: Bool
  /// The frames in the converter's layout: interleaved.
  private let frames: UnsafeMutableRawPointer
  /// The callback's buffers: `frames`, or a part of `planes` for each channel.
  private let buffers: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  private let planes: UnsafeMutablePointer<Float>
  /// Frames that the callback has written: its sample time.
  private var frameTime: UInt32 = 0
  /// The output's frames until all of these have been output and have rung out.
  private var framesUntilSilence = 0

  init(
    _ function: @escaping Renderer.Callback, context: UnsafeMutableRawPointer?,
    format: AudioStreamBasicDescription, outputRate: Int, outputChannels: Int,
    quality: ResamplerQuality
  ) throws(AudioConverterError) {
    guard format.formatID == .linearPCM, format.formatFlags.isSuperset(of: .packed),
      !format.formatFlags.isDisjoint(with: [.float, .signedInteger])
    else {
      throw .formatNotSupported("a render callback's format other than packed, signed linear PCM")
    }
    // All failing steps come before anything is stored.
    let isPlanar = format.formatFlags.contains(.nonInterleaved)
    var read = format
    if isPlanar {
      guard format.formatFlags.contains(.float), format.bitsPerChannel == 32 else {
        throw .formatNotSupported(
          "a render callback's format with one buffer a channel that are not 32-bit floats")
      }
      read = .linearPCM(
        sampleRate: format.sampleRate, channels: format.channelsPerFrame, bitsPerChannel: 32,
        flags: format.formatFlags.subtracting(.nonInterleaved))
    }
    let nothing = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    unsafe converter = try StreamConverter.make(
      StreamConverter.Configuration(
        streamID: 0, stream: CodedStreamDescription(format: read), outputRate: outputRate,
        outputChannels: outputChannels, quality: quality), firstPacket: nothing)
    self.isPlanar = isPlanar
    channels = Int(format.channelsPerFrame)
    unsafe self.function = unsafe function
    unsafe self.context = context
    bytesPerFrame = Int(read.bytesPerFrame)
    let room = LinearPCMDecoder.maximumFramesPerRun
    unsafe frames = .allocate(byteCount: room * bytesPerFrame, alignment: 16)
    unsafe frames.initializeMemory(as: UInt8.self, repeating: 0, count: room * bytesPerFrame)
    unsafe planes = .allocate(capacity: room * channels)
    unsafe planes.initialize(repeating: 0, count: room * channels)
    unsafe buffers = .allocate(capacity: channels)
    unsafe buffers.initialize(repeating: planes, count: channels)
  }

  deinit {
    unsafe StreamConverter.destroy(converter)
    unsafe frames.deallocate()
    unsafe planes.deallocate()
    unsafe buffers.deallocate()
  }

  /// Fills a cycle's outputs, with as many calls of the callback as needed.
  ///
  /// - Returns: the callback's status.
  @_noLocks
  mutating func render(_ call: UnsafeMutablePointer<RenderCall>) -> Int32 {
    if unsafe converter.pointee.takeOfferedChange() != nil {
      framesUntilSilence = unsafe converter.pointee.framesUntilSilence
    }
    let wanted = unsafe call.pointee.frameCount
    let outputs = unsafe UnsafeMutableBufferPointer(
      start: call.pointee.outputs, count: call.pointee.outputCount)
    var given = 0
    var hasMore = true
    while given < wanted {
      if unsafe hasMore && converter.pointee.decodedFrames == 0 {
        let asked = frameCount(for: wanted - given)
        let answer = unsafe pull(asked, call)
        if answer.status != 0 { return answer.status }
        hasMore = answer.frames == asked
        if answer.frames > 0 {
          decode(answer.frames)
          framesUntilSilence = unsafe converter.pointee.framesUntilSilence
        }
      }
      if unsafe !hasMore && converter.pointee.decodedFrames == 0 {
        if framesUntilSilence <= 0 { break }
        // Missing frames become silence, which pushes out the converter's remainder.
        if unsafe converter.pointee.needsPacket { decodeSilence(frameCount(for: wanted - given)) }
      }
      let count = unsafe converter.pointee.convert(
        into: outputs, offset: given, frameCount: wanted - given)
      given += count
      framesUntilSilence -= count
    }
    unsafe call.pointee.frameCount = given
    return 0
  }

  /// Passes the first `count` of `frames` to the converter.
  @_noLocks
  private func decode(_ count: Int) {
    _ = unsafe converter.pointee.decode(
      FilledPacket(
        bytes: UnsafeRawPointer(frames), byteCount: count * bytesPerFrame, frameCount: count,
        trimStartFrames: 0, trimEndFrames: 0))
  }

  @_noLocks
  private func decodeSilence(_ count: Int) {
    unsafe frames.initializeMemory(as: UInt8.self, repeating: 0, count: count * bytesPerFrame)
    decode(count)
  }

  /// Returns the number of frames for this number of the output's, at most those of one run.
  @_noLocks
  private func frameCount(for outputFrames: Int) -> Int {
    let (rate, outputRate) = unsafe (converter.pointee.inputRate, converter.pointee.outputRate)
    let count = (outputFrames * rate + outputRate - 1) / outputRate
    return min(max(1, count), LinearPCMDecoder.maximumFramesPerRun)
  }

  /// Calls the callback for frames, and stores them in `frames`.
  @_noLocks
  private mutating func pull(
    _ count: Int, _ cycle: UnsafeMutablePointer<RenderCall>
  ) -> (frames: Int, status: Int32) {
    let bufferCount = isPlanar ? channels : 1
    unsafe frames.initializeMemory(as: UInt8.self, repeating: 0, count: count * bytesPerFrame)
    if isPlanar {
      for channel in 0..<channels {
        unsafe buffers[channel] = planes + channel * LinearPCMDecoder.maximumFramesPerRun
        unsafe buffers[channel].update(repeating: 0, count: count)
      }
    } else {
      unsafe buffers[0] = frames.assumingMemoryBound(to: Float.self)
    }
    var call = unsafe RenderCall(
      inputs: cycle.pointee.inputs, inputCount: 0, outputs: buffers, outputCount: bufferCount,
      frameCount: count, frameTime: frameTime, isSilent: false,
      hostNanoseconds: cycle.pointee.hostNanoseconds)
    let status = unsafe drawbar_call_render(function, context, &call)
    if status != 0 { return (0, status) }
    let given = unsafe max(0, min(call.frameCount, count))
    frameTime &+= UInt32(given)
    let isSilent = unsafe call.isSilent || call.outputCount <= 0
    if isSilent {
      unsafe frames.initializeMemory(as: UInt8.self, repeating: 0, count: given * bytesPerFrame)
    } else if isPlanar {
      unsafe interleave(given, min(call.outputCount, channels))
    } else if unsafe UnsafeMutableRawPointer(buffers[0]) != frames {
      // The callback's own memory, which it may change as soon as it is called again.
      unsafe frames.copyMemory(from: buffers[0], byteCount: given * bytesPerFrame)
    }
    return (given, 0)
  }

  @_noLocks
  private func interleave(_ count: Int, _ given: Int) {
    let samples = unsafe frames.assumingMemoryBound(to: Float.self)
    for channel in 0..<given {
      let plane = unsafe buffers[channel]
      for frame in 0..<count { unsafe samples[frame &* channels &+ channel] = plane[frame] }
    }
  }
}

/// The function that each cycle calls for a callback with its own format.
@_noLocks
func renderFormatted(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let callback = unsafe context?.assumingMemoryBound(to: FormattedCallback.self) else {
    return -1
  }
  return unsafe callback.pointee.render(call)
}
