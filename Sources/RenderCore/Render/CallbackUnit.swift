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
  /// The inputs of the cycle that the callback reads.
  let inputs: RenderBus
  /// The callback reads a bus of the graph instead.
  let isEffect: Bool

  // Written by the render thread alone.
  let failedCycles = Atomic<UInt64>(0)
  let lastStatus = Atomic<Int32>(0)

  init(
    _ function: @escaping Renderer.Callback, context: UnsafeMutableRawPointer?, inputs: RenderBus,
    isEffect: Bool = false
  ) {
    unsafe self.function = unsafe function
    unsafe self.context = context
    self.inputs = inputs
    self.isEffect = isEffect
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

/// Owns the memory of one callback's unit. Held by its handle and the renderer's graph.
@safe
final class CallbackStorage: @unchecked Sendable {
  let unit: UnsafeMutablePointer<CallbackUnit>
  /// The callback reads a bus of the graph instead.
  let isEffect: Bool
  /// What converts for it, where it has a format of its own: what it gives, or what it is given.
  private let formatted: UnsafeMutablePointer<FormattedCallback>?
  private let formattedInput: UnsafeMutablePointer<FormattedInput>?
  private let quality: ResamplerQuality
  /// The renderer's rate, which they convert to or from. Protected by the renderer's lock.
  private var rendererRate: Int

  init(
    _ function: @escaping Renderer.Callback, context: UnsafeMutableRawPointer?, inputs: RenderBus,
    isEffect: Bool = false
  ) {
    unsafe unit = .allocate(capacity: 1)
    unsafe unit.initialize(
      to: CallbackUnit(function, context: context, inputs: inputs, isEffect: isEffect))
    self.isEffect = isEffect
    unsafe formatted = nil
    unsafe formattedInput = nil
    quality = .good
    rendererRate = 0
  }

  init(
    _ function: @escaping Renderer.Callback, context: UnsafeMutableRawPointer?,
    format: AudioStreamBasicDescription, outputRate: Int, outputChannels: Int,
    quality: ResamplerQuality
  ) throws(AudioConverterError) {
    let formatted = unsafe UnsafeMutablePointer.allocating(
      try FormattedCallback(
        function, context: context, format: format, outputRate: outputRate,
        outputChannels: outputChannels, quality: quality))
    unsafe self.formatted = unsafe formatted
    unsafe formattedInput = nil
    isEffect = false
    self.quality = quality
    rendererRate = outputRate
    unsafe unit = .allocate(capacity: 1)
    unsafe unit.initialize(
      to: CallbackUnit(
        renderFormatted, context: formatted, inputs: RenderBus(0..<0, of: 0)))
  }

  init(
    _ function: @escaping Renderer.Callback, context: UnsafeMutableRawPointer?,
    inputFormat: AudioStreamBasicDescription, inputRate: Int, inputs: RenderBus,
    quality: ResamplerQuality
  ) throws(AudioConverterError) {
    let formattedInput = unsafe UnsafeMutablePointer.allocating(
      try FormattedInput(
        function, context: context, format: inputFormat, inputRate: inputRate,
        inputChannels: inputs.channelCount, quality: quality))
    unsafe self.formattedInput = unsafe formattedInput
    unsafe formatted = nil
    isEffect = false
    self.quality = quality
    rendererRate = inputRate
    unsafe unit = .allocate(capacity: 1)
    unsafe unit.initialize(
      to: CallbackUnit(
        renderFormattedInput, context: formattedInput, inputs: inputs))
  }

  deinit {
    unsafe unit.deinitialize(count: 1)
    unsafe unit.deallocate()
    unsafe formatted?.destroy()
    unsafe formattedInput?.destroy()
  }

  /// Has its frames converted to or from the renderer's rate from the next cycle on. Where that is more than a
  /// thousand times its own, or the other way round, they go on as they are. Under the renderer's lock.
  func follow(sampleRate: Double) {
    let rate = Int(sampleRate.rounded())
    guard rate != rendererRate else { return }
    if let formatted = unsafe formatted {
      try? unsafe StreamConverter.offer(
        outputRate: rate, quality: quality, to: formatted.pointee.converter)
    }
    if let formattedInput = unsafe formattedInput {
      try? unsafe FormattedInput.offer(inputRate: rate, quality: quality, to: formattedInput)
    }
    rendererRate = rate
  }
}
