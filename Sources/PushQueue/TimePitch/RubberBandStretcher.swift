// SPDX-License-Identifier: MIT

#if DRAWBAR_RUBBERBAND
  internal import CRubberBand

  /// librubberband in its real-time mode, where ratios may change between two calls.
  ///
  /// What it needs before the first frame and after the last is given to it as silence, and what comes out
  /// for that is dropped: the first frame out is the first one in, and so many come out as the ratios say.
  /// The library has ratios act on all that it has not given out; so it is told new ones when it comes to
  /// the frames for which they were set.
  @safe
  final class RubberBandStretcher: Stretcher {
    /// Most frames handed over at once.
    private static let framesPerCall = 1024
    /// What the library holds back varies by, measured: the steps in which it goes on, and its resampler.
    private static let heldFramesMargin = 640

    /// How the sound is changed.
    private struct Ratios: Equatable {
      var timeRatio = 1.0
      var pitchScale = 1.0

      /// How long the sound is before it is resampled to its pitch, which makes it `timeRatio` long.
      var stretch: Double { timeRatio * pitchScale }
    }

    /// Ratios that hold from a frame of the input on.
    private struct Change {
      let frame: Int
      let ratios: Ratios
    }

    private let functions: drawbar_rubberband
    private let state: OpaquePointer
    private let channels: Int
    /// How far behind the input the middle of what is stretched next is, in start pads.
    private let padsBehind: Int
    /// One run of samples for each channel, and their addresses.
    private let planes: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>
    private var isFresh = true
    private var framesToDrop = 0
    /// Frames that shall have come out for what went in, and those that have.
    private var framesDue = 0.0
    private var framesGiven = 0
    /// Frames that have gone in, without the silence before them.
    private var handedFrames = 0
    /// The ratios of what comes out next, and those of what comes after it, in order.
    private var settled = Ratios()
    private var changes: [Change] = []
    /// What the library was told last.
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
      // The faster engine asks for a pad that is shorter than what it collects, measured.
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

    /// The ratios of what goes in next.
    private var wanted: Ratios { changes.last?.ratios ?? settled }

    private var padding: Int { Int(unsafe functions.rubberband_get_preferred_start_pad(state)) }

    /// The input at which the library comes to a change with the middle of what it stretches.
    private func stretchFrame(of change: Change) -> Int { change.frame + padsBehind * padding }

    /// The input at which it comes to it with what it resamples, half a window of stretched sound behind.
    private func pitchFrame(of change: Change) -> Int {
      stretchFrame(of: change) + Int((Double(padding) / change.ratios.stretch).rounded())
    }

    /// Frames that may go in before the library is to be told something.
    private var framesToChange: Int {
      let places = changes.flatMap { [stretchFrame(of: $0), pitchFrame(of: $0)] }
      return (places.filter { $0 > handedFrames }.min() ?? .max) - handedFrames
    }

    /// Tells the library the ratios of the frames that it comes to next.
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
      // Where both ratios change and their product does not, as at any speed of a tape, it takes all of the
      // past for played at the new ones, and makes up for it with what follows. So that differs a little.
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
      // At each jump of the speed it gives some frames more or fewer than the ratios say. What is wrong with
      // the count by now is not what it holds back.
      let range = heldRange
      framesDue = min(framesDue, Double(framesGiven + range.upperBound))
      if framesGiven > 0 { framesDue = max(framesDue, Double(framesGiven + range.lowerBound)) }
      return output
    }

    var heldFrames: Int { max(0, Int(framesDue.rounded()) - framesGiven) }

    /// How many frames the library holds back once it gives any: what it has not stretched yet, and half a
    /// window of what it has. Two thirds of that are always there, measured at all rates and ratios.
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
        // Asked for more than there is, it complains on standard error.
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
