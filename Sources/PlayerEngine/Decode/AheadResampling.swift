// SPDX-License-Identifier: MIT

internal import AudioModel
internal import RenderCore

/// Resamples consecutive decoded streams of one rate without a gap, and cuts the output into runs that begin where a
/// stream, a title or a concealed packet begins.
///
/// The samples equal those of the callback's resampler. Feeder thread only.
@safe
final class AheadResampling {
  /// A stream, title or concealed packet that begins at an output frame.
  private struct Change {
    var frame: Int64
    var news: RunNews
    /// The packet whose concealment begins there.
    var failed: PacketMetadata?
  }

  private let resampler: OfflineResampler
  private let inputRate: Int
  private let outputRate: Int
  private let channels: Int
  private let runFrames: Int
  /// The resampler's output buffer.
  private let output: UnsafeMutableBufferPointer<Float>
  /// The unfinished run.
  private var run: [Float] = []
  private var runNews = RunNews()
  private var runFailed: PacketMetadata?
  /// Output frames so far, those of the unfinished run included.
  private var frames: Int64 = 0
  /// The output frame that the current stream begins at.
  private var streamStart: Int64 = 0
  /// Changes at later frames, in order.
  private var changes: [Change] = []
  /// Packet metadata of the last input run.
  private var last: PacketMetadata?

  /// - Throws: `AudioConverterError` if the resampler cannot convert between the rates.
  init(
    _ format: AudioStreamBasicDescription, to outputRate: Int, quality: ResamplerQuality
  ) throws(AudioConverterError) {
    inputRate = Int(format.sampleRate.rounded())
    self.outputRate = outputRate
    channels = Int(format.channelsPerFrame)
    resampler = try OfflineResampler(
      inputRate: inputRate, outputRate: outputRate, channels: channels, quality: quality)
    runFrames = PacketRun.maximumFrames(bytesPerFrame: 4 * channels)
    unsafe output = .allocate(capacity: OfflineResampler.maximumFramesPerCall * channels)
    unsafe output.initialize(repeating: 0)
  }

  deinit { unsafe output.deallocate() }

  /// Returns whether a stream of this format can continue in the same resampler.
  func canGoOn(with format: AudioStreamBasicDescription, to outputRate: Int) -> Bool {
    Int(format.sampleRate.rounded()) == inputRate && Int(format.channelsPerFrame) == channels
      && outputRate == self.outputRate
  }

  /// Resamples a run's untrimmed frames and adds the resulting runs.
  func append(
    _ samples: Span<Float>, metadata: PacketMetadata, news: RunNews,
    to packets: inout PendingPackets
  ) {
    if !news.isEmpty || metadata.isConcealed {
      changes.append(
        Change(
          frame: resampler.expectedOutputFrames, news: news,
          failed: metadata.isConcealed ? metadata : nil))
    }
    last = metadata
    let first = Int(metadata.trimStartFrames)
    let heard = first..<Int(metadata.frameCount - metadata.trimEndFrames)
    unsafe samples.extracting(heard.lowerBound * channels..<heard.upperBound * channels)
      .withUnsafeBufferPointer { input in
        guard let start = input.baseAddress, let output = unsafe output.baseAddress else {
          return
        }
        var taken = 0
        while true {
          let moved = unsafe resampler.process(
            start + taken * channels, inputCount: heard.count - taken, into: output,
            outputCount: OfflineResampler.maximumFramesPerCall)
          if moved == (0, 0) { break }
          taken += moved.taken
          take(moved.given, to: &packets)
        }
      }
  }

  /// Drains the resampler after the last input. It cannot be used after that.
  func finish(_ packets: inout PendingPackets) {
    guard let start = unsafe output.baseAddress else { return }
    while true {
      let given = unsafe resampler.drain(
        into: start, outputCount: OfflineResampler.maximumFramesPerCall)
      if given == 0 { break }
      take(given, to: &packets)
    }
    finishRun(&packets)
  }

  /// Moves the first frames of `output` into runs.
  private func take(_ count: Int, to packets: inout PendingPackets) {
    var done = 0
    while done < count {
      if let next = changes.first, next.frame <= frames {
        finishRun(&packets)
        takeChanges()
      }
      var room = runFrames - run.count / channels
      // Two streams, or two concealed packets, cannot begin at one frame: the second one begins at the next.
      if let next = changes.first { room = min(room, max(1, Int(next.frame - frames))) }
      let piece = min(room, count - done)
      unsafe run.append(
        contentsOf: output.extracting(done * channels..<(done + piece) * channels))
      frames += Int64(piece)
      done += piece
      if run.count == runFrames * channels { finishRun(&packets) }
    }
  }

  /// Assigns the changes due by now to the run that begins: at most one of each kind.
  private func takeChanges() {
    while let next = changes.first, next.frame <= frames {
      if next.failed != nil, runFailed != nil { return }
      if next.news.begun != nil, runNews.begun != nil { return }
      if let begun = next.news.begun {
        runNews.begun = begun
        runNews.begun?.stream.format = .decoded(
          sampleRate: Double(outputRate), channels: UInt32(channels))
        streamStart = frames
      }
      if let said = next.news.said { runNews.said = said }
      if let failed = next.failed { runFailed = failed }
      changes.removeFirst()
    }
  }

  private func finishRun(_ packets: inout PendingPackets) {
    let count = run.count / channels
    guard count > 0, let from = runFailed ?? last else { return }
    packets.append(
      run.span,
      metadata: PacketMetadata(
        flushSerial: from.flushSerial, packetIndex: from.packetIndex,
        firstFrame: frames - Int64(count) - streamStart, frameCount: Int32(count),
        trimStartFrames: 0, trimEndFrames: 0, byteOffset: from.byteOffset,
        durationNanoseconds: UInt64(Double(count) / Double(outputRate) * 1_000_000_000),
        isConcealed: runFailed != nil),
      news: runNews)
    run.removeAll(keepingCapacity: true)
    runNews = RunNews()
    runFailed = nil
  }
}
