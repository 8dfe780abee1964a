// SPDX-License-Identifier: MIT

import ArgumentParser
import RenderCore

/// The effects of `play` and `render`, in the order in which the sound passes them.
struct EffectOptions: ParsableArguments {
  @OptionGroup
  var equalizer: EqualizerOptions

  @OptionGroup
  var crossfeed: CrossfeedOptions

  @OptionGroup
  var channels: ChannelOptions

  @OptionGroup
  var limiter: LimiterOptions

  /// Inserts the effects before the outputs of a renderer that does not play yet.
  ///
  /// - Parameters:
  ///   - file: the equaliser file that was read.
  ///   - looksAhead: false for a limiter that must not delay the sound.
  /// - Returns: the equaliser, which can be changed.
  func insert(
    _ file: EqualizerFile?, into renderer: Renderer, looksAhead: Bool
  ) throws -> EqualizerInsert? {
    var chain = EffectChain(renderer)
    let inserted = try equalizer.append(file, to: &chain)
    try crossfeed.append(to: &chain)
    try channels.append(to: &chain)
    try limiter.append(to: &chain, looksAhead: looksAhead)
    return inserted
  }

  /// Throws if there are too few output channels.
  func check(channels count: Int) throws {
    guard count < 2 else { return }
    for (option, isUsed) in [
      ("--crossfeed", crossfeed.crossfeed != nil), ("--swap", channels.swap),
      ("--balance", channels.balance != 0),
    ] where isUsed {
      throw ValidationError("\(option) needs two channels, and the output has one.")
    }
  }

  /// The effects besides the equaliser, for people; nil without any.
  var summary: String? {
    let words = [crossfeed.summary, channels.summary, limiter.summary].compactMap(\.self)
    return words.isEmpty ? nil : "effects: " + words.joined(separator: ", ")
  }
}
