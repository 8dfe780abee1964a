// SPDX-License-Identifier: MIT

import ArgumentParser
import RenderCore

/// The effects of `play`, `render` and `monitor` in signal order. A limiter follows them.
struct EffectOptions: ParsableArguments {
  @OptionGroup
  var equalizer: EqualizerOptions

  @OptionGroup
  var convolver: ConvolverOptions

  @OptionGroup
  var crossfeed: CrossfeedOptions

  @OptionGroup
  var channels: ChannelOptions

  @OptionGroup
  var delay: DelayOptions

  /// Appends the effects.
  ///
  /// - Parameter files: the files that were read.
  /// - Returns: the equaliser, whose file can be replaced.
  func append(_ files: EffectFiles, to chain: inout EffectChain) throws -> EqualizerInsert? {
    if let problem = problem(channels: chain.channelCount) { throw EffectError(problem) }
    let inserted = try equalizer.append(files.equalizer, to: &chain)
    try convolver.append(files.response, to: &chain)
    try crossfeed.append(to: &chain)
    try channels.append(to: &chain)
    try delay.append(to: &chain)
    return inserted
  }

  /// Throws if an option names channels that the command line rules out.
  func validate(channels count: Int) throws {
    if let problem = problem(channels: count) { throw ValidationError(problem + ".") }
  }

  /// Returns a message about the first option that needs more channels; nil if there is none.
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

  /// Resolves relative paths against `folder`.
  mutating func resolve(in folder: String) {
    equalizer.resolve(in: folder)
    convolver.resolve(in: folder)
  }

  /// Reads the files of the effects.
  ///
  /// - Parameters:
  ///   - watch: watches the equaliser files from before they are read.
  ///   - isCancelled: asked while a pipe delivers no bytes.
  func read(
    watchedBy watch: FileWatch? = nil, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws -> EffectFiles {
    EffectFiles(
      equalizer: try equalizer.read(watchedBy: watch, isCancelled: isCancelled),
      response: try convolver.read(isCancelled: isCancelled))
  }

  /// Returns the effects besides the equaliser, for people; nil without any.
  ///
  /// - Parameters:
  ///   - response: the impulse response that was read.
  ///   - limiter: the limiter after them, if any.
  func summary(_ response: ResponseFile?, limiter: LimiterOptions? = nil) -> String? {
    let words = [
      convolver.summary(response), crossfeed.summary, channels.summary, delay.summary,
      limiter?.summary,
    ].compactMap(\.self)
    return words.isEmpty ? nil : "effects: " + words.joined(separator: ", ")
  }
}

/// The contents of the effects' files.
struct EffectFiles {
  let equalizer: EqualizerFile?
  let response: ResponseFile?

  /// All paths that were read.
  var paths: [String] { (equalizer?.paths ?? []) + [response?.path].compactMap(\.self) }
}
