// SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc
import RenderCore

/// The limiter of `play` and `render`.
struct LimiterOptions: ParsableArguments {
  private static let lookAheadSeconds = 0.0015

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Keep peaks at or below so many dB, -60 to 0. The gain begins to fall 1.5 ms before a peak. (with \
      --transport: at the peak)
      """, valueName: "dB"))
  var limit: Double?

  func validate() throws {
    guard (-60...0).contains(limit ?? 0) else { throw ValidationError("--limit must be -60 to 0.") }
  }

  /// Inserts the limiter before the outputs of a renderer.
  ///
  /// - Parameters:
  ///   - equalizer: the equaliser before it.
  ///   - looksAhead: false for a limiter that must not delay the sound.
  func insert(
    into renderer: Renderer, after equalizer: EqualizerInsert?, looksAhead: Bool
  ) throws {
    guard let limit else { return }
    let graph = renderer.graph
    let frames = looksAhead ? Int((Self.lookAheadSeconds * renderer.sampleRate).rounded()) : 0
    let limiter = graph.addLimiter(
      channelCount: renderer.outputChannels, lookAheadFrames: frames)
    limiter.ceiling = Decibels.factor(limit)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(limiter.node, from: equalizer?.node ?? graph.mix, to: graph.output)
    }
  }
}
