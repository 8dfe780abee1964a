// SPDX-License-Identifier: MIT

public import AudioModel
public import CRealtimeScope
internal import Glibc
internal import Synchronization

extension Renderer {
  /// A function of yours that is called in each cycle, on the render thread: Core Audio's `AURenderCallback`, and also
  /// its input callback.
  ///
  /// Its argument, a `RenderCall`, has this cycle's input frames, the output buffers and the time. The outputs are
  /// silent at first. The function writes its frames; if it has fewer than wanted, it lowers `frameCount`; if it has
  /// none, it lowers `outputCount` to 0 or sets `isSilent`. If the renderer has no outputs, it is an input callback,
  /// which only reads; if the renderer has no inputs, `inputCount` is 0.
  ///
  /// An error costs at most one cycle of its sound: the output continues, and the function is called
  /// again in the next cycle.
  ///
  /// It must not:
  /// - allocate or free memory, directly or by growing an array, making a string or copying a closure;
  /// - take a lock, wait, sleep, or ask another thread;
  /// - make a system call: read, write, print;
  /// - count references, or touch an object of a class;
  /// - call the renderer, the output, a feed or a queue;
  /// - keep any address of the call beyond it, or write to the inputs;
  /// - take longer than a fraction of the cycle.
  ///
  /// It may:
  /// - read and write the memory that its context points to;
  /// - use atomics, its only means to inform other threads;
  /// - calculate;
  /// - call ``RenderConverter/fill(_:frameCount:from:)``.
  ///
  /// Mark it `@_noLocks`, and the compiler checks most of this. Pass the function by name: a closure written on the
  /// main actor would be isolated to it, and trap on the render thread.
  ///
  /// - Parameters:
  ///   - context: the pointer that was added with it.
  ///   - call: the cycle. Valid during the call.
  /// - Returns: 0; with any other value its frames of this cycle are discarded, and the handle counts the cycle.
  public typealias Callback =
    @convention(c) (
      _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
    ) -> Int32

  /// Calls a function of yours in each cycle, starting with the next one, and adds its frames to the other sound.
  /// Several functions are called in the order in which they were added, each with the same inputs, unless an edit of
  /// the ``graph`` changes their connections. Core Audio's `kAudioUnitProperty_SetRenderCallback`, or, for its input
  /// frames, `kAudioOutputUnitProperty_SetInputCallback`. Any thread but the render thread.
  ///
  /// - Parameters:
  ///   - callback: the function. The engine cannot check it: see ``Callback`` for its restrictions.
  ///   - context: passed to each call. It must be valid until ``remove(_:withinMilliseconds:)`` has returned true, or
  ///     the output has been closed.
  ///   - outputs: a range of adjacent outputs that it fills; nil for all.
  ///   - inputs: a range of adjacent inputs that it reads; nil for all.
  /// - Returns: the handle for its removal and its status.
  @discardableResult
  public func addCallback(
    _ callback: @escaping Callback, context: UnsafeMutableRawPointer?, outputs: Range<Int>? = nil,
    inputs: Range<Int>? = nil
  ) -> RenderCallbackHandle {
    let storage = unsafe CallbackStorage(
      callback, context: context, inputs: RenderBus(inputs, of: inputChannels))
    return add(storage, on: RenderBus(outputs, of: outputChannels))
  }

  /// Calls a function of yours whose frames have a format of their own: Core Audio's `kAudioUnitProperty_StreamFormat`
  /// of the output element's input scope. A converter behind it converts these frames to the output's, and follows
  /// changes of the output's rate.
  ///
  /// The rules of ``addCallback(_:context:outputs:inputs:)`` apply, with these exceptions:
  /// - In one cycle it is called as often as the converter needs frames, usually once, for the number that the
  ///   converter needs. The sample time counts the frames that it has written.
  /// - Interleaved formats have one buffer for all channels, to be rebound to the type of the format's samples.
  ///   Formats with a buffer for each channel are of 32-bit floats.
  /// - If the rates differ, it is called ahead of time for the frames that the resampler holds back: about a thousand
  ///   at the lower of the two rates.
  /// - If it writes fewer frames than wanted, it is not called again in that cycle, and silence replaces the missing
  ///   frames. If the rates differ, its earlier frames are output to their end first.
  /// - It has no input frames: use ``addInputCallback(_:context:format:quality:inputs:)`` for those.
  ///
  /// Any thread but the render thread. It takes some milliseconds, and allocates.
  ///
  /// - Parameters:
  ///   - callback: the function.
  ///   - context: passed to each call; it must be valid as long as with ``addCallback(_:context:outputs:inputs:)``.
  ///   - format: packed linear PCM: floats, or signed integers.
  ///   - quality: the quality of resampling, if its rate is not the output's.
  ///   - outputs: a range of adjacent outputs that it fills, at least one; nil for all.
  /// - Throws: ``AudioConverterError`` for another format.
  @discardableResult
  public func addCallback(
    _ callback: @escaping Callback, context: UnsafeMutableRawPointer?,
    format: AudioStreamBasicDescription, quality: ResamplerQuality = .good,
    outputs: Range<Int>? = nil
  ) throws(AudioConverterError) -> RenderCallbackHandle {
    let bus = RenderBus(outputs, of: outputChannels)
    precondition(bus.channelCount > 0, "what has a format needs an output")
    let storage = try unsafe CallbackStorage(
      callback, context: context, format: format, outputRate: Int(sampleRate.rounded()),
      outputChannels: bus.channelCount, quality: quality)
    return add(storage, on: bus)
  }

  /// Calls a function of yours with the input frames in a format of its own: Core Audio's
  /// `kAudioOutputUnitProperty_SetInputCallback`, with the `kAudioUnitProperty_StreamFormat` of the input element's
  /// output scope. A converter before it converts the input's frames, and follows changes of the input's rate.
  ///
  /// The rules of ``addCallback(_:context:outputs:inputs:)`` apply, with these exceptions:
  /// - Its inputs are in that format. Interleaved formats have one buffer for all channels, to be rebound to the
  ///   type of the format's samples; the others have one for each channel.
  /// - It has no outputs.
  /// - At the input's rate it is called once in each cycle, with all of its frames. If the rates differ, it receives
  ///   the resampler's output of that cycle, and is not called in a cycle without any; a cycle with more than
  ///   ``maximumFramesPerCycle`` of them makes several calls.
  /// - The sample time counts the frames that it has received.
  ///
  /// *Latency.* At the input's rate there is none. Otherwise the resampler holds back 600 to 1300 frames at the lower
  /// of the two rates. Each call states it: `hostNanoseconds` is the time at which its first frame came in, on the
  /// clock of the cycles and corrected for the frames held back. The sound is older by the input's own latency.
  ///
  /// Any thread but the render thread. It takes some milliseconds, and allocates.
  ///
  /// - Parameters:
  ///   - callback: the function.
  ///   - context: passed to each call; it must be valid as long as with ``addCallback(_:context:outputs:inputs:)``.
  ///   - format: packed linear PCM: floats of 32 or 64 bits, or signed integers of 8, 16, 24 or 32, which are rounded
  ///     to the nearest and clipped. Channels are mapped like those of a stream to outputs.
  ///   - quality: the quality of resampling, if its rate is not the input's.
  ///   - inputs: a range of adjacent inputs that it reads, at least one; nil for all.
  /// - Throws: ``AudioConverterError`` for another format.
  @discardableResult
  public func addInputCallback(
    _ callback: @escaping Callback, context: UnsafeMutableRawPointer?,
    format: AudioStreamBasicDescription, quality: ResamplerQuality = .good,
    inputs: Range<Int>? = nil
  ) throws(AudioConverterError) -> RenderCallbackHandle {
    let bus = RenderBus(inputs, of: inputChannels)
    precondition(bus.channelCount > 0, "what has an input format needs an input")
    let storage = try unsafe CallbackStorage(
      callback, context: context, inputFormat: format, inputRate: Int(sampleRate.rounded()),
      inputs: bus, quality: quality)
    return add(storage, on: RenderBus(0..<0, of: 0))
  }

  /// Adds a callback's node and connects it to the mix.
  private func add(_ storage: CallbackStorage, on bus: RenderBus) -> RenderCallbackHandle {
    let node = NodeStorage(.callback(storage), name: "callback", outputWidth: bus.channelCount)
    replacePlan { model in
      model.add(node)
      guard bus.channelCount > 0 else { return }
      model.connect(node, to: mix, targetChannel: bus.firstChannel)
    }
    return RenderCallbackHandle(storage: storage, node: GraphNode(node))
  }

  /// Stops calling a callback after the current cycle, and waits for the end of a cycle that may be in it. A second
  /// call for the same callback only waits. Any thread but the render thread: never from a callback.
  ///
  /// - Parameters:
  ///   - callback: the callback's handle.
  ///   - milliseconds: the longest wait. Usually there is no wait; a cycle that has begun takes a fraction of a period.
  /// - Returns: true if it is not being called and will not be, so the memory that its context points to may be freed.
  ///   False if a cycle did not end in that time. That memory must then stay valid until this returns true for the
  ///   callback, or the output has been closed.
  public func remove(
    _ callback: RenderCallbackHandle, withinMilliseconds milliseconds: UInt32 = 1000
  ) -> Bool {
    let node = callback.node.storage
    replacePlan { model in model.drop { $0 === node } }
    let phase = unsafe context.state.pointee.cyclePhase.load(ordering: .sequentiallyConsistent)
    // Even: no cycle runs, and the next one loads the plan without the callback.
    guard phase % 2 == 1 else { return true }
    let start = drawbar_monotonic_nanoseconds()
    while unsafe context.state.pointee.cyclePhase.load(ordering: .acquiring) == phase {
      if drawbar_monotonic_nanoseconds() &- start >= UInt64(milliseconds) * 1_000_000 {
        return false
      }
      usleep(100)
    }
    return true
  }
}

/// A render callback that has been added to a renderer. Any thread but the render thread.
public final class RenderCallbackHandle: Sendable {
  let storage: CallbackStorage
  /// The callback's node in the renderer's ``ProcessingGraph``.
  public let node: GraphNode

  init(storage: CallbackStorage, node: GraphNode) {
    self.storage = storage
    self.node = node
  }

  /// Cycles for which it returned anything but 0. Only grows.
  public var failedCycleCount: UInt64 {
    unsafe storage.unit.pointee.failedCycles.load(ordering: .relaxed)
  }

  /// The last value that it returned; 0 before the first call.
  public var lastStatus: Int32 {
    unsafe storage.unit.pointee.lastStatus.load(ordering: .relaxed)
  }
}
