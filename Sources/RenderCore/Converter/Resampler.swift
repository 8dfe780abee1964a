// SPDX-License-Identifier: MIT

internal import CSoxr

/// Changes the sample rate with soxr, one instance a stream.
///
/// soxr's buffers grow by allocation until they have seen their largest load, and its reset and its
/// end-of-input handling allocate too. So an instance is made and given a load of silence, larger
/// than any that follows, off the render thread; it is never reset; and its tail is got by feeding
/// silence again. The silence is a whole number of frames on both sides, so the sound that follows
/// starts on the grid: output frame n is the input at n times the ratio, for soxr's filters are
/// symmetric and it takes their delay out itself.
///
/// soxr's better qualities work block by block: some 800 frames go in for nothing, and then as many come
/// out at once. All that there is is taken out then, so that it is known how much that is; and input goes
/// in only when nothing more comes out, or when what goes in makes no block. (Feeding with every call, as
/// soxr's own interface suggests, takes a fraction of a frame too much each time, which piles up inside
/// for ever.)
///
/// soxr is given each channel by itself: taking interleaved frames apart and putting them together costs it
/// more than a quarter of the time that it takes in stereo.
///
/// Real-time: making and destroying it is not; everything else is.
@safe
struct Resampler: ~Copyable {
  /// Most frames handed to or asked of soxr at once.
  static var maximumFramesPerCall: Int { @_noLocks get { 512 } }
  /// Most times that one rate may be the other: a file's rate decides how much memory this takes.
  static let maximumRatio = 1024
  /// Frames of the first load, times the ratio where the rate is reduced: far more than soxr's filters
  /// hold back plus what one call adds.
  private static let warmingLoadFrames = 16384
  /// Where the ratio stops counting for the load: 2 MiB a channel.
  private static let warmingLoadRatio = 32
  /// Frames at the higher rate that follow the load, in pieces as small as those of sound.
  private static let warmingPieceFrames = 65536
  /// More output frames than soxr's filters hold back.
  private static let lookAheadFrames = 4096
  /// Frames of the warming, several blocks of them, that go in a few at a time, to see how many are held
  /// before a block is made.
  private static let probingFrames = 4096
  private static let probingPieceFrames = 16
  /// Output that is taken out of soxr at once: a block, at usual rates.
  private static var readyCapacityFrames: Int { @_noLocks get { 1024 } }

  private let soxr: soxr_t
  let inputRate: Int
  private(set) var outputRate: Int
  private let silence: Planes
  /// Input on its way into soxr, and what went in of late.
  var input: ResamplerInput
  /// Output on its way out of soxr.
  private let output: Planes
  /// The output's rate has become that of the input, which is given as it is.
  private(set) var isBypassed = false
  /// The one that was bypassed before this one, to be freed.
  var bypassedBefore: UnsafeMutablePointer<Resampler>?
  /// Output that came out of soxr and was not given yet; and what follows it, where that was made ahead.
  private var ready: UnsafeMutablePointer<Float>
  private var next: UnsafeMutablePointer<Float>
  private let channels: Int
  private var readyStart = 0
  private var readyFrames = 0
  private var nextFrames = 0
  /// soxr has had input since it last gave no output.
  private var mayHaveOutput = true
  /// Frames of the last block; 0 before the first.
  private(set) var blockFrames = 0
  /// Times that output came out of soxr since this was last asked for.
  private var blockCount = 0
  /// Times that all of such output had been given.
  private var playedBlockCount = 0
  /// Input frames that soxr holds at most without having any output to give; now and then some less.
  let idleInputFrames: Int64
  /// Output frames, of the warming silence first, that have still to be thrown away.
  private var warmingFramesLeft: Int
  /// Frames taken and given since the warming.
  private(set) var inputFrames: Int64 = 0
  private(set) var outputFrames: Int64 = 0

  /// Makes and warms an instance. Takes one to four milliseconds at usual rates, and up to a fifth of
  /// a second at a ratio of hundreds.
  ///
  /// - Parameter mayAllocate: it is used where it may: as much silence goes in, but never more at once than sound
  ///   does, so that its buffers are half a megabyte smaller in stereo. The samples are the same.
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
    // Up to where both rates have a whole frame.
    let divisor = Self.greatestCommonDivisor(inputRate, outputRate)
    let period = inputRate / divisor
    let periods = (load + rest + period - 1) / period
    warmingFramesLeft = periods * (outputRate / divisor)
    let first = mayAllocate ? Self.maximumFramesPerCall : load
    let zeros = Planes(capacity: first, channels: channels, areAlike: true)
    // More at once than sound is asked for, so that its pieces find room.
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

  /// Output frames until the input so far and so many frames more have sounded, and rung out.
  @_noLocks
  func framesUntilSilence(after frames: Int) -> Int {
    if isBypassed { return Int(inputFrames - outputFrames) + frames }
    // A frame rings as far behind its place as before it, which is less than what is held back.
    let input = inputFrames + Int64(frames) + idleInputFrames
    return Int(input * Int64(outputRate) / Int64(inputRate) + 1 - outputFrames)
  }

  /// How long the input so far sounds beyond what has come out.
  var pendingNanoseconds: Double {
    @_noLocks get {
      (Double(inputFrames) / Double(inputRate) - Double(outputFrames) / Double(outputRate))
        * 1_000_000_000
    }
  }

  /// Whether so many input frames more make no block: they are put away, and nothing comes of them yet. Wrong
  /// one time in a hundred, and more often where soxr takes several stages (`fast`, and ratios of several).
  @_noLocks
  func holdsBack(_ frames: Int) -> Bool {
    let made = outputFrames + Int64(readyFrames + nextFrames - warmingFramesLeft)
    return inputFrames + Int64(frames) - made * Int64(inputRate) / Int64(outputRate)
      <= idleInputFrames
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
    let (samples, given) = unsafe give(min(outputCount, Self.maximumFramesPerCall))
    if given > 0 {
      unsafe UnsafeMutableRawPointer(output).copyMemory(
        from: samples, byteCount: given * channels * MemoryLayout<Float>.stride)
      return (0, given)
    }
    return (unsafe take(input, inputCount: inputCount), 0)
  }

  /// Whether there is output for which no more input is needed.
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

  /// Output that was made and not given yet.
  var framesAhead: Int {
    @_noLocks get { readyFrames + nextFrames }
  }

  /// Whether there is room for a block besides the output that there is.
  var hasRoomAhead: Bool {
    @_noLocks get { nextFrames == 0 }
  }

  /// Makes the block that follows the output that there is, before it is wanted. Only with room for it.
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

  /// Blocks made, and those given to their end, since this was last asked for.
  @_noLocks
  mutating func takeBlockCounts() -> (made: Int, played: Int) {
    let counts = (blockCount, playedBlockCount)
    blockCount = 0
    playedBlockCount = 0
    return counts
  }

  /// Gives output for which no more input is needed.
  ///
  /// - Returns: where it is, interleaved, until this is called again; and how many frames, 0 for none.
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

  /// Gives what is pending after the last input, by feeding silence.
  ///
  /// - Returns: where it is, interleaved, until this is called again; and how many frames, 0 when nothing is
  ///   left.
  @_noLocks
  mutating func drain(_ outputCount: Int) -> (samples: UnsafePointer<Float>, frames: Int) {
    let wanted = Int(min(Int64(outputCount), pendingOutputFrames))
    if wanted > 0 {
      // How much silence it takes is bounded by soxr's filter length, a few thousand frames at the lower
      // rate; the limit only keeps a surprise from looping for ever.
      for _ in 0..<256 * (1 + inputRate / outputRate) {
        let output = unsafe give(wanted)
        if unsafe output.frames > 0 || isBypassed { return unsafe output }
        unsafe feed(silence.pointers, count: Self.maximumFramesPerCall)
      }
      outputFrames = expectedOutputFrames
    }
    return unsafe (UnsafePointer(ready), 0)
  }

  /// Takes the output out that soxr can give of the input so far, to where `ready` is; what is left of the
  /// warming is dropped.
  ///
  /// - Returns: its frames.
  @_noLocks
  private mutating func makeBlock() -> Int {
    if isBypassed { return unsafe input.read(Self.readyCapacityFrames, into: ready) }
    var given = 0
    // Only after a change of rate there is input that soxr has not got yet.
    repeat {
      given = mayHaveOutput ? takeBlock() : 0
    } while given == 0 && feedInput()
    return given
  }

  @_noLocks
  private mutating func takeBlock() -> Int {
    var given = 0
    while warmingFramesLeft > 0 {
      // Written where the sound will be, and overwritten by it.
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

  /// Hands soxr the next of the input that it has not got.
  ///
  /// - Returns: false when there is none.
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

  /// Begins with the last so many frames of its input, which soxr has not got yet.
  ///
  /// - Parameter dropped: output frames of them that are not heard.
  @_noLocks
  mutating func begin(withLast frames: Int, droppingFirst dropped: Int) {
    inputFrames = Int64(frames)
    outputFrames = Int64(dropped)
    warmingFramesLeft += dropped
  }

  /// Gives the last so many frames of the input as they are, in place of what has not been given.
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
  /// soxr's name for it. Its medium quality costs what its high one does, so it has no case.
  fileprivate var recipe: UInt {
    switch self {
    case .fast: UInt(SOXR_LQ)
    case .good: UInt(SOXR_20_BITQ)
    case .best: UInt(SOXR_28_BITQ)
    }
  }
}
