// SPDX-License-Identifier: MIT

internal import AudioConversion
internal import AudioModel
internal import RenderCore

/// An output queue without threads and locks: what is enqueued is decoded, stretched and put into the ring of
/// a source, a little with each step.
///
/// What shall be called is collected in ``calls``; nothing here calls out. Its owner lets one thread in at a
/// time, which is why it may go from one to the other.
final class QueueEngine: @unchecked Sendable {
  /// What the queue's owner is to be told.
  enum Call {
    case returned(AudioQueueBuffer)
    case changed(AudioQueueProperty)
  }

  enum RunState {
    case stopped
    case running
    case paused
  }

  /// Most frames moved at once.
  static let framesPerStep = 1024

  let renderer: Renderer
  /// The outputs that it is heard on.
  let deviceChannels: Int
  let control: SourceControl
  var feed: SourceFeed
  private(set) var converter: AudioConverter
  /// The packets' format, completed. The queue's time is in frames of its rate.
  let format: AudioStreamBasicDescription
  /// What is decoded to: floats, interleaved, at the decoder's own rate, which may be twice the format's.
  var decodedFormat: AudioStreamBasicDescription { converter.outputFormat }
  var sampleRate: Double { decodedFormat.sampleRate }
  let channels: Int
  var layout: AudioChannelLayout?

  var calls = FIFO<Call>()

  // What the caller wants.
  var state = RunState.stopped
  /// Stops when all that was enqueued has sounded.
  var isStopping = false
  /// Goes when it has stopped.
  var isDisposing = false
  var isDisposed = false
  /// All buffers are being given back; no new ones are taken.
  var isReturningAll = false
  var isPrimed = false
  /// The output's frame at which it was told to start; 0 for at once.
  var deviceStartFrame: UInt64 = 0
  var generation: UInt32 = 0
  /// The generation with which the clock began at 0.
  var clockGeneration: UInt32 = 0

  // What is enqueued.
  var entries = FIFO<QueueEntry>()
  var current: EnqueuedBuffer?
  var isFlushing = false
  var lastStartFrame: Double?
  /// The decoder was given something since it was last reset.
  var decoderHasInput = false
  /// Frames that may be the end of a buffer that is to be left out.
  var held: [Float] = []
  var scratch: [Float]
  var reportedFailures: UInt64 = 0
  var converterError: Int32 = 0

  // What is decoded.
  var decoded = FIFO<DecodedItem>()
  var decodedFrames = 0
  var decodeBufferFrames: Int
  /// What priming was asked for, while that is more than the buffer's size.
  var primeFrames = 0
  /// Samples on their way into the ring, and how many of them are there already.
  var ready: [Float] = []
  var readyUsed = 0
  var coming = ComingSettings()
  /// What is to come behind frames that are not ready yet, in order.
  var later = FIFO<LaterSettings>()
  var hasStream = false
  var writtenPackets: Int64 = 0
  var writtenFrames: Int64 = 0
  /// Nanoseconds of sound written to the ring in this generation.
  var writtenNanoseconds: UInt64 = 0
  var timePitch: TimePitchStage
  /// The speed of the source's clock, as packets have told it; no number where that is not known.
  var toldRate: Float = 1

  // What was told, and what was measured.
  var isReportedRunning = false
  var otherDiscontinuities: UInt64 = 0
  var levelsBefore: [SourceLevel] = []
  var lastLevels: [AudioQueueLevel]

  /// What goes with the next packet.
  struct ComingSettings {
    var volume: Float?
    var volumeRampSeconds: Float?
    var pan: Float?
    var rate: Float?
    var startFrame: Double?

    var areEmpty: Bool { volume == nil && volumeRampSeconds == nil && pan == nil && rate == nil }

    /// Takes over what later ones say.
    mutating func merge(_ later: ComingSettings) {
      if let value = later.volume { volume = value }
      if let value = later.volumeRampSeconds { volumeRampSeconds = value }
      if let value = later.pan { pan = value }
      if let value = later.rate { rate = value }
    }
  }

  /// Settings of sound that is stretched, which comes when what is held back before it has come.
  struct LaterSettings {
    /// Where that is, as ``writtenFrames`` counts.
    var frame: Int64
    var settings: ComingSettings
  }

  init(
    _ format: AudioStreamBasicDescription, renderer: Renderer, outputs: Range<Int>? = nil
  ) throws(AudioQueueError) {
    if format.formatID == .linearPCM, format.formatFlags.contains(.nonInterleaved) {
      throw AudioQueueError(.formatNotSupported, "a queue takes interleaved linear PCM")
    }
    let channels = format.channelsPerFrame
    guard (1...64).contains(channels) else {
      throw AudioQueueError(.formatNotSupported, "a queue of \(channels) channels")
    }
    let converter = try Self.makeConverter(format, magicCookie: [])
    let sampleRate = converter.outputFormat.sampleRate
    self.converter = converter
    self.format = converter.inputFormat
    self.channels = Int(channels)
    self.renderer = renderer
    timePitch = TimePitchStage(sampleRate: sampleRate, channels: self.channels)
    decodeBufferFrames = Int(sampleRate)
    let bytesPerSecond = Int(sampleRate) * self.channels * MemoryLayout<Float>.size
    let source = renderer.addSource(
      ringBytes: min(max(1 << 18, 2 * bytesPerSecond), 1 << 25), ringPackets: 4096,
      outputs: outputs)
    deviceChannels = outputs?.count ?? renderer.outputChannels
    lastLevels = Array(repeating: AudioQueueLevel(average: 0, peak: 0), count: deviceChannels)
    control = source.control
    feed = source.feed
    scratch = Array(repeating: 0, count: Self.framesPerStep * self.channels)
    control.clockRate = self.format.sampleRate
  }

  private static func makeConverter(
    _ format: AudioStreamBasicDescription, magicCookie: [UInt8]
  ) throws(AudioQueueError) -> AudioConverter {
    let converter: AudioConverter
    do throws(AudioConversionError) {
      converter = try AudioConverter(
        from: format,
        to: .linearPCM(
          sampleRate: 0, channels: format.channelsPerFrame, bitsPerChannel: 32,
          flags: [.float, .packed]),
        magicCookie: magicCookie)
      // A stream that turns out to have more channels than it was said to.
      try converter.setDownmix(true)
    } catch {
      throw AudioQueueError(.formatNotSupported, error.description)
    }
    let rate = converter.outputFormat.sampleRate
    guard (1...1_000_000).contains(rate) else {
      throw AudioQueueError(.formatNotSupported, "a queue at \(rate) Hz")
    }
    return converter
  }

  /// Begins anew with a decoder that knows this.
  func setMagicCookie(_ cookie: [UInt8]) throws(AudioQueueError) {
    try checkAlive()
    guard format.formatID != .linearPCM else {
      throw AudioQueueError(.invalidPropertyValue, "linear PCM has no magic cookie")
    }
    // Also none in the ring, behind a stream that was ended.
    guard state == .stopped, hasWrittenEnd, writtenNanoseconds == 0 else {
      throw AudioQueueError(
        .invalidRunState, "the magic cookie must be set before the first buffer is enqueued")
    }
    do throws(AudioQueueError) {
      converter = try Self.makeConverter(format, magicCookie: cookie)
    } catch {
      throw AudioQueueError(.invalidPropertyValue, error.reason)
    }
    reportedFailures = 0
    try timePitch.adopt(sampleRate: sampleRate)
  }

  /// One step: something of each stage.
  ///
  /// - Returns: whether anything moved.
  func step() -> Bool {
    guard !isDisposed else { return false }
    let taken = feed.takenEntryCount
    feed.reclaimConverters()
    do throws(AudioConverterError) {
      try feed.followOutputRate()
    } catch {
      note(converterError: AudioQueueError.Code.formatNotSupported.rawValue)
    }
    while let event = feed.nextEvent() {
      if case .outputRateChanged = event.kind { otherDiscontinuities += 1 }
    }
    let isActive = state != .stopped || isPrimed
    // Before the first packet is there to be played.
    tellAwaited()
    let hasDecoded = isActive && decodeSome()
    let hasWritten = isActive && writeSome()
    playOn(hasMore: hasDecoded || hasWritten)
    noteStart()
    if isStopping, hasDrained { stopNow() }
    // As much is prepared as shall be.
    let isFull = isActive && !hasDecoded && !hasWritten && hasMoreToDo
    feed.noteFull(atTakenEntryCount: isFull ? taken : nil)
    tellAwaited()
    return hasDecoded || hasWritten
  }

  /// Says whether more sound follows what is in the ring. A stream that has not been ended goes on with what
  /// is enqueued next.
  private func tellAwaited() {
    control.isAwaited = state == .running && !hasWrittenEnd
  }

  /// How long nothing needs to be done, unless somebody calls: the output cannot ring, so that what it has
  /// done is asked for.
  var restNanoseconds: UInt64? {
    if state == .stopped { return nil }
    if control.isWaitedFor { return 500_000 }
    let isSettled = isReportedRunning && !isStopping && Double(ringFrames) > 0.2 * sampleRate
    return isSettled ? 20_000_000 : 5_000_000
  }

  /// Frames that are decoded and not rendered. Can only have shrunk since it was read.
  var preparedFrames: Int {
    decodedFrames + (ready.count - readyUsed) / channels + ringFrames
  }

  var ringFrames: Int {
    // What is in the ring of an older generation is not counted.
    Int((Double(min(feed.bufferedNanoseconds, writtenNanoseconds)) * sampleRate / 1e9).rounded())
  }

  /// Lets the source go on after an underrun, once there is enough for more than a stutter.
  private func playOn(hasMore: Bool) {
    guard control.isStarved else { return }
    let isEnough = Double(ringFrames) >= 0.02 * sampleRate
    if isEnough || (!hasMore && feed.entryCount > 0) { control.acknowledgeUnderruns() }
  }

  func note(converterError status: Int32) {
    converterError = status
    calls.append(.changed(.converterError))
  }
}
