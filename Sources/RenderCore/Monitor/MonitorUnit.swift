// SPDX-License-Identifier: MIT

internal import Synchronization

/// The render side of one monitor: adds what the inputs bring to what the outputs have, in the same
/// cycle and frame by frame. Owned by the render thread while an output runs.
///
/// Real-time: every call is wait-free, render thread only.
@safe
struct MonitorUnit: ~Copyable {
  private let shared: UnsafeMutablePointer<MonitorShared>
  private let inputCount: Int
  private let outputCount: Int
  /// The inputs' frames, to be measured and filtered: the ports' own memory may be another client's.
  private let inputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  private let filters: UnsafeMutablePointer<HighPassFilter>
  /// For each crosspoint, the inputs of an output side by side. All begin at 0.
  private let gains: UnsafeMutablePointer<LinearRamp>
  /// Where the gains go; here until all of it has been read.
  private let wanted: UnsafeMutablePointer<Float>
  private var highPass = HighPassCoefficients(b0: 1, b1: 0, b2: 0, a1: 0, a2: 0)
  /// How much of the filters' result is taken.
  private var highPassMix = LinearRamp(0)
  private var limiter = PeakLimiter()
  /// The settings' sequence that was taken.
  private var takenSequence: UInt64 = 0

  init(shared: UnsafeMutablePointer<MonitorShared>) {
    unsafe self.shared = unsafe shared
    inputCount = unsafe shared.pointee.inputCount
    outputCount = unsafe shared.pointee.outputCount
    // Written once here so that no page of it faults on the render thread.
    unsafe inputs = .allocate(capacity: inputCount)
    for channel in 0..<inputCount {
      let samples = UnsafeMutablePointer<Float>.allocate(capacity: Renderer.maximumFramesPerCycle)
      unsafe samples.initialize(repeating: 0, count: Renderer.maximumFramesPerCycle)
      unsafe inputs.initializeElement(at: channel, to: samples)
    }
    unsafe filters = .allocate(capacity: inputCount)
    unsafe filters.initialize(repeating: HighPassFilter(), count: inputCount)
    unsafe gains = .allocate(capacity: inputCount * outputCount)
    unsafe gains.initialize(repeating: LinearRamp(0), count: inputCount * outputCount)
    unsafe wanted = .allocate(capacity: inputCount * outputCount)
    unsafe wanted.initialize(repeating: 0, count: inputCount * outputCount)
  }

  deinit {
    for channel in 0..<inputCount { unsafe inputs[channel].deallocate() }
    unsafe inputs.deallocate()
    unsafe filters.deallocate()
    unsafe gains.deallocate()
    unsafe wanted.deallocate()
  }

  /// Takes in the cycle's inputs: before anything is written, for a port that is connected to one of this
  /// client's own has that one's memory.
  @_noLocks
  mutating func takeInputs(_ cycle: RenderCycle, from brought: RenderInputs) {
    takeSettings()
    unsafe copy(brought.buffers, frameCount: cycle.frameCount)
    unsafe shared.pointee.inputLevels.measure(inputs, frameCount: cycle.frameCount)
    filter(frameCount: cycle.frameCount)
  }

  /// - Parameter outputs: hold what else sounds in this cycle.
  @_noLocks
  mutating func render(
    _ cycle: RenderCycle, into outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    for output in 0..<(outputCount < outputs.count ? outputCount : outputs.count) {
      for input in 0..<inputCount {
        unsafe mix(
          inputs[input], into: outputs[output], crosspoint: output * inputCount + input,
          frameCount: cycle.frameCount)
      }
    }
    let lowest = unsafe limiter.apply(to: outputs, frameCount: cycle.frameCount)
    if lowest < 1 {
      unsafe _ = shared.pointee.lowestLimiterGain.min(lowest.bitPattern, ordering: .relaxed)
    }
    unsafe shared.pointee.outputLevels.measure(outputs, frameCount: cycle.frameCount)
  }

  /// Takes new settings, if there are any and nobody is writing them.
  @_noLocks
  private mutating func takeSettings() {
    let before = unsafe shared.pointee.sequence.load(ordering: .acquiring)
    if before == takenSequence || before & 1 == 1 { return }
    let crosspoints = inputCount * outputCount
    for index in 0..<crosspoints { unsafe wanted[index] = shared.pointee.gain(index) }
    let (limit, release) = unsafe (shared.pointee.limit, shared.pointee.release)
    let (ramp, filters) = unsafe (shared.pointee.ramp, shared.pointee.filters)
    let coefficients = unsafe shared.pointee.highPass
    guard unsafe shared.pointee.sequence.load(ordering: .relaxed) == before else { return }
    takenSequence = before
    // A copy: through the property ThreadSanitizer takes this for a change of what `shared` points to.
    let gains = unsafe gains
    for index in 0..<crosspoints {
      if unsafe gains[index].target != wanted[index] {
        unsafe gains[index].go(to: wanted[index], frames: ramp)
      }
    }
    limiter.limit = limit
    limiter.release = release
    if filters {
      highPass = coefficients
      if highPassMix.target != 1 { highPassMix.go(to: 1, frames: ramp) }
    } else if highPassMix.target != 0 {
      highPassMix.go(to: 0, frames: ramp)
    }
  }

  @_noLocks
  private func copy(
    _ buffers: UnsafeBufferPointer<UnsafePointer<Float>>, frameCount: Int
  ) {
    for channel in 0..<inputCount {
      if channel < buffers.count {
        unsafe UnsafeMutableRawPointer(inputs[channel]).copyMemory(
          from: buffers[channel], byteCount: frameCount * MemoryLayout<Float>.stride)
      } else {
        // An output with fewer inputs than the renderer was made for.
        unsafe inputs[channel].update(repeating: 0, count: frameCount)
      }
    }
  }

  @_noLocks
  private mutating func filter(frameCount: Int) {
    if highPassMix.isStill, highPassMix.value == 0 { return }
    let filters = unsafe filters
    for channel in 0..<inputCount {
      unsafe filters[channel].apply(
        highPass, mix: highPassMix, to: inputs[channel], frameCount: frameCount)
    }
    if highPassMix.isStill { return }
    for _ in 0..<frameCount { highPassMix.advance() }
    if highPassMix.value != 0 { return }
    for channel in 0..<inputCount { unsafe filters[channel].reset() }
  }

  @_noLocks
  private func mix(
    _ source: UnsafeMutablePointer<Float>, into target: UnsafeMutablePointer<Float>,
    crosspoint: Int, frameCount: Int
  ) {
    if unsafe gains[crosspoint].isStill {
      let gain = unsafe gains[crosspoint].value
      if gain == 0 { return }
      for i in 0..<frameCount { unsafe target[i] += gain * source[i] }
      return
    }
    var ramp = unsafe gains[crosspoint]
    for i in 0..<frameCount {
      ramp.advance()
      unsafe target[i] += ramp.value * source[i]
    }
    unsafe gains[crosspoint] = ramp
  }
}
