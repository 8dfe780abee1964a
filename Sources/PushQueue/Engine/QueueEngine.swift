// SPDX-License-Identifier: MIT

internal import AudioConversion
internal import AudioModel
internal import RenderCore

/// An output queue without threads and locks: each step decodes, stretches and writes a little of the enqueued
/// sound into the ring of a source.
///
/// Calls to make are collected in ``calls``; nothing here calls out. Its owner admits one thread at a time, so
/// that it may pass from thread to thread.
final class QueueEngine: @unchecked Sendable {
  /// A call to make to the queue's owner.
  enum Call {
    case returned(AudioQueueBuffer)
    case changed(AudioQueueProperty)
  }

  enum RunState {
    case stopped
    case running
    case paused
  }

  /// The most frames moved at once.
  static let framesPerStep = 1024

  let renderer: Renderer
  /// The number of outputs that it plays on.
  let deviceChannels: Int
  let control: SourceControl
  var feed: SourceFeed
  private(set) var converter: AudioConverter
  /// The packets' format, completed. The queue's time is in frames of its rate.
  let format: AudioStreamBasicDescription
  /// The format of decoded sound: interleaved floats, at the decoder's own rate, which may be twice the
  /// format's.
  var decodedFormat: AudioStreamBasicDescription { converter.outputFormat }
  var sampleRate: Double { decodedFormat.sampleRate }
  let channels: Int
  var layout: AudioChannelLayout?

  var calls = FIFO<Call>()

  // The caller's requests.
  var state = RunState.stopped
  /// Whether it stops when all enqueued sound has played.
  var isStopping = false
  /// Whether it is disposed of when it has stopped.
  var isDisposing = false
  var isDisposed = false
  /// Whether all buffers are being returned; no new ones are accepted.
  var isReturningAll = false
  var isPrimed = false
  /// The output's frame at which to start; 0: at once.
  var deviceStartFrame: UInt64 = 0
  var flushSerial: UInt32 = 0
  /// The flush serial at which the clock began at 0.
  var clockFlushSerial: UInt32 = 0

  // The enqueued sound.
  var entries = FIFO<QueueEntry>()
  var current: EnqueuedBuffer?
  var isFlushing = false
  var lastStartFrame: Double?
  /// Whether the decoder has received input since it was last reset.
  var decoderHasInput = false
  /// Frames that may be the end of a buffer, which is to be trimmed.
  var held: [Float] = []
  var scratch: [Float]
  var reportedFailures: UInt64 = 0
  var converterError: Int32 = 0

  // The decoded sound.
  var decoded = FIFO<DecodedItem>()
  var decodedFrames = 0
  var decodeBufferFrames: Int
  /// The frames requested of priming; they apply while they exceed the buffer's size.
  var primeFrames = 0
  /// Samples on their way into the ring, and the number of those already there.
  var ready: [Float] = []
  var readyUsed = 0
  var coming = ComingSettings()
  /// Settings that come behind frames that are not ready yet, in order.
  var later = FIFO<LaterSettings>()
  var hasStream = false
  var writtenPackets: Int64 = 0
  var writtenFrames: Int64 = 0
  /// Nanoseconds of sound written to the ring under the current flush serial.
  var writtenNanoseconds: UInt64 = 0
  var timePitch: TimePitchStage
  /// The speed of the source's clock, as packets have last set it; NaN if unknown.
  var toldRate: Float = 1

  // Reported and measured values.
  var isReportedRunning = false
  var otherDiscontinuities: UInt64 = 0
  var levelsBefore: [SourceLevel] = []
  var lastLevels: [AudioQueueLevel]

  /// Settings that go with the next packet.
  struct ComingSettings {
    var volume: Float?
    var volumeRampSeconds: Float?
    var pan: Float?
    var rate: Float?
    var startFrame: Double?

    var areEmpty: Bool { volume == nil && volumeRampSeconds == nil && pan == nil && rate == nil }

    /// Adopts the values of later settings.
    mutating func merge(_ later: ComingSettings) {
      if let value = later.volume { volume = value }
      if let value = later.volumeRampSeconds { volumeRampSeconds = value }
      if let value = later.pan { pan = value }
      if let value = later.rate { rate = value }
    }
  }

  /// Settings of stretched sound, which apply after the sound held back before it.
  struct LaterSettings {
    /// The frame at which they begin to apply, as ``writtenFrames`` counts.
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
      // For a stream that turns out to have more channels than its format states.
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

  /// Begins anew with a decoder that has this cookie.
  func setMagicCookie(_ cookie: [UInt8]) throws(AudioQueueError) {
    try checkAlive()
    guard format.formatID != .linearPCM else {
      throw AudioQueueError(.invalidPropertyValue, "linear PCM has no magic cookie")
    }
    // Nor any in the ring, behind a stream that was ended.
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

  /// Performs one step: some work of each stage.
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
    // Before the first packet can be played.
    tellAwaited()
    let hasDecoded = isActive && decodeSome()
    let hasWritten = isActive && writeSome()
    playOn(hasMore: hasDecoded || hasWritten)
    noteStart()
    if isStopping, hasDrained { stopNow() }
    // As much as intended is prepared.
    let isFull = isActive && !hasDecoded && !hasWritten && hasMoreToDo
    feed.noteFull(atTakenEntryCount: isFull ? taken : nil)
    tellAwaited()
    return hasDecoded || hasWritten
  }

  /// Sets whether more sound follows the sound in the ring. A stream that has not been ended goes on with the
  /// sound enqueued next.
  private func tellAwaited() {
    control.holdsOutput = state == .running && !hasWrittenEnd
  }

  /// The longest rest without a call. The output cannot wake the queue, so its progress is polled.
  var restNanoseconds: UInt64? {
    if state == .stopped { return nil }
    if control.isOutputWaiting { return 500_000 }
    let isSettled = isReportedRunning && !isStopping && Double(ringFrames) > 0.2 * sampleRate
    return isSettled ? 20_000_000 : 5_000_000
  }

  /// Frames that are decoded and not rendered. The true number can only be smaller by now.
  var preparedFrames: Int {
    decodedFrames + (ready.count - readyUsed) / channels + ringFrames
  }

  var ringFrames: Int {
    // Sound in the ring with an older flush serial is not counted.
    Int((Double(min(feed.bufferedNanoseconds, writtenNanoseconds)) * sampleRate / 1e9).rounded())
  }

  /// Resumes the source after an underrun, once there is enough for more than a stutter.
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
