// SPDX-License-Identifier: MIT

internal import AudioModel
internal import CRealtimeScope
internal import Synchronization

/// An input callback whose frames have a format of their own, and the converter of the input's frames to it: the
/// stream format of a Remote IO unit's input element, with the converter before it.
///
/// It lives at a fixed address, which is the context of ``renderFormattedInput(_:_:)``.
@safe
struct FormattedInput: ~Copyable {
  private let function: drawbar_render_callback
  private let context: UnsafeMutableRawPointer?
  private let sampleRate: Int
  private var inputRate: Int
  private var resampler: UnsafeMutablePointer<Resampler>?
  /// A resampler for another input rate: an `UnsafeMutablePointer<ResamplerChange>`, or 0.
  private let offeredChange = Atomic<UInt>(0)
  /// Changes that were taken, to be freed with this.
  private var takenChanges: UnsafeMutablePointer<ResamplerChange>?
  private let map: ChannelMap
  private let encoder: LinearPCMEncoder
  /// Most frames of one call.
  private let room: Int
  /// A run of the inputs' frames, and its frames after resampling: interleaved.
  private let run: UnsafeMutablePointer<Float>
  private let resampled: UnsafeMutablePointer<Float>
  /// Each channel of the format in floats; `frameCount` is the number of frames in it.
  private let planes: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  private var frameCount = 0
  /// The time when the first of them came in.
  private var firstNanoseconds: UInt64 = 0
  /// The same frames in the format, and the callback's buffers in it: one, or one for each channel.
  private let bytes: UnsafeMutableRawPointer
  private let buffers: UnsafeMutableBufferPointer<UnsafePointer<Float>>
  /// Bytes from one sample of a channel to the next, and from one channel's first sample to the next channel's.
  private let sampleStride: Int
  private let channelStride: Int
  /// Frames that the callback has received: its sample time.
  private var frameTime: UInt32 = 0

  init(
    _ function: @escaping Renderer.Callback, context: UnsafeMutableRawPointer?,
    format: AudioStreamBasicDescription, inputRate: Int, inputChannels: Int,
    quality: ResamplerQuality
  ) throws(AudioConverterError) {
    // All failing steps come before anything is stored.
    let encoder = try LinearPCMEncoder(format)
    let channels = Int(format.channelsPerFrame)
    let isPlanar = format.formatFlags.contains(.nonInterleaved)
    guard (1...64).contains(channels), (1...1_000_000).contains(format.sampleRate),
      isPlanar || Int(format.bytesPerFrame) == channels * encoder.bytesPerSample
    else {
      throw .formatNotSupported(
        "\(channels) channels at \(format.sampleRate) Hz, \(format.bytesPerFrame) bytes a frame")
    }
    let sampleRate = Int(format.sampleRate.rounded())
    unsafe resampler = try Self.resampler(
      from: inputRate, to: sampleRate, channels: inputChannels, quality: quality)
    self.encoder = encoder
    self.sampleRate = sampleRate
    self.inputRate = inputRate
    unsafe self.function = unsafe function
    unsafe self.context = context
    map = ChannelMap(inputs: inputChannels, outputs: channels, layout: nil)
    room = Renderer.maximumFramesPerCycle
    unsafe run = Self.samples(Resampler.maximumFramesPerCall * inputChannels)
    unsafe resampled = Self.samples(Resampler.maximumFramesPerCall * inputChannels)
    unsafe planes = .allocate(capacity: channels)
    for channel in 0..<channels {
      unsafe planes.initializeElement(at: channel, to: Self.samples(room))
    }
    let byteCount = room * channels * encoder.bytesPerSample
    unsafe bytes = .allocate(byteCount: byteCount, alignment: 16)
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    sampleStride = encoder.bytesPerSample * (isPlanar ? 1 : channels)
    channelStride = encoder.bytesPerSample * (isPlanar ? room : 1)
    unsafe buffers = .allocate(capacity: isPlanar ? channels : 1)
    for buffer in unsafe 0..<buffers.count {
      let start = unsafe bytes + buffer * channelStride
      unsafe buffers.initializeElement(
        at: buffer, to: UnsafePointer(start.assumingMemoryBound(to: Float.self)))
    }
  }

  deinit {
    unsafe resampler?.destroy()
    unsafe ResamplerChange.free(in: offeredChange, taken: takenChanges)
    unsafe run.deallocate()
    unsafe resampled.deallocate()
    for channel in unsafe 0..<planes.count { unsafe planes[channel].deallocate() }
    unsafe planes.deallocate()
    unsafe bytes.deallocate()
    unsafe buffers.deallocate()
  }

  private static func samples(_ count: Int) -> UnsafeMutablePointer<Float> {
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: count)
    unsafe samples.initialize(repeating: 0, count: count)
    return unsafe samples
  }

  /// Returns a resampler; nil if none is needed.
  private static func resampler(
    from inputRate: Int, to sampleRate: Int, channels: Int, quality: ResamplerQuality
  ) throws(AudioConverterError) -> UnsafeMutablePointer<Resampler>? {
    if inputRate == sampleRate { return nil }
    return unsafe .allocating(
      try Resampler(
        inputRate: inputRate, outputRate: sampleRate, channels: channels, quality: quality))
  }

  /// Changes the input rate from the next cycle on. Any thread but the render thread.
  ///
  /// - Throws: `sampleRateNotSupported`; then nothing has changed.
  static func offer(
    inputRate: Int, quality: ResamplerQuality, to input: UnsafeMutablePointer<FormattedInput>
  ) throws(AudioConverterError) {
    let resampler = unsafe try Self.resampler(
      from: inputRate, to: input.pointee.sampleRate, channels: input.pointee.map.inputs,
      quality: quality)
    unsafe ResamplerChange.offer(
      ResamplerChange(rendererRate: inputRate, resampler: resampler),
      in: input.pointee.offeredChange)
  }

  /// Changes to another input rate, after the old resampler's remainder has been delivered.
  ///
  /// - Returns: the callback's status.
  @_noLocks
  private mutating func takeOfferedChange(_ cycle: UnsafeMutablePointer<RenderCall>) -> Int32 {
    guard let change = unsafe ResamplerChange.take(from: offeredChange) else { return 0 }
    let old = unsafe resampler
    let status = unsafe drain(cycle)
    unsafe resampler = change.pointee.resampler
    unsafe change.pointee.resampler = old
    inputRate = unsafe change.pointee.rendererRate
    unsafe change.pointee.previous = takenChanges
    unsafe takenChanges = change
    return status
  }

  /// Takes the resampler's remainder; calls the callback when there is no more room.
  ///
  /// - Returns: the callback's status.
  @_noLocks @inline(never)
  private mutating func drain(_ cycle: UnsafeMutablePointer<RenderCall>) -> Int32 {
    guard let resampler = unsafe resampler else { return 0 }
    var status: Int32 = 0
    while true {
      if frameCount == room {
        let result = unsafe deliver(cycle)
        if result != 0 { status = result }
      }
      if frameCount == 0 {
        let time = unsafe Double(Int64(bitPattern: cycle.pointee.hostNanoseconds))
        firstNanoseconds = unsafe UInt64(max(0, time - resampler.pointee.pendingNanoseconds))
      }
      let (samples, count) = unsafe resampler.pointee.drain(room - frameCount)
      if count == 0 { return status }
      unsafe map.write(samples, frames: count, to: planes, at: frameCount)
      frameCount += count
    }
  }

  /// Converts a cycle's inputs, and calls the callback with the result: usually once.
  ///
  /// - Returns: the callback's status; of several calls, the last one that is not 0.
  @_noLocks
  mutating func render(_ cycle: UnsafeMutablePointer<RenderCall>) -> Int32 {
    var status = unsafe takeOfferedChange(cycle)
    unsafe cycle.pointee.outputCount = 0
    let count = unsafe cycle.pointee.frameCount
    var start = 0
    while start < count {
      let frames = min(count - start, Resampler.maximumFramesPerCall)
      unsafe gather(frames, from: start, of: cycle)
      var used = 0
      while used < frames {
        let result = unsafe convert(from: used, of: frames, at: start + used, cycle)
        used += result.taken
        if result.status != 0 { status = result.status }
      }
      start += frames
    }
    // The remaining output of the last frames.
    var hasMore = true
    while hasMore {
      let result = unsafe convert(from: 0, of: 0, at: count, cycle)
      if result.status != 0 { status = result.status }
      hasMore = result.given > 0
    }
    let last = unsafe frameCount > 0 ? deliver(cycle) : 0
    return last != 0 ? last : status
  }

  /// Interleaves frames of the inputs; silence for channels that the output does not have.
  @_noLocks
  private func gather(_ frames: Int, from start: Int, of cycle: UnsafeMutablePointer<RenderCall>) {
    let channels = map.inputs
    for channel in 0..<channels {
      guard unsafe channel < cycle.pointee.inputCount else {
        for i in 0..<frames { unsafe run[i &* channels &+ channel] = 0 }
        continue
      }
      let source = unsafe cycle.pointee.inputs[channel] + start
      for i in 0..<frames { unsafe run[i &* channels &+ channel] = source[i] }
    }
  }

  /// Converts frames of the run; calls the callback when there is no more room.
  ///
  /// - Parameter place: the number of the run's first such frame, counted from the cycle's first.
  @_noLocks
  private mutating func convert(
    from start: Int, of end: Int, at place: Int, _ cycle: UnsafeMutablePointer<RenderCall>
  ) -> (taken: Int, given: Int, status: Int32) {
    let status = unsafe frameCount == room ? deliver(cycle) : 0
    var nanoseconds = Double(place) * 1_000_000_000 / Double(inputRate)
    var (taken, given) = (0, 0)
    if let resampler = unsafe resampler {
      unsafe nanoseconds -= resampler.pointee.pendingNanoseconds
      (taken, given) = unsafe resampler.pointee.process(
        run + start * map.inputs, inputCount: end - start, into: resampled,
        outputCount: room - frameCount)
      unsafe map.write(resampled, frames: given, to: planes, at: frameCount)
    } else {
      given = min(end - start, room - frameCount)
      taken = given
      unsafe map.write(run + start * map.inputs, frames: given, to: planes, at: frameCount)
    }
    if frameCount == 0, given > 0 {
      let time = unsafe Int64(bitPattern: cycle.pointee.hostNanoseconds) &+ Int64(nanoseconds)
      firstNanoseconds = UInt64(bitPattern: max(0, time))
    }
    frameCount += given
    return (taken, given, status)
  }

  /// Calls the callback with the available frames.
  @_noLocks
  private mutating func deliver(_ cycle: UnsafeMutablePointer<RenderCall>) -> Int32 {
    for channel in unsafe 0..<planes.count {
      unsafe encoder.encode(
        planes[channel], count: frameCount, to: bytes + channel * channelStride,
        stride: sampleStride)
    }
    guard let first = unsafe buffers.baseAddress else { return 0 }
    var call = unsafe RenderCall(
      inputs: first, inputCount: buffers.count, outputs: cycle.pointee.outputs, outputCount: 0,
      frameCount: frameCount, frameTime: frameTime, isSilent: false,
      hostNanoseconds: firstNanoseconds)
    frameTime &+= UInt32(frameCount)
    frameCount = 0
    return unsafe drawbar_call_render(function, context, &call)
  }
}

/// The function that each cycle calls for an input callback with its own format.
@_noLocks
func renderFormattedInput(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let input = unsafe context?.assumingMemoryBound(to: FormattedInput.self) else { return -1 }
  return unsafe input.pointee.render(call)
}
