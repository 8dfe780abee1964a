// SPDX-License-Identifier: MIT

public import AudioModel
public import CRealtimeScope
internal import Glibc
internal import Synchronization

extension Renderer {
  /// A function of yours that is called in each cycle, on the render thread: Core Audio's
  /// `AURenderCallback`, and its input callback, too.
  ///
  /// What it is called with, a `RenderCall`, has this cycle's input frames, the output buffers and the
  /// time. The outputs are silent at first: it writes the frames that it has, and lowers `frameCount` when
  /// it has fewer than are wanted, lowers `outputCount` to 0 when it has none, or sets `isSilent`. Where
  /// the renderer has no outputs it is an input callback, which only reads; where it has no inputs,
  /// `inputCount` is 0.
  ///
  /// Whatever it answers costs a cycle of its sound at the most: the output goes on, and it is called
  /// again in the next cycle.
  ///
  /// It must not:
  /// - allocate or free memory, or do what does: grow an array, make a string, copy a closure;
  /// - take a lock, wait, sleep, or ask another thread;
  /// - make a system call: read, write, print;
  /// - count references, or touch an object of a class;
  /// - call the renderer, the output, a feed or a queue;
  /// - keep any address of the call beyond it, or write to the inputs;
  /// - take longer than a fraction of the cycle.
  ///
  /// It may:
  /// - read and write the memory that its context points to;
  /// - use atomics, which is how it tells other threads anything;
  /// - calculate;
  /// - call ``RenderConverter/fill(_:frameCount:from:)``.
  ///
  /// Mark it `@_noLocks`, and the compiler checks most of this. Hand a function over by name: a closure
  /// that is written on the main actor would belong to that, and trap on the render thread.
  ///
  /// - Parameters:
  ///   - context: what was handed over with it.
  ///   - call: the cycle. Valid during the call.
  /// - Returns: 0; with anything else nothing of this cycle's is heard, and the handle counts it.
  public typealias Callback =
    @convention(c) (
      _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
    ) -> Int32

  /// Has a function of yours called in each cycle, from the next one on. What it gives is added to what
  /// else sounds. Several are called in the order in which they were added, each with the same inputs, unless
  /// an edit of the ``graph`` changes where they lead.
  /// Core Audio's `kAudioUnitProperty_SetRenderCallback`, or, for its input frames,
  /// `kAudioOutputUnitProperty_SetInputCallback`. Any thread but the render thread.
  ///
  /// - Parameters:
  ///   - callback: the function. The engine cannot check it: see ``Callback`` for what it must not do.
  ///   - context: given to it each time. It must be valid until
  ///     ``remove(_:withinMilliseconds:)`` has returned true, or the output has
  ///     been closed.
  ///   - outputs: the outputs that it fills, a bus of them; nil for all.
  ///   - inputs: the inputs that it has; nil for all.
  /// - Returns: what it is removed by, and what tells how it fares.
  @discardableResult
  public func addCallback(
    _ callback: @escaping Callback, context: UnsafeMutableRawPointer?, outputs: Range<Int>? = nil,
    inputs: Range<Int>? = nil
  ) -> RenderCallbackHandle {
    let storage = unsafe CallbackStorage(
      callback, context: context, inputs: RenderBus(inputs, of: inputChannels))
    return add(storage, on: RenderBus(outputs, of: outputChannels))
  }

  /// Has a function of yours called that gives frames of a format of its own: Core Audio's
  /// `kAudioUnitProperty_StreamFormat` of the output element's input scope. A converter behind it makes the
  /// output's frames of them, and follows the output when its rate changes.
  ///
  /// What is said of ``addCallback(_:context:outputs:inputs:)`` holds, but that
  /// - in one cycle it is called as often as the converter needs frames, most often once, for as many as
  ///   that needs; the sample time counts the frames that it has given;
  /// - interleaved formats have one buffer for all channels, which is to be taken for one of the format's
  ///   samples; those with a buffer for each channel are of 32-bit floats;
  /// - where the rates differ it is asked ahead, for what the resampler holds back: about a thousand frames
  ///   at the lower of the two rates;
  /// - when it gives fewer frames than are wanted, it is not asked again in that cycle. What is missing is
  ///   silence in its place: where the rates differ, what it gave before is heard first, to its end;
  /// - it has no input frames: for those there is ``addInputCallback(_:context:format:quality:inputs:)``.
  ///
  /// Any thread but the render thread. It takes some milliseconds, and allocates.
  ///
  /// - Parameters:
  ///   - callback: the function.
  ///   - context: given to it each time, and valid as long.
  ///   - format: packed linear PCM: floats, or signed integers.
  ///   - quality: how it is resampled where its rate is not the output's.
  ///   - outputs: the outputs that it fills, a bus of them; nil for all. At least one.
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

  /// Has a function of yours called with the input frames in a format of its own: Core Audio's
  /// `kAudioOutputUnitProperty_SetInputCallback`, with the `kAudioUnitProperty_StreamFormat` of the input
  /// element's output scope. A converter before it makes them of the input's frames, and follows the input
  /// when its rate changes.
  ///
  /// What is said of ``addCallback(_:context:outputs:inputs:)`` holds, but that
  /// - its inputs are in that format: interleaved formats have one buffer for all channels, which is to be
  ///   taken for one of the format's samples; the others have one for each channel;
  /// - it has no outputs;
  /// - at the input's rate it is called once in each cycle, with all of its frames. Where the rates differ it
  ///   has those that come out of the resampler in that cycle, and is not called in a cycle without any; a
  ///   cycle that gives more than ``maximumFramesPerCycle`` is several calls;
  /// - the sample time counts the frames that it has been given.
  ///
  /// *Latency.* At the input's rate there is none. Otherwise the resampler holds back 600 to 1300 frames
  /// at the lower of the two rates. It is known for each call: `hostNanoseconds` is when its first frame
  /// came in, on the clock of the cycles, what is held back being taken into account. The sound is older
  /// by the input's own latency.
  ///
  /// Any thread but the render thread. It takes some milliseconds, and allocates.
  ///
  /// - Parameters:
  ///   - callback: the function.
  ///   - context: given to it each time, and valid as long.
  ///   - format: packed linear PCM: floats of 32 or 64 bits, or signed integers of 8, 16, 24 or 32, which
  ///     are rounded to the nearest and clipped. Channels are mapped as those of a stream are to outputs.
  ///   - quality: how it is resampled where its rate is not the input's.
  ///   - inputs: the inputs that it has, a bus of them; nil for all. At least one.
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

  /// Has a callback called no more, from the next cycle on, and waits until a cycle that may be in it is
  /// over. Removing it again only waits. Any thread but the render thread: never from a callback.
  ///
  /// - Parameters:
  ///   - callback: the callback's handle.
  ///   - milliseconds: how long to wait at most. Most often nothing is to be waited for; a cycle that has
  ///     begun takes a fraction of a period.
  /// - Returns: true: it is not called and will not be, so that what its context points to may be freed.
  ///   False: a cycle did not end in that time. What the context points to must stay then, until this
  ///   returns true for it or the output has been closed.
  public func remove(
    _ callback: RenderCallbackHandle, withinMilliseconds milliseconds: UInt32 = 1000
  ) -> Bool {
    let node = callback.node.storage
    replacePlan { model in model.drop { $0 === node } }
    let phase = unsafe context.state.pointee.cyclePhase.load(ordering: .sequentiallyConsistent)
    // Even: no cycle runs, and the next one finds the plan without it.
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

  /// What it returned last: 0 before it was ever called.
  public var lastStatus: Int32 {
    unsafe storage.unit.pointee.lastStatus.load(ordering: .relaxed)
  }
}
