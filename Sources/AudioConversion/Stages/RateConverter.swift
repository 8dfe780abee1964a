// SPDX-License-Identifier: MIT

internal import RenderCore

/// Changes the sample rate, with Core Audio's three methods of priming.
///
/// The resampler itself is in step: its first output frame belongs to its first input frame, and comes once it
/// has read ahead far enough. That is *normal* priming. For *none*, silence as long as the look-ahead precedes
/// the input, which delays the output instead. For *pre*, output frames as long as the look-ahead are dropped
/// at the start: their input came before the nominal start.
final class RateConverter {
  /// A conversion's rates, channels and quality.
  struct Plan: Hashable {
    var inputRate: Int
    var outputRate: Int
    var channels: Int
    var quality = ResamplerQuality.good
  }

  private let plan: Plan
  private let resampler: OfflineResampler
  private var silentFramesLeft: Int
  private var outputFramesToDrop: Int
  /// Input frames taken, without the silence ahead of them.
  private(set) var takenFrames = 0
  private var input: [Float]
  private var output: [Float]

  /// - Parameter lookAhead: the resampler's look-ahead in input frames, from ``measuredLookAhead(_:)`` for the
  ///   same plan.
  init(
    _ plan: Plan, lookAhead: Int, priming: AudioConverter.PrimeMethod
  ) throws(AudioConversionError) {
    self.plan = plan
    resampler = try Self.makeResampler(plan)
    silentFramesLeft = priming == .none ? lookAhead : 0
    outputFramesToDrop =
      priming == .pre ? (lookAhead * plan.outputRate + plan.inputRate / 2) / plan.inputRate : 0
    let room = OfflineResampler.maximumFramesPerCall * plan.channels
    input = Array(repeating: 0, count: room)
    output = Array(repeating: 0, count: room)
  }

  /// Returns the number of input frames that a resampler of this plan reads ahead of its output.
  static func measuredLookAhead(_ plan: Plan) throws(AudioConversionError) -> Int {
    let resampler = try makeResampler(plan)
    let silence = [Float](repeating: 0, count: plan.channels)
    var output = [Float](
      repeating: 0, count: OfflineResampler.maximumFramesPerCall * plan.channels)
    // Bounded, so that an unexpected resampler does not loop for ever.
    for frames in 0..<1 << 16 {
      let given = unsafe resampler.process(
        silence, inputCount: 1, into: &output,
        outputCount: OfflineResampler.maximumFramesPerCall
      ).given
      if given > 0 { return frames }
    }
    return 1 << 16
  }

  private static func makeResampler(_ plan: Plan) throws(AudioConversionError) -> OfflineResampler {
    do throws(AudioConverterError) {
      return try OfflineResampler(
        inputRate: plan.inputRate, outputRate: plan.outputRate, channels: plan.channels,
        quality: plan.quality)
    } catch {
      throw AudioConversionError(error)
    }
  }

  /// Takes some of `frames`, and calls `body` with the resulting frames, if there are any.
  ///
  /// - Returns: the number of resulting frames; 0 when more input is needed.
  func process(
    _ frames: inout DecodedFrames, outputCount: Int, _ body: (UnsafePointer<Float>, Int) -> Void
  ) -> Int {
    while true {
      let given = unsafe resampler.process(
        input, inputCount: 0, into: &output, outputCount: wanted(outputCount)
      ).given
      if given > 0 {
        if let kept = unsafe keep(given, body) { return kept }
        continue
      }
      if silentFramesLeft > 0 {
        let count = min(silentFramesLeft, OfflineResampler.maximumFramesPerCall)
        input = Array(repeating: 0, count: input.count)
        silentFramesLeft -= feed(count)
        continue
      }
      guard frames.count > 0 else { return 0 }
      let count = min(frames.count, OfflineResampler.maximumFramesPerCall)
      unsafe frames.read { source in
        for i in 0..<count * plan.channels { input[i] = unsafe Float(source[i]) }
      }
      let taken = feed(count)
      frames.drop(taken)
      takenFrames += taken
    }
  }

  /// Calls `body` with the frames left after the last input.
  ///
  /// - Returns: the number of frames; 0 when none are left.
  func drain(outputCount: Int, _ body: (UnsafePointer<Float>, Int) -> Void) -> Int {
    while true {
      let given = unsafe resampler.drain(into: &output, outputCount: wanted(outputCount))
      if given == 0 { return 0 }
      if let kept = unsafe keep(given, body) { return kept }
    }
  }

  private func feed(_ count: Int) -> Int {
    unsafe resampler.process(input, inputCount: count, into: &output, outputCount: 1).taken
  }

  private func wanted(_ outputCount: Int) -> Int {
    let count = min(outputCount, OfflineResampler.maximumFramesPerCall)
    return outputFramesToDrop > 0 ? min(outputFramesToDrop, count) : count
  }

  /// Passes frames on, unless they belong before the nominal start.
  private func keep(_ given: Int, _ body: (UnsafePointer<Float>, Int) -> Void) -> Int? {
    if outputFramesToDrop > 0 {
      outputFramesToDrop -= given
      return nil
    }
    unsafe output.withUnsafeBufferPointer { buffer in
      if let base = buffer.baseAddress { unsafe body(base, given) }
    }
    return given
  }
}

extension RateConverter.Plan {
  /// Returns the input frames that have to go in before this many output frames can come out.
  func neededInputFrames(
    _ outputFrames: Int, lookAhead: Int, takenFrames: Int, priming: AudioConverter.PrimeMethod
  ) -> Int {
    let frames = (outputFrames * inputRate + outputRate - 1) / outputRate
    let extra =
      switch priming {
      case .pre: 2 * lookAhead
      case .normal: lookAhead
      case .none: 0
      }
    return frames + max(0, extra - takenFrames)
  }
}
