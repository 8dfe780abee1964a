// SPDX-License-Identifier: MIT

internal import Synchronization

/// The render side of one monitor: adds the inputs to the outputs, in the same cycle and frame by frame. Owned by the
/// render thread while an output runs.
///
/// Real-time: every call is wait-free, render thread only.
@safe
struct MonitorUnit: ~Copyable {
  private let shared: UnsafeMutablePointer<MonitorShared>
  private let inputCount: Int
  private let outputCount: Int
  /// Copies of inputs that are filtered, or that the output would overwrite: the ports' own memory may be another
  /// client's, or one of this client's outputs.
  private let copies: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  /// The addresses of this cycle's inputs, and their levels.
  private let inputs: UnsafeMutablePointer<UnsafePointer<Float>>
  private let levels: UnsafeMutablePointer<CycleLevel>
  /// Whether this cycle's inputs are unchanged: no filter processes them.
  private var isUnfiltered = false
  private var highPass: FilterBank
  /// The gain of each crosspoint, the inputs of an output contiguous. All begin at 0.
  private let gains: UnsafeMutablePointer<Gain>
  /// Their values as of the last frame: contiguous, for a cycle in which no gain moves.
  private let values: UnsafeMutablePointer<Float>
  /// Frames until all of them are at rest.
  private var movingFrames = 0
  /// The gains' targets; kept here until the read is complete.
  private let wanted: UnsafeMutablePointer<Float>
  private var limiter: Limiter
  /// The sequence of the settings that were last taken.
  private var takenSequence: UInt64 = 0

  init(shared: UnsafeMutablePointer<MonitorShared>) {
    unsafe self.shared = unsafe shared
    inputCount = unsafe shared.pointee.inputCount
    outputCount = unsafe shared.pointee.outputCount
    // Written once here, so that no page faults on the render thread.
    unsafe copies = .allocate(capacity: inputCount)
    unsafe inputs = .allocate(capacity: inputCount)
    unsafe levels = .allocate(capacity: inputCount)
    for channel in 0..<inputCount {
      let samples = UnsafeMutablePointer<Float>.allocate(capacity: Renderer.maximumFramesPerCycle)
      unsafe samples.initialize(repeating: 0, count: Renderer.maximumFramesPerCycle)
      unsafe copies.initializeElement(at: channel, to: samples)
      unsafe (inputs + channel).initialize(to: UnsafePointer(samples))
      unsafe (levels + channel).initialize(to: CycleLevel(of: samples, frameCount: 0))
    }
    highPass = FilterBank(channels: inputCount, sectionCapacity: 1)
    limiter = Limiter(channels: outputCount, lookAheadFrames: 0)
    unsafe gains = .allocate(capacity: inputCount * outputCount)
    unsafe gains.initialize(repeating: Gain(0), count: inputCount * outputCount)
    unsafe values = .allocate(capacity: inputCount * outputCount)
    unsafe values.initialize(repeating: 0, count: inputCount * outputCount)
    unsafe wanted = .allocate(capacity: inputCount * outputCount)
    unsafe wanted.initialize(repeating: 0, count: inputCount * outputCount)
  }

  deinit {
    for channel in 0..<inputCount { unsafe copies[channel].deallocate() }
    unsafe copies.deallocate()
    unsafe inputs.deallocate()
    unsafe levels.deallocate()
    unsafe gains.deallocate()
    unsafe values.deallocate()
    unsafe wanted.deallocate()
  }

  /// Takes the cycle's inputs before anything is written: a port that is connected to one of this client's own shares
  /// that port's memory.
  ///
  /// - Parameter deviceFrame: frames that the output had received before this cycle.
  @_noLocks
  mutating func takeInputs(
    _ cycle: RenderCycle, deviceFrame: UInt64, from brought: RenderInputs,
    outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    takeSettings()
    isUnfiltered = highPass.isOff
    for channel in 0..<inputCount {
      unsafe takeInput(channel, brought.buffers, outputs: outputs, frameCount: cycle.frameCount)
      let level = unsafe CycleLevel(of: inputs[channel], frameCount: cycle.frameCount)
      unsafe levels[channel] = level
      unsafe shared.pointee.inputLevels.note(level, channel, cycle.frameCount)
    }
    unsafe shared.pointee.inputLevels.count(cycle.frameCount)
    if !isUnfiltered {
      unsafe highPass.apply(to: copies, frameCount: cycle.frameCount, deviceFrame: deviceFrame)
    }
  }

  /// Adds the inputs to the outputs.
  ///
  /// - Parameters:
  ///   - outputs: the sound of this cycle so far.
  ///   - isFirst: whether the outputs have no sound yet.
  ///   - isLast: whether no effect follows, so the sum is limited and measured.
  /// - Returns: the number of samples that were NaN or infinite, which the limiter has replaced by 0.
  @_noLocks
  mutating func render(
    _ cycle: RenderCycle, into outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>,
    isFirst: Bool, isLast: Bool
  ) -> Int {
    let frameCount = cycle.frameCount
    let limits = !limiter.isOff
    let count = outputCount < outputs.count ? outputCount : outputs.count
    for output in 0..<count {
      let only = unsafe mix(into: outputs[output], output, frameCount: frameCount, isFirst: isFirst)
      if limits || !isLast { continue }
      // The output equals its only input, which was measured already.
      let level: CycleLevel
      if isFirst, isUnfiltered, only >= 0 {
        level = unsafe levels[only]
      } else {
        level = unsafe CycleLevel(of: outputs[output], frameCount: frameCount)
      }
      unsafe shared.pointee.outputLevels.note(level, output, frameCount)
    }
    movingFrames = max(0, movingFrames - frameCount)
    if isFirst {
      for output in count..<outputs.count {
        unsafe outputs[output].update(repeating: 0, count: frameCount)
      }
    }
    if !isLast { return 0 }
    if limits { return unsafe finish(outputs, frameCount: frameCount) }
    unsafe shared.pointee.outputLevels.count(frameCount)
    return 0
  }

  /// Limits and measures the outputs.
  ///
  /// - Returns: the number of samples that were NaN or infinite, which the limiter has replaced by 0.
  @_noLocks
  mutating func finish(
    _ outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) -> Int {
    var nonFinite = 0
    if !limiter.isOff {
      let (lowest, count) = unsafe limiter.apply(to: outputs, frameCount: frameCount)
      nonFinite = count
      if lowest < 1 {
        unsafe _ = shared.pointee.lowestLimiterGain.min(lowest.bitPattern, ordering: .relaxed)
      }
    }
    unsafe shared.pointee.outputLevels.measure(outputs, frameCount: frameCount)
    return nonFinite
  }

  /// Takes new settings, if there are any and the control side is not writing them.
  @_noLocks
  private mutating func takeSettings() {
    let before = unsafe shared.pointee.sequence.load(ordering: .acquiring)
    if before == takenSequence || before & 1 == 1 { return }
    let crosspoints = inputCount * outputCount
    for index in 0..<crosspoints { unsafe wanted[index] = shared.pointee.gain(index) }
    let (limit, releaseFrames) = unsafe (shared.pointee.limit, shared.pointee.releaseFrames)
    let ramp = unsafe shared.pointee.ramp
    let isWhole = unsafe highPass.readSettings(shared.pointee.highPass)
    guard unsafe shared.pointee.sequence.load(ordering: .relaxed) == before, isWhole else { return }
    let isFirst = takenSequence == 0
    takenSequence = before
    // A copy: through the property, ThreadSanitizer treats this as a change of the memory that `shared` points to.
    let gains = unsafe gains
    for index in 0..<crosspoints {
      unsafe gains[index].go(to: wanted[index], frames: ramp)
      movingFrames = unsafe max(movingFrames, gains[index].framesLeft)
    }
    limiter.set(
      ceiling: limit > 0 ? limit : nil, releaseFrames: releaseFrames,
      fadeFrames: isFirst ? 0 : ramp)
    highPass.applySettings()
  }

  /// Sets the address of an input's frames in this cycle: the input's own buffer, or a copy.
  @_noLocks
  private func takeInput(
    _ channel: Int, _ buffers: UnsafeBufferPointer<UnsafePointer<Float>>,
    outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) {
    let copy = unsafe copies[channel]
    guard channel < buffers.count else {
      // The output has fewer inputs than the renderer was made for.
      unsafe copy.update(repeating: 0, count: frameCount)
      unsafe inputs[channel] = UnsafePointer(copy)
      return
    }
    let source = unsafe buffers[channel]
    if isUnfiltered, unsafe !Self.overlaps(source, outputs, frameCount: frameCount) {
      unsafe inputs[channel] = source
      return
    }
    unsafe UnsafeMutableRawPointer(copy).copyMemory(
      from: source, byteCount: frameCount * MemoryLayout<Float>.stride)
    unsafe inputs[channel] = UnsafePointer(copy)
  }

  /// Returns whether the buffer of an output shares memory with this input's.
  @_noLocks
  private static func overlaps(
    _ source: UnsafePointer<Float>,
    _ outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) -> Bool {
    let start = UInt(bitPattern: source)
    let bytes = UInt(frameCount &* MemoryLayout<Float>.stride)
    var overlaps = false
    for output in 0..<outputs.count {
      let distance = unsafe UInt(bitPattern: outputs[output]) &- start
      overlaps = overlaps || distance < bytes || 0 &- distance < bytes
    }
    return overlaps
  }

  /// Adds the inputs to an output.
  ///
  /// - Parameter isFirst: whether the output has no sound yet.
  /// - Returns: the input that alone was added, at a gain of 1; -1 if there is no such input.
  @_noLocks
  private func mix(
    into target: UnsafeMutablePointer<Float>, _ output: Int, frameCount: Int, isFirst: Bool
  ) -> Int {
    let first = output &* inputCount
    var holdsNothing = isFirst
    var only = -1
    var added = 0
    for input in 0..<inputCount {
      let value = unsafe values[first &+ input]
      let isStill = unsafe movingFrames == 0 || gains[first &+ input].isStill
      if isStill, value == 0 { continue }
      added += 1
      only = isStill && value == 1 && added == 1 ? input : -1
      let source = unsafe inputs[input]
      var done = 0
      if !isStill {
        if holdsNothing { unsafe target.update(repeating: 0, count: frameCount) }
        done = unsafe addMoving(source, to: target, crosspoint: first &+ input, frameCount)
        holdsNothing = false
      }
      let gain = unsafe values[first &+ input]
      if holdsNothing {
        // The same sum as with silence, even if a sample is negative zero.
        for i in 0..<frameCount { unsafe target[i] = 0 + gain * source[i] }
      } else if gain != 0 {
        for i in done..<frameCount { unsafe target[i] += gain * source[i] }
      }
      holdsNothing = false
    }
    if holdsNothing { unsafe target.update(repeating: 0, count: frameCount) }
    return only
  }

  /// Adds an input to an output for the frames in which their gain moves.
  ///
  /// - Returns: the number of these frames.
  @_noLocks @inline(never)
  private func addMoving(
    _ source: UnsafePointer<Float>, to target: UnsafeMutablePointer<Float>, crosspoint: Int,
    _ frameCount: Int
  ) -> Int {
    var gain = unsafe gains[crosspoint]
    let count = min(frameCount, gain.framesLeft)
    for i in 0..<count {
      gain.advance()
      unsafe target[i] += gain.value * source[i]
    }
    unsafe gains[crosspoint] = gain
    unsafe values[crosspoint] = gain.value
    return count
  }
}
