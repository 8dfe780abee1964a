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
  var delay: DelayOptions

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
    if let problem = problem(channels: renderer.outputChannels) { throw EffectError(problem) }
    var chain = EffectChain(renderer)
    let inserted = try equalizer.append(file, to: &chain)
    try crossfeed.append(to: &chain)
    try channels.append(to: &chain)
    try delay.append(to: &chain)
    try limiter.append(to: &chain, looksAhead: looksAhead)
    return inserted
  }

  /// Throws if an option names channels that the command line rules out.
  func validate(channels count: Int) throws {
    if let problem = problem(channels: count) { throw ValidationError(problem + ".") }
  }

  /// The first option that an output of so few channels makes impossible, in a line; nil if there is none.
  private func problem(channels count: Int) -> String? {
    if let delay = delay.delay.first(where: { $0.output > count }) {
      return "--delay \(delay.output): there are outputs 1 to \(count)"
    }
    let pairs = [
      ("--crossfeed", crossfeed.crossfeed != nil), ("--swap", channels.swap),
      ("--balance", channels.balance != 0),
    ]
    guard count < 2, let (option, _) = pairs.first(where: { $0.1 }) else { return nil }
    return "\(option) needs two channels, and the output has one"
  }

  /// The effects besides the equaliser, for people; nil without any.
  var summary: String? {
    let words = [crossfeed.summary, channels.summary, delay.summary, limiter.summary].compactMap(
      \.self)
    return words.isEmpty ? nil : "effects: " + words.joined(separator: ", ")
  }
}
