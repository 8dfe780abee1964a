// SPDX-License-Identifier: MIT

internal import CSoxr

/// A sample rate converter with soxr, one instance a stream.
///
/// soxr's buffers grow by allocation until they have seen their largest load, and its reset and its end-of-input
/// handling allocate too. So an instance is made off the render thread and warmed up there with a load of silence
/// larger than any later load. It is never reset, and feeding silence again drains its tail. The silence is a whole
/// number of frames on both sides, so the sound that follows starts on the grid: output frame n is the input at n
/// times the ratio, because soxr's filters are symmetric and it removes their delay itself.
///
/// soxr's better qualities work block by block: some 800 input frames have no output, and then as many come out at
/// once. This type then takes all available output out, so that its amount is known. Input goes in only when there
/// is no more output, or when it completes no block. (Feeding with every call, as soxr's own interface suggests,
/// takes a fraction of a frame too much each time, and that accumulates inside soxr for ever.)
///
/// soxr receives each channel separately: its separating and joining of interleaved frames costs more than a quarter
/// of its time in stereo.
///
/// Real-time: every member is safe; creation and destruction are not.
@safe
struct Resampler: ~Copyable {
  /// Most frames passed to or requested from soxr at once.
  static var maximumFramesPerCall: Int { @_noLocks get { 512 } }
  /// The largest ratio of the rates: a file's rate decides the memory that a resampler takes.
  static let maximumRatio = 1024
  /// Frames of the first load, times the ratio if the rate is reduced: far more than soxr's filters hold back plus the
  /// frames of one call.
  private static let warmingLoadFrames = 16384
  /// The limit of the ratio in the load: 2 MiB a channel.
  private static let warmingLoadRatio = 32
  /// Frames at the higher rate that follow the load, in pieces as small as those of the sound.
  private static let warmingPieceFrames = 65536
  /// More output frames than soxr's filters hold back.
  private static let lookAheadFrames = 4096
  /// Frames of the warm-up, several blocks of them, that are fed a few at a time, to count the frames held back before
  /// a block is made.
  private static let probingFrames = 4096
  private static let probingPieceFrames = 16
  /// Most output frames taken out of soxr at once: a block, at usual rates.
  private static var readyCapacityFrames: Int { @_noLocks get { 1024 } }

  private let soxr: soxr_t
  let inputRate: Int
  private(set) var outputRate: Int
  private let silence: Planes
  /// Input on its way into soxr, and the most recent input.
  var input: ResamplerInput
  /// Output on its way out of soxr.
  private let output: Planes
  /// Whether the output's rate has become the input's rate, and the input is output unchanged.
  private(set) var isBypassed = false
  /// The resampler that was bypassed before this one, to be freed.
  var bypassedBefore: UnsafeMutablePointer<Resampler>?
  /// Output of soxr that was not returned yet; `next` is the block after it, if that was made ahead.
  private var ready: UnsafeMutablePointer<Float>
  private var next: UnsafeMutablePointer<Float>
  private let channels: Int
  private var readyStart = 0
  private var readyFrames = 0
  private var nextFrames = 0
  /// Whether soxr has had input since it last had no output.
  private var mayHaveOutput = true
  /// Frames of the last block; 0 before the first.
  private(set) var blockFrames = 0
  /// Blocks that came out of soxr since ``takeBlockCounts()``.
  private var blockCount = 0
  /// Blocks that were returned to their end since then.
  private var playedBlockCount = 0
  /// The most input frames that soxr holds without having output; sometimes it holds fewer.
  let idleInputFrames: Int64
  /// Output frames still to be discarded, those of the warm-up silence first.
  private var warmingFramesLeft: Int
  /// Frames taken and returned since the warm-up.
  private(set) var inputFrames: Int64 = 0
  private(set) var outputFrames: Int64 = 0

  /// Makes and warms up an instance. Takes one to four milliseconds at usual rates, and up to a fifth of a second at a
  /// ratio of hundreds.
  ///
  /// - Parameter mayAllocate: the instance is used where allocation is allowed. The warm-up then feeds as much silence,
  ///   but in pieces no larger than those of the sound, so its buffers are half a megabyte smaller in stereo. The
  ///   output samples are the same.
  init(
    inputRate: Int, outputRate: Int, channels: Int, quality: ResamplerQuality,
    mayAllocate: Bool = false
  ) throws(AudioConverterError) {
    func refusal(_ reason: String) -> AudioConverterError {
      .sampleRateNotSupported(input: Double(inputRate), output: Double(outputRate), reason)
    }
    guard inputRate > 0, outputRate > 0, inputRate / outputRate < Self.maximumRatio,
      outputRate / inputRate < Self.maximumRatio
    else { throw refusal("one is more than \(Self.maximumRatio) times the other") }
    var error: soxr_error_t?
    var specification = unsafe soxr_quality_spec(quality.recipe, 0)
    var runtime = unsafe soxr_runtime_spec(1)
    var layout = unsafe soxr_io_spec(SOXR_FLOAT32_S, SOXR_FLOAT32_S)
    let made = unsafe soxr_create(
      Double(inputRate), Double(outputRate), UInt32(channels), &error, &layout, &specification,
      &runtime)
    guard let soxr = unsafe made, unsafe error == nil else {
      throw refusal(unsafe error.map { unsafe String(cString: $0) } ?? "soxr gave no reason")
    }
    unsafe self.soxr = soxr
    self.inputRate = inputRate
    self.outputRate = outputRate
    silence = Planes(capacity: Self.maximumFramesPerCall, channels: channels, areAlike: true)
    output = Planes(capacity: Self.readyCapacityFrames, channels: channels)
    unsafe ready = UnsafeMutablePointer<Float>.allocate(
      capacity: Self.readyCapacityFrames * channels)
    unsafe ready.initialize(repeating: 0, count: Self.readyCapacityFrames * channels)
    unsafe next = UnsafeMutablePointer<Float>.allocate(
      capacity: Self.readyCapacityFrames * channels)
    unsafe next.initialize(repeating: 0, count: Self.readyCapacityFrames * channels)
    self.channels = channels

    let reduction = max(1, (inputRate + outputRate - 1) / outputRate)
    let load = Self.warmingLoadFrames * min(reduction, Self.warmingLoadRatio)
    let rest = max(
      Self.lookAheadFrames * inputRate / outputRate,
      Self.warmingPieceFrames * inputRate / max(inputRate, outputRate))
    // Rounded up to a point where both rates have a whole frame.
    let divisor = Self.greatestCommonDivisor(inputRate, outputRate)
    let period = inputRate / divisor
    let periods = (load + rest + period - 1) / period
    warmingFramesLeft = periods * (outputRate / divisor)
    let first = mayAllocate ? Self.maximumFramesPerCall : load
    let zeros = Planes(capacity: first, channels: channels, areAlike: true)
    // More than is requested at once for sound, so that the pieces of sound find room.
    let room = mayAllocate ? Self.readyCapacityFrames : 16 * Self.maximumFramesPerCall
    let dropped = Planes(capacity: room, channels: channels, areAlike: true)
    var fed = 0
    var produced = 0
    var idle: Int64 = 0
    while fed < periods * period {
      let left = periods * period - fed
      let isProbing = left <= Self.probingFrames
      let piece = isProbing ? Self.probingPieceFrames : Self.maximumFramesPerCall
      let count = min(fed == 0 ? first : piece, left)
      var given = 0
      unsafe soxr_process(soxr, zeros.pointers, count, nil, dropped.pointers, 0, &given)
      fed += count
      repeat {
        unsafe soxr_process(soxr, zeros.pointers, 0, nil, dropped.pointers, room, &given)
        produced += given
      } while given > 0
      if isProbing {
        idle = max(idle, Int64(fed) - Int64(produced) * Int64(inputRate) / Int64(outputRate))
      }
    }
    warmingFramesLeft -= produced
    idleInputFrames = idle
    input = ResamplerInput(
      capacity: mayAllocate
        ? Self.maximumFramesPerCall
        : Self.repeatableFrames(inputRate, outputRate, idle: Int(idle)),
      channels: channels)
  }

  private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }

  deinit {
    unsafe soxr_delete(soxr)
    unsafe ready.deallocate()
    unsafe next.deallocate()
  }

  /// Output frames that correspond to all input so far, by the ratio of the rates.
  var expectedOutputFrames: Int64 {
    @_noLocks get {
      (inputFrames * Int64(outputRate) + Int64(inputRate) / 2) / Int64(inputRate)
    }
  }

  /// Output frames of the input so far that have not come out yet: the look-ahead.
  var pendingOutputFrames: Int64 {
    @_noLocks get { max(0, expectedOutputFrames - outputFrames) }
  }

  /// Returns the output frames until the input so far and `frames` more have been output and have rung out.
  @_noLocks
  func framesUntilSilence(after frames: Int) -> Int {
    if isBypassed { return Int(inputFrames - outputFrames) + frames }
    // A frame rings as long after its position as before it, which is less than the frames held back.
    let input = inputFrames + Int64(frames) + idleInputFrames
    return Int(input * Int64(outputRate) / Int64(inputRate) + 1 - outputFrames)
  }

  /// The duration of the input so far without the output so far.
  var pendingNanoseconds: Double {
    @_noLocks get {
      (Double(inputFrames) / Double(inputRate) - Double(outputFrames) / Double(outputRate))
        * 1_000_000_000
    }
  }

  /// Returns whether `frames` more input frames complete no block: they are only stored. Wrong one time in a hundred,
  /// and more often if soxr uses several stages (`fast`, and ratios of several).
  @_noLocks
  func holdsBack(_ frames: Int) -> Bool {
    let made = outputFrames + Int64(readyFrames + nextFrames - warmingFramesLeft)
    return inputFrames + Int64(frames) - made * Int64(inputRate) / Int64(outputRate)
      <= idleInputFrames
  }

  /// Writes some output, or takes some input if no output is ready; at most ``maximumFramesPerCall`` frames of either.
  ///
  /// - Returns: input frames taken, and output frames written. Both are 0 only if `inputCount` is.
  @_noLocks
  mutating func process(
    _ input: UnsafePointer<Float>, inputCount: Int, into output: UnsafeMutablePointer<Float>,
    outputCount: Int
  ) -> (taken: Int, given: Int) {
    let (samples, given) = unsafe give(min(outputCount, Self.maximumFramesPerCall))
    if given > 0 {
      unsafe UnsafeMutableRawPointer(output).copyMemory(
        from: samples, byteCount: given * channels * MemoryLayout<Float>.stride)
      return (0, given)
    }
    return (unsafe take(input, inputCount: inputCount), 0)
  }

  /// Returns whether there is output without more input.
  @_noLocks
  mutating func hasOutput() -> Bool {
    if readyFrames > 0 { return true }
    readyStart = 0
    if nextFrames > 0 {
      unsafe swap(&ready, &next)
      readyFrames = nextFrames
      nextFrames = 0
    } else {
      readyFrames = makeBlock()
    }
    return readyFrames > 0
  }

  /// Output frames that were made and not returned yet.
  var framesAhead: Int {
    @_noLocks get { readyFrames + nextFrames }
  }

  /// Whether there is room for a block besides the pending output.
  var hasRoomAhead: Bool {
    @_noLocks get { nextFrames == 0 }
  }

  /// Makes the block that follows the pending output, before it is needed. Call it only if there is room.
  ///
  /// - Returns: whether the input so far was enough for one.
  @_noLocks
  mutating func makeAhead() -> Bool {
    if readyFrames == 0 { return hasOutput() }
    unsafe swap(&ready, &next)
    nextFrames = makeBlock()
    unsafe swap(&ready, &next)
    return nextFrames > 0
  }

  /// Returns the blocks made, and those returned to their end, since the last call.
  @_noLocks
  mutating func takeBlockCounts() -> (made: Int, played: Int) {
    let counts = (blockCount, playedBlockCount)
    blockCount = 0
    playedBlockCount = 0
    return counts
  }

  /// Returns output that needs no more input.
  ///
  /// - Returns: its address, interleaved, valid until the next call; and its number of frames, 0 for none.
  @_noLocks
  mutating func give(_ outputCount: Int) -> (samples: UnsafePointer<Float>, frames: Int) {
    let count = hasOutput() ? min(outputCount, readyFrames) : 0
    let samples = unsafe UnsafePointer(ready + readyStart * channels)
    readyStart += count
    readyFrames -= count
    if count > 0, readyFrames == 0 { playedBlockCount += 1 }
    outputFrames += Int64(count)
    return unsafe (samples, count)
  }

  /// Takes input, at most ``maximumFramesPerCall`` frames.
  ///
  /// - Returns: frames taken.
  @_noLocks
  mutating func take(_ input: UnsafePointer<Float>, inputCount: Int) -> Int {
    let taken = min(inputCount, Self.maximumFramesPerCall)
    unsafe self.input.write(input, count: taken)
    inputFrames += Int64(taken)
    while feedInput() {}
    return taken
  }

  /// Returns the output that is pending after the last input, by feeding silence.
  ///
  /// - Returns: its address, interleaved, valid until the next call; and its number of frames, 0 if nothing is left.
  @_noLocks
  mutating func drain(_ outputCount: Int) -> (samples: UnsafePointer<Float>, frames: Int) {
    let wanted = Int(min(Int64(outputCount), pendingOutputFrames))
    if wanted > 0 {
      // soxr's filter length, a few thousand frames at the lower rate, bounds the silence needed; the limit here
      // only prevents an endless loop.
      for _ in 0..<256 * (1 + inputRate / outputRate) {
        let output = unsafe give(wanted)
        if unsafe output.frames > 0 || isBypassed { return unsafe output }
        unsafe feed(silence.pointers, count: Self.maximumFramesPerCall)
      }
      outputFrames = expectedOutputFrames
    }
    return unsafe (UnsafePointer(ready), 0)
  }

  /// Takes soxr's output for the input so far into `ready`, and discards the rest of the warm-up.
  ///
  /// - Returns: its frames.
  @_noLocks
  private mutating func makeBlock() -> Int {
    if isBypassed { return unsafe input.read(Self.readyCapacityFrames, into: ready) }
    var given = 0
    // Only after a change of rate is there input that soxr has not received yet.
    repeat {
      given = mayHaveOutput ? takeBlock() : 0
    } while given == 0 && feedInput()
    return given
  }

  @_noLocks
  private mutating func takeBlock() -> Int {
    var given = 0
    while warmingFramesLeft > 0 {
      // Written to the buffer of the sound, which overwrites it.
      unsafe soxr_process(
        soxr, silence.pointers, 0, nil, output.pointers,
        min(Self.readyCapacityFrames, warmingFramesLeft), &given)
      if given == 0 {
        mayHaveOutput = false
        return 0
      }
      warmingFramesLeft -= given
    }
    unsafe soxr_process(
      soxr, silence.pointers, 0, nil, output.pointers, Self.readyCapacityFrames, &given)
    if given > 0 {
      unsafe output.give(ready, count: given)
      blockCount += 1
      blockFrames = given
    } else {
      mayHaveOutput = false
    }
    return given
  }

  /// Passes soxr the next part of the input that it has not received.
  ///
  /// - Returns: false if there is none.
  @_noLocks
  private mutating func feedInput() -> Bool {
    let piece = unsafe input.read(Self.maximumFramesPerCall)
    guard unsafe piece.frames > 0 else { return false }
    unsafe feed(piece.pointers, count: piece.frames)
    return true
  }

  @_noLocks
  private mutating func feed(
    _ pointers: UnsafeMutablePointer<UnsafeMutableRawPointer?>, count: Int
  ) {
    var given = 0
    unsafe soxr_process(soxr, pointers, count, nil, output.pointers, 0, &given)
    mayHaveOutput = true
  }

  /// Starts with the last `frames` frames of its input, which soxr has not received yet.
  ///
  /// - Parameter dropped: output frames of these to discard.
  @_noLocks
  mutating func begin(withLast frames: Int, droppingFirst dropped: Int) {
    inputFrames = Int64(frames)
    outputFrames = Int64(dropped)
    warmingFramesLeft += dropped
  }

  /// Makes the last `frames` frames of the input, unchanged, replace the pending output.
  @_noLocks
  mutating func bypass(fromLast frames: Int) {
    input.rewind(toLast: frames)
    isBypassed = true
    outputRate = inputRate
    outputFrames = inputFrames - Int64(frames)
    (readyFrames, nextFrames) = (0, 0)
  }
}

extension ResamplerQuality {
  /// soxr's name for the quality. Its medium quality costs as much as its high one, so it has no case.
  fileprivate var recipe: UInt {
    switch self {
    case .fast: UInt(SOXR_LQ)
    case .good: UInt(SOXR_20_BITQ)
    case .best: UInt(SOXR_28_BITQ)
    }
  }
}
