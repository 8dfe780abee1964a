// SPDX-License-Identifier: MIT

internal import CSoxr

/// Changes the sample rate with soxr's high quality (134 dB), one instance a stream.
///
/// soxr's buffers grow by allocation until they have seen their largest load, and its reset and its
/// end-of-input handling allocate too. So an instance is made and given a load of silence, larger
/// than any that follows, off the render thread; it is never reset; and its tail is got by feeding
/// silence again. The silence is whole seconds, a whole number of frames on both sides, so the sound
/// that follows starts on the grid.
///
/// Input goes in only when nothing more comes out. (Feeding with every call, as soxr's own interface
/// suggests, takes a fraction of a frame too much each time, which piles up inside for ever.)
///
/// Real-time: making and destroying it is not; everything else is.
@safe
struct Resampler: ~Copyable {
  /// Most frames handed to or asked of soxr at once.
  static var maximumFramesPerCall: Int { @_noLocks get { 512 } }
  /// Frames of the first load: far more than soxr's filters hold back plus what one call adds.
  private static let warmingLoadFrames = 16384

  private let soxr: soxr_t
  private let inputRate: Int
  private let outputRate: Int
  private let silence: UnsafeMutablePointer<Float>
  /// Output frames of the warming silence that have still to be thrown away.
  private var warmingFramesLeft: Int
  /// Frames taken and given since the warming.
  private var inputFrames: Int64 = 0
  private var outputFrames: Int64 = 0

  /// Makes and warms an instance. Takes about a millisecond.
  init(inputRate: Int, outputRate: Int, channels: Int) throws(AudioConverterError) {
    var error: soxr_error_t?
    var quality = unsafe soxr_quality_spec(UInt(SOXR_20_BITQ), 0)
    var runtime = unsafe soxr_runtime_spec(1)
    let made = unsafe soxr_create(
      Double(inputRate), Double(outputRate), UInt32(channels), &error, nil, &quality, &runtime)
    guard let soxr = unsafe made, unsafe error == nil else {
      let reason = unsafe error.map { unsafe String(cString: $0) } ?? "soxr gave no reason"
      throw AudioConverterError.sampleRateNotSupported(
        input: Double(inputRate), output: Double(outputRate), reason)
    }
    unsafe self.soxr = soxr
    self.inputRate = inputRate
    self.outputRate = outputRate
    let seconds = 2 + Self.warmingLoadFrames / inputRate
    warmingFramesLeft = seconds * outputRate
    unsafe silence = UnsafeMutablePointer<Float>.allocate(
      capacity: Self.maximumFramesPerCall * channels)
    unsafe silence.initialize(repeating: 0, count: Self.maximumFramesPerCall * channels)

    let load = [Float](repeating: 0, count: Self.warmingLoadFrames * channels)
    let room = 2 * Self.warmingLoadFrames * max(1, outputRate / inputRate)
    var output = [Float](repeating: 0, count: room * channels)
    var fed = 0
    var given = 0
    while fed < seconds * inputRate {
      // The first load in one piece, then pieces as small as those that follow.
      let count = min(
        fed == 0 ? Self.warmingLoadFrames : Self.maximumFramesPerCall, seconds * inputRate - fed)
      unsafe soxr_process(soxr, load, count, nil, &output, room, &given)
      fed += count
      warmingFramesLeft -= given
    }
  }

  deinit {
    unsafe soxr_delete(soxr)
    unsafe silence.deallocate()
  }

  /// Output frames that all input so far stands for, by the ratio of the rates.
  var expectedOutputFrames: Int64 {
    @_noLocks get {
      (inputFrames * Int64(outputRate) + Int64(inputRate) / 2) / Int64(inputRate)
    }
  }

  /// Output frames of the input so far that have not come out yet: the look-ahead.
  var pendingOutputFrames: Int64 {
    @_noLocks get { max(0, expectedOutputFrames - outputFrames) }
  }

  /// Gives some output, or takes some input when there is none to give; at most
  /// ``maximumFramesPerCall`` frames of either.
  ///
  /// - Returns: frames taken of the input and frames written. Both are 0 only when `inputCount` is.
  @_noLocks
  mutating func process(
    _ input: UnsafePointer<Float>, inputCount: Int, into output: UnsafeMutablePointer<Float>,
    outputCount: Int
  ) -> (taken: Int, given: Int) {
    let given = unsafe take(into: output, outputCount: outputCount)
    if given > 0 { return (0, given) }
    let taken = unsafe feed(input, inputCount: inputCount)
    inputFrames += Int64(taken)
    return (taken, 0)
  }

  /// Gives what is pending after the last input, by feeding silence.
  ///
  /// - Returns: frames written; 0 when nothing is left.
  @_noLocks
  mutating func drain(into output: UnsafeMutablePointer<Float>, outputCount: Int) -> Int {
    let wanted = Int(min(Int64(outputCount), pendingOutputFrames))
    guard wanted > 0 else { return 0 }
    // How much silence it takes is bounded by soxr's filter length, a few thousand frames; the
    // limit only keeps a surprise from looping for ever.
    for _ in 0..<256 {
      let given = unsafe take(into: output, outputCount: wanted)
      if given > 0 { return given }
      _ = unsafe feed(UnsafePointer(silence), inputCount: Self.maximumFramesPerCall)
    }
    outputFrames = expectedOutputFrames
    return 0
  }

  /// Takes output that soxr can give without more input; what is left of the warming is dropped.
  @_noLocks
  private mutating func take(into output: UnsafeMutablePointer<Float>, outputCount: Int) -> Int {
    let limit = min(outputCount, Self.maximumFramesPerCall)
    var given = 0
    while warmingFramesLeft > 0 {
      // Written where the sound will be, and overwritten by it.
      unsafe soxr_process(
        soxr, silence, 0, nil, output, min(limit, warmingFramesLeft), &given)
      if given == 0 { return 0 }
      warmingFramesLeft -= given
    }
    unsafe soxr_process(soxr, silence, 0, nil, output, limit, &given)
    outputFrames += Int64(given)
    return given
  }

  @_noLocks
  private func feed(_ input: UnsafePointer<Float>, inputCount: Int) -> Int {
    let count = min(inputCount, Self.maximumFramesPerCall)
    var given = 0
    unsafe soxr_process(soxr, input, count, nil, silence, 0, &given)
    return count
  }
}
