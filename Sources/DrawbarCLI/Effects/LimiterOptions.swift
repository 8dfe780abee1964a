// SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc
import RenderCore
import TimingReport

/// The limiter of `play` and `render`.
struct LimiterOptions: ParsableArguments {
  private static let lookAheadSeconds = 0.0015

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Keep peaks at or below this level, -60 to 0. The gain begins to fall 1.5 ms before a peak.
      """, valueName: "dB"))
  var limit: Double?

  @Flag(help: "Apply --limit to true peaks, too: to the curve between samples.")
  var truePeak = false

  func validate() throws {
    guard (-60...0).contains(limit ?? 0) else { throw ValidationError("--limit must be -60 to 0.") }
    guard !truePeak || limit != nil else { throw ValidationError("--true-peak needs --limit.") }
  }

  var summary: String? {
    limit.map {
      "limiter \(NumberText.shortDecimal($0, digits: 1)) dB" + (truePeak ? " true peak" : "")
    }
  }

  /// - Parameter looksAhead: false for a limiter that must not delay the sound.
  func append(to chain: inout EffectChain, looksAhead: Bool) throws {
    guard let limit else { return }
    let seconds = looksAhead ? Self.lookAheadSeconds : 0
    let limiter = chain.renderer.graph.addLimiter(
      channelCount: chain.channelCount,
      lookAheadFrames: Int((seconds * chain.renderer.sampleRate).rounded()),
      limitsTruePeaks: truePeak)
    limiter.ceiling = Decibels.factor(limit)
    try chain.append(limiter.node)
  }
}
