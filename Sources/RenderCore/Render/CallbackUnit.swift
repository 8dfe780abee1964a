// SPDX-License-Identifier: MIT

internal import AudioModel
internal import CRealtimeScope
internal import Synchronization

/// A function of the caller's that takes part in each cycle, its context and inputs, and its failures: Core Audio's
/// `AURenderCallbackStruct`.
@safe
struct CallbackUnit: ~Copyable {
  private let function: drawbar_render_callback
  private let context: UnsafeMutableRawPointer?
  /// The inputs of the cycle that the callback reads.
  let inputs: RenderBus
  /// Whether the callback reads a bus of the graph instead.
  let isEffect: Bool

  // Written by the render thread only.
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

  /// - Returns: whether the callback's frames are to be output.
  @_noLocks
  func render(_ call: UnsafeMutablePointer<RenderCall>) -> Bool {
    let status = unsafe drawbar_call_render(function, context, call)
    lastStatus.store(status, ordering: .relaxed)
    if status == 0 { return true }
    failedCycles.grow(by: 1)
    return false
  }
}

/// The owner of the memory of one callback's unit. Its handle and the renderer's graph hold it.
@safe
final class CallbackStorage: @unchecked Sendable {
  let unit: UnsafeMutablePointer<CallbackUnit>
  /// Whether the callback reads a bus of the graph instead.
  let isEffect: Bool
  /// The converter of a callback with its own format: for its output, or for its input.
  private let formatted: UnsafeMutablePointer<FormattedCallback>?
  private let formattedInput: UnsafeMutablePointer<FormattedInput>?
  private let quality: ResamplerQuality
  /// The renderer's rate, to or from which they convert. Protected by the renderer's lock.
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

  /// Converts the callback's frames to or from this renderer rate, starting with the next cycle. If it is more than a
  /// thousand times the callback's own, or the reverse, the conversion does not change. Under the renderer's lock.
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
