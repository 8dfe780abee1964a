// SPDX-License-Identifier: MIT

internal import AudioModel
internal import CRealtimeScope
internal import Synchronization

/// A function of the caller's that takes part in each cycle, what it works on, and how it fared: Core
/// Audio's `AURenderCallbackStruct`.
@safe
struct CallbackUnit: ~Copyable {
  private let function: drawbar_render_callback
  private let context: UnsafeMutableRawPointer?
  /// The channels that it has.
  let (inputs, outputs): (RenderBus, RenderBus)

  // Written by the render thread alone.
  let failedCycles = Atomic<UInt64>(0)
  let lastStatus = Atomic<Int32>(0)

  init(
    _ function: @escaping Renderer.Callback, context: UnsafeMutableRawPointer?, inputs: RenderBus,
    outputs: RenderBus
  ) {
    unsafe self.function = unsafe function
    unsafe self.context = context
    (self.inputs, self.outputs) = (inputs, outputs)
  }

  /// - Returns: whether what it gave is to be heard.
  @_noLocks
  func render(_ call: UnsafeMutablePointer<RenderCall>) -> Bool {
    let status = unsafe drawbar_call_render(function, context, call)
    lastStatus.store(status, ordering: .relaxed)
    if status == 0 { return true }
    failedCycles.grow(by: 1)
    return false
  }
}

/// Owns the memory of one callback's unit. Held by its handle and the renderer's list.
@safe
final class CallbackStorage: @unchecked Sendable {
  let unit: UnsafeMutablePointer<CallbackUnit>
  /// What converts for it, where it has a format of its own.
  private let formatted: UnsafeMutablePointer<FormattedCallback>?
  private let quality: ResamplerQuality
  /// The rate that `formatted` converts to. Protected by the renderer's lock.
  private var outputRate: Int

  init(
    _ function: @escaping Renderer.Callback, context: UnsafeMutableRawPointer?, inputs: RenderBus,
    outputs: RenderBus
  ) {
    unsafe unit = .allocate(capacity: 1)
    unsafe unit.initialize(
      to: CallbackUnit(function, context: context, inputs: inputs, outputs: outputs))
    unsafe formatted = nil
    quality = .good
    outputRate = 0
  }

  init(
    _ function: @escaping Renderer.Callback, context: UnsafeMutableRawPointer?,
    format: AudioStreamBasicDescription, outputRate: Int, outputs: RenderBus,
    quality: ResamplerQuality
  ) throws(AudioConverterError) {
    let formatted = unsafe UnsafeMutablePointer.allocating(
      try FormattedCallback(
        function, context: context, format: format, outputRate: outputRate,
        outputChannels: outputs.channelCount, quality: quality))
    unsafe self.formatted = unsafe formatted
    self.quality = quality
    self.outputRate = outputRate
    unsafe unit = .allocate(capacity: 1)
    unsafe unit.initialize(
      to: CallbackUnit(
        renderFormatted, context: formatted, inputs: RenderBus(0..<0, of: 0), outputs: outputs))
  }

  deinit {
    unsafe unit.deinitialize(count: 1)
    unsafe unit.deallocate()
    unsafe formatted?.destroy()
  }

  /// Has its frames converted to the output's rate from the next cycle on. Where a server's rate is more
  /// than a thousand times its own they go on as they are. Under the renderer's lock.
  func follow(sampleRate: Double) {
    let rate = Int(sampleRate.rounded())
    guard let formatted = unsafe formatted, rate != outputRate else { return }
    outputRate = rate
    let converter = unsafe formatted.pointee.converter
    try? unsafe StreamConverter.offer(outputRate: rate, quality: quality, to: converter)
  }
}
