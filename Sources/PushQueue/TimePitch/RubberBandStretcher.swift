// SPDX-License-Identifier: MIT

#if DRAWBAR_RUBBERBAND
  internal import CRubberBand

  /// librubberband in its real-time mode, where ratios may change between two calls.
  ///
  /// What it needs before the first frame and after the last is given to it as silence, and what comes out
  /// for that is dropped: the first frame out is the first one in, and so many come out as the ratios say.
  @safe
  final class RubberBandStretcher: Stretcher {
    /// Most frames handed over at once.
    private static let framesPerCall = 1024

    private let functions: drawbar_rubberband
    private let state: OpaquePointer
    private let channels: Int
    /// One run of samples for each channel, and their addresses.
    private let planes: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>
    private var isFresh = true
    private var framesToDrop = 0
    /// Frames that shall have come out for what went in, and those that have.
    private var framesDue = 0.0
    private var framesGiven = 0
    private var timeRatio = 1.0
    private var pitchScale = 1.0

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
      if timeRatio != self.timeRatio {
        self.timeRatio = timeRatio
        unsafe functions.rubberband_set_time_ratio(state, timeRatio)
      }
      if pitchScale != self.pitchScale {
        self.pitchScale = pitchScale
        unsafe functions.rubberband_set_pitch_scale(state, pitchScale)
      }
    }

    func process(_ samples: [Float]) -> [Float] {
      var output: [Float] = []
      if isFresh {
        isFresh = false
        framesToDrop = Int(unsafe functions.rubberband_get_start_delay(state))
        let padding = Int(unsafe functions.rubberband_get_preferred_start_pad(state))
        hand(over: padding, into: &output) { _, _ in 0 }
      }
      let frames = samples.count / channels
      hand(over: frames, into: &output) { frame, channel in samples[frame * channels + channel] }
      framesDue += Double(frames) * timeRatio
      framesGiven += output.count / channels
      return output
    }

    func finish() -> [Float] {
      var output: [Float] = []
      let left = Int(framesDue.rounded()) - framesGiven
      // It holds back less than a second at any ratio.
      for _ in 0..<256 where output.count / channels < left {
        hand(over: Self.framesPerCall, into: &output) { _, _ in 0 }
      }
      reset()
      return Array(output.prefix(max(0, left) * channels))
    }

    func reset() {
      unsafe functions.rubberband_reset(state)
      isFresh = true
      framesToDrop = 0
      (framesDue, framesGiven) = (0, 0)
    }

    private func hand(
      over frames: Int, into output: inout [Float],
      _ sample: (_ frame: Int, _ channel: Int) -> Float
    ) {
      var done = 0
      while done < frames {
        let count = min(Self.framesPerCall, frames - done)
        for channel in 0..<channels {
          guard let plane = unsafe planes[channel] else { continue }
          for i in 0..<count { unsafe plane[i] = sample(done + i, channel) }
        }
        done += count
        callProcess(count)
        retrieve(into: &output)
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
