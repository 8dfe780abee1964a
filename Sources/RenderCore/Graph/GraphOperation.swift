// SPDX-License-Identifier: MIT

/// Adjacent channels in a plan's table of buffers.
struct BufferRange: BitwiseCopyable, Equatable {
  var first: Int32
  var count: Int32

  static var none: BufferRange { BufferRange(first: 0, count: 0) }

  @_noLocks
  func buffers(
    in table: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  ) -> UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>> {
    unsafe UnsafeMutableBufferPointer(start: table + Int(first), count: Int(count))
  }
}

/// One step of a plan. The render thread executes the operations in order.
@safe
enum GraphOperation: BitwiseCopyable {
  /// Passes the inputs to a monitor, before anything is written to the outputs, whose memory may be the inputs'.
  case takeInputs(UnsafeMutablePointer<MonitorUnit>)
  /// Captures the inputs.
  case captureInputs(UnsafeMutablePointer<CaptureUnit>)
  /// Copies the inputs into buffers.
  case copyInputs(to: BufferRange)
  case clear(BufferRange)
  /// Copies buffers to others, so that an in-place effect does not change the copies.
  case copy(BufferRange, to: BufferRange)
  case source(UnsafeMutablePointer<SourceUnit>, to: BufferRange)
  /// Does work for coming cycles. Follows the last source.
  case workAhead
  /// Counts the time so far as time of the sources.
  case markSources
  /// Begins the time of the node that renders next.
  case startTimer
  /// Calls a function of the user's. An empty range means the cycle's inputs.
  case call(
    UnsafeMutablePointer<CallbackUnit>, node: UInt32, inputs: BufferRange, outputs: BufferRange)
  /// Scales buffers in place by the gain of the only edge that reads them.
  case scale(UnsafeMutablePointer<EdgeState>, BufferRange)
  /// Adds buffers to others, with the gain and the delay of an edge.
  case add(UnsafeMutablePointer<EdgeState>, BufferRange, to: BufferRange)
  /// Adds the monitored inputs. If no effect comes after it, also limits and measures the sum.
  case monitor(
    UnsafeMutablePointer<MonitorUnit>, node: UInt32, BufferRange, isFirst: Bool, isLast: Bool)
  /// Limits and measures the sum behind the effects of a monitor.
  case monitorOutput(UnsafeMutablePointer<MonitorUnit>, node: UInt32, BufferRange)
  /// Renders a built-in effect in place.
  case effect(EffectOperation, node: UInt32, BufferRange)
  /// Begins a feedback loop: the operations up to ``endLoop`` render slices of at most `frames`. The time of the loop counts
  /// for `node`.
  case beginLoop(frames: Int32, node: UInt32)
  /// Reads the delay of a loop.
  case readDelay(UnsafeMutablePointer<DelayUnit>, node: UInt32, BufferRange)
  /// Writes the delay of a loop.
  case writeDelay(UnsafeMutablePointer<DelayUnit>, node: UInt32, BufferRange)
  /// Runs the operations since ``beginLoop(frames:node:)`` again until all frames are rendered.
  case endLoop
  case makeFinite
  /// Captures the outputs.
  case captureOutputs(UnsafeMutablePointer<CaptureUnit>)
}

extension GraphOperation {
  /// Visits the buffers that the operation reads or writes.
  func forEachBuffers(_ visit: (BufferRange) -> Void) {
    _ = mapBuffers {
      if $0.count > 0 { visit($0) }
      return $0
    }
  }

  /// Returns the same operation with other buffers.
  func mapBuffers(_ place: (BufferRange) -> BufferRange) -> GraphOperation {
    switch self {
    case .copyInputs(let buffers): .copyInputs(to: place(buffers))
    case .clear(let buffers): .clear(place(buffers))
    case .copy(let sources, let targets): .copy(place(sources), to: place(targets))
    case .source(let unit, let buffers): unsafe .source(unit, to: place(buffers))
    case .call(let unit, let node, let inputs, let outputs):
      unsafe .call(unit, node: node, inputs: place(inputs), outputs: place(outputs))
    case .scale(let edge, let buffers): unsafe .scale(edge, place(buffers))
    case .add(let edge, let sources, let targets):
      unsafe .add(edge, place(sources), to: place(targets))
    case .monitor(let unit, let node, let buffers, let isFirst, let isLast):
      unsafe .monitor(unit, node: node, place(buffers), isFirst: isFirst, isLast: isLast)
    case .monitorOutput(let unit, let node, let buffers):
      unsafe .monitorOutput(unit, node: node, place(buffers))
    case .effect(let effect, let node, let buffers): .effect(effect, node: node, place(buffers))
    case .readDelay(let unit, let node, let buffers):
      unsafe .readDelay(unit, node: node, place(buffers))
    case .writeDelay(let unit, let node, let buffers):
      unsafe .writeDelay(unit, node: node, place(buffers))
    case .takeInputs, .captureInputs, .workAhead, .markSources, .startTimer, .makeFinite,
      .captureOutputs, .beginLoop, .endLoop:
      self
    }
  }
}

/// The gain to which an edge fades from a plan's first cycle on.
@safe
struct EdgeStep: BitwiseCopyable {
  let state: UnsafeMutablePointer<EdgeState>
  let target: Float
  /// The edit that set the target. An edge that has begun its fade ignores the same edit in later plans.
  let change: UInt64
  /// The frames before the fade, besides the warm-up of the plan.
  let waitFrames: Int
  let schedule: UnsafeMutablePointer<GainSchedule>?

  init(_ edge: EdgeStorage) {
    unsafe state = edge.state
    target = edge.gain
    change = edge.change
    waitFrames = edge.waitFrames
    unsafe schedule = edge.schedule
  }
}
