// SPDX-License-Identifier: MIT

internal import CSoxr

/// Changes the sample rate with soxr's high quality (134 dB), one instance a stream.
///
/// soxr's buffers grow by allocation while it sees its first second or so, and its reset and its
/// end-of-input handling allocate too. So an instance is made and fed a second of silence off the
/// render thread, is never reset, and its tail is got by feeding silence again. A second of input is
/// a whole number of frames on both sides, so the sound that follows starts on the grid.
///
/// Real-time: making and destroying it is not; everything else is.
@safe
struct Resampler: ~Copyable {
  /// Most output frames asked of soxr at once, here and while warming: what bounds its buffers.
  static var maximumFramesPerCall: Int { @_noLocks get { 512 } }

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
    let silentSamples = Self.maximumFramesPerCall * channels
    unsafe silence = UnsafeMutablePointer<Float>.allocate(capacity: silentSamples)
    unsafe silence.initialize(repeating: 0, count: silentSamples)
    warmingFramesLeft = outputRate

    let scratch = UnsafeMutablePointer<Float>.allocate(capacity: silentSamples)
    defer { unsafe scratch.deallocate() }
    var fed = 0
    // Large blocks first, since they need the largest buffers, then blocks of every size.
    var block = Self.maximumFramesPerCall
    while fed < inputRate {
      let count = min(Self.maximumFramesPerCall, inputRate - fed)
      var taken = 0
      var given = 0
      unsafe soxr_process(soxr, silence, count, &taken, scratch, block, &given)
      fed += taken
      warmingFramesLeft -= given
      block = fed < inputRate / 2 ? Self.maximumFramesPerCall : 1 + fed % Self.maximumFramesPerCall
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

  /// Takes some input and gives some output, at most ``maximumFramesPerCall`` frames of either.
  ///
  /// - Returns: frames taken of the input and frames written. Both are 0 only when `inputCount` is 0
  ///   and nothing is pending that can come out.
  @_noLocks
  mutating func process(
    _ input: UnsafePointer<Float>, inputCount: Int, into output: UnsafeMutablePointer<Float>,
    outputCount: Int
  ) -> (taken: Int, given: Int) {
    let (taken, given) = unsafe run(
      input, inputCount: inputCount, into: output, outputCount: outputCount)
    inputFrames += Int64(taken)
    outputFrames += Int64(given)
    return (taken, given)
  }

  /// Gives what is pending after the last input, by feeding silence.
  ///
  /// - Returns: frames written; 0 when nothing is left.
  @_noLocks
  mutating func drain(into output: UnsafeMutablePointer<Float>, outputCount: Int) -> Int {
    let wanted = Int(min(Int64(outputCount), pendingOutputFrames))
    guard wanted > 0 else { return 0 }
    // Some silence may have to go in before anything comes out; how much is bounded by soxr's
    // filter length, a few thousand frames.
    for _ in 0..<64 {
      let (_, given) = unsafe run(
        UnsafePointer(silence), inputCount: Self.maximumFramesPerCall, into: output,
        outputCount: wanted)
      if given > 0 {
        outputFrames += Int64(given)
        return given
      }
    }
    outputFrames = expectedOutputFrames
    return 0
  }

  @_noLocks
  private mutating func run(
    _ input: UnsafePointer<Float>, inputCount: Int, into output: UnsafeMutablePointer<Float>,
    outputCount: Int
  ) -> (taken: Int, given: Int) {
    let offered = min(inputCount, Self.maximumFramesPerCall)
    let limit = min(outputCount, Self.maximumFramesPerCall)
    var taken = 0
    var given = 0
    if warmingFramesLeft > 0 {
      // These frames are before the sound; they are overwritten by what follows.
      let wanted = min(limit, warmingFramesLeft)
      unsafe soxr_process(soxr, input, offered, &taken, output, wanted, &given)
      warmingFramesLeft -= given
      return (taken, 0)
    }
    unsafe soxr_process(soxr, input, offered, &taken, output, limit, &given)
    return (taken, given)
  }
}
