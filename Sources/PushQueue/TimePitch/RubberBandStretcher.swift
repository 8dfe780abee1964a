// SPDX-License-Identifier: MIT

#if DRAWBAR_RUBBERBAND
  internal import CRubberBand

  /// librubberband in its real-time mode, where ratios may change between two calls.
  ///
  /// The library needs sound before the first frame and after the last. It receives silence there, and the
  /// output for that is dropped: the first frame out is the first one in, and the ratios determine the number
  /// of frames out. New ratios act on all sound that the library still holds, so they are set only when the
  /// library reaches the frames for which they were requested.
  @safe
  final class RubberBandStretcher: Stretcher {
    /// The most frames handed over at once.
    private static let framesPerCall = 1024
    /// The variation of the frames that the library holds back, measured: its processing steps, and its
    /// resampler.
    private static let heldFramesMargin = 640

    /// The ratios of time and pitch.
    private struct Ratios: Equatable {
      var timeRatio = 1.0
      var pitchScale = 1.0

      /// The ratio of length before the sound is resampled to its pitch, which makes it `timeRatio`.
      var stretch: Double { timeRatio * pitchScale }
    }

    /// Ratios that apply from a frame of the input on.
    private struct Change {
      let frame: Int
      let ratios: Ratios
    }

    private let functions: drawbar_rubberband
    private let state: OpaquePointer
    private let channels: Int
    /// The distance from the input back to the middle of the sound stretched next, in start pads.
    private let padsBehind: Int
    /// One run of samples for each channel, and their addresses.
    private let planes: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>
    private var isFresh = true
    private var framesToDrop = 0
    /// Frames due for the input so far, and those delivered.
    private var framesDue = 0.0
    private var framesGiven = 0
    /// Frames handed over, without the silence before them.
    private var handedFrames = 0
    /// The ratios of the next output, and those of the output after it, in order.
    private var settled = Ratios()
    private var changes: [Change] = []
    /// The ratios last set in the library.
    private var toldStretch = 1.0
    private var toldScale = 1.0

    init(
      _ functions: drawbar_rubberband, algorithm: AudioQueueTimePitchAlgorithm, sampleRate: Double,
      channels: Int
    ) throws(AudioQueueError) {
      var options =
        RubberBandOptionProcessRealTime.rawValue | RubberBandOptionThreadingNever.rawValue
        | RubberBandOptionPitchHighConsistency.rawValue
      // The finer engine costs two and a half times as much.
      if algorithm != .timeDomain { options |= RubberBandOptionEngineFiner.rawValue }
      guard
        let state = unsafe functions.rubberband_new(
          UInt32(sampleRate.rounded()), UInt32(channels), Int32(bitPattern: options), 1, 1)
      else {
        throw AudioQueueError(
          .codecNotFound, "librubberband refuses \(channels) channels at \(sampleRate) Hz")
      }
      self.functions = functions
      unsafe self.state = state
      self.channels = channels
      // The faster engine requests a pad that is shorter than the input that it collects, measured.
      padsBehind = algorithm == .timeDomain ? 3 : 1
      unsafe functions.rubberband_set_max_process_size(state, UInt32(Self.framesPerCall))
      unsafe planes = .allocate(capacity: channels)
      for channel in 0..<channels {
        let samples = UnsafeMutablePointer<Float>.allocate(capacity: Self.framesPerCall)
        unsafe samples.initialize(repeating: 0, count: Self.framesPerCall)
        unsafe planes.initializeElement(at: channel, to: samples)
      }
    }

    deinit {
      unsafe functions.rubberband_delete(state)
      for channel in 0..<channels { unsafe planes[channel]?.deallocate() }
      unsafe planes.deallocate()
    }

    func set(timeRatio: Double, pitchScale: Double) {
      let ratios = Ratios(timeRatio: timeRatio, pitchScale: pitchScale)
      guard ratios != wanted else { return }
      guard isFresh else {
        changes.append(Change(frame: handedFrames, ratios: ratios))
        return
      }
      settled = ratios
      tellRatios()
    }

    /// The ratios of the next input.
    private var wanted: Ratios { changes.last?.ratios ?? settled }

    private var padding: Int { Int(unsafe functions.rubberband_get_preferred_start_pad(state)) }

    /// Returns the input frame at which the middle of the library's stretching reaches a change.
    private func stretchFrame(of change: Change) -> Int { change.frame + padsBehind * padding }

    /// Returns the input frame at which the library's resampling reaches it, half a window of stretched sound
    /// behind.
    private func pitchFrame(of change: Change) -> Int {
      stretchFrame(of: change) + Int((Double(padding) / change.ratios.stretch).rounded())
    }

    /// Frames that may go in before the library's ratios must be set.
    private var framesToChange: Int {
      let places = changes.flatMap { [stretchFrame(of: $0), pitchFrame(of: $0)] }
      return (places.filter { $0 > handedFrames }.min() ?? .max) - handedFrames
    }

    /// Sets the library's ratios for the frames that it reaches next.
    private func tellRatios() {
      if let index = changes.lastIndex(where: { pitchFrame(of: $0) <= handedFrames }) {
        settled = changes[index].ratios
        changes.removeFirst(index + 1)
      }
      let change = changes.last { stretchFrame(of: $0) <= handedFrames }
      var stretch = (change?.ratios ?? settled).stretch
      let scale = settled.pitchScale
      let isSame = abs(stretch / toldStretch - 1) < 4e-9
      if isSame, scale == toldScale { return }
      // If both ratios change and their product does not, as at any speed of a tape, the library takes all of
      // the past for played at the new ones, and compensates with the sound that follows. So the product is
      // changed a little.
      if isSame { stretch = toldStretch * (toldStretch < stretch ? 1 + 1e-9 : 1 - 1e-9) }
      (toldStretch, toldScale) = (stretch, scale)
      unsafe functions.rubberband_set_time_ratio(state, stretch / scale)
      unsafe functions.rubberband_set_pitch_scale(state, scale)
    }

    func process(_ samples: [Float]) -> [Float] {
      var output: [Float] = []
      if isFresh {
        isFresh = false
        framesToDrop = Int(unsafe functions.rubberband_get_start_delay(state))
        hand(over: padding, into: &output) { _, _ in 0 }
        handedFrames = 0
      }
      let frames = samples.count / channels
      hand(over: frames, into: &output) { frame, channel in samples[frame * channels + channel] }
      framesDue += Double(frames) * wanted.timeRatio
      framesGiven += output.count / channels
      // At each jump of the speed the library delivers some frames more or fewer than the ratios imply. This
      // error of the count is not sound that the library holds back.
      let range = heldRange
      framesDue = min(framesDue, Double(framesGiven + range.upperBound))
      if framesGiven > 0 { framesDue = max(framesDue, Double(framesGiven + range.lowerBound)) }
      return output
    }

    var heldFrames: Int { max(0, Int(framesDue.rounded()) - framesGiven) }

    /// The range of frames that the library holds back once it delivers any: sound not stretched yet, and half
    /// a window of stretched sound. Two thirds of that are always there, measured at all rates and ratios.
    private var heldRange: ClosedRange<Int> {
      let all = changes.map(\.ratios) + [settled]
      func frames(_ pads: Int, _ timeRatio: Double?, _ pitchScale: Double?) -> Double {
        Double(padding) * (Double(pads) * (timeRatio ?? 1) + 1 / (pitchScale ?? 1))
      }
      let fewest = frames(1, all.map(\.timeRatio).min(), all.map(\.pitchScale).max())
      let most = frames(padsBehind, all.map(\.timeRatio).max(), all.map(\.pitchScale).min())
      return Int(fewest * 2 / 3)...Int(most) + Self.heldFramesMargin
    }

    func finish() -> [Float] {
      var output: [Float] = []
      let left = heldFrames
      // It holds back less than a second at any ratio.
      for _ in 0..<256 where output.count / channels < left {
        hand(over: Self.framesPerCall, into: &output) { _, _ in 0 }
      }
      reset()
      return Array(output.prefix(left * channels))
    }

    func reset() {
      unsafe functions.rubberband_reset(state)
      isFresh = true
      framesToDrop = 0
      (framesDue, framesGiven, handedFrames) = (0, 0, 0)
      settled = wanted
      changes.removeAll()
      tellRatios()
    }

    private func hand(
      over frames: Int, into output: inout [Float],
      _ sample: (_ frame: Int, _ channel: Int) -> Float
    ) {
      var done = 0
      while done < frames {
        let count = min(Self.framesPerCall, frames - done, framesToChange)
        for channel in 0..<channels {
          guard let plane = unsafe planes[channel] else { continue }
          for i in 0..<count { unsafe plane[i] = sample(done + i, channel) }
        }
        done += count
        handedFrames += count
        callProcess(count)
        retrieve(into: &output)
        if !changes.isEmpty { tellRatios() }
      }
    }

    private func callProcess(_ count: Int) {
      unsafe UnsafePointer(planes.baseAddress!).withMemoryRebound(
        to: UnsafePointer<Float>?.self, capacity: channels
      ) { pointers in
        unsafe functions.rubberband_process(state, pointers, UInt32(count), 0)
      }
    }

    private func retrieve(into output: inout [Float]) {
      while true {
        // Asked for more than it has, the library complains on standard error.
        let available = min(
          Self.framesPerCall, Int(unsafe functions.rubberband_available(state)))
        guard available > 0 else { break }
        let count = unsafe Int(
          functions.rubberband_retrieve(state, planes.baseAddress!, UInt32(available)))
        if count == 0 { break }
        let first = min(framesToDrop, count)
        framesToDrop -= first
        for frame in first..<count {
          for channel in 0..<channels {
            if let plane = unsafe planes[channel] { unsafe output.append(plane[frame]) }
          }
        }
      }
    }
  }
#endif
