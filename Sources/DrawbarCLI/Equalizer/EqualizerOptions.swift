// SPDX-License-Identifier: MIT

import ArgumentParser
import RenderCore

/// The equaliser's options.
struct EqualizerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Equaliser file: AutoEq, Equalizer APO, Room EQ Wizard or CamillaDSP.", valueName: "file"))
  var eq: String?

  @OptionGroup
  var filter: FilterOptions

  @OptionGroup
  var gain: PreampOptions

  func validate() throws {
    guard eq != "" else { throw ValidationError("--eq needs the name of a file.") }
    if let eq { try EqualizerFile.localPath(eq) }
    guard gain.preamp == nil || eq != nil || !filter.filters.isEmpty else {
      throw ValidationError("--preamp needs --eq or --filter.")
    }
  }

  /// Resolves a relative path against `folder`.
  mutating func resolve(in folder: String) {
    if let path = eq?.filePath, !path.hasPrefix("/") { eq = folder + "/" + path }
  }

  /// Reads the file; returns nil without `--eq` and `--filter`.
  ///
  /// - Parameters:
  ///   - watch: watches each file from before it is read.
  ///   - isCancelled: asked while a pipe delivers no bytes.
  /// - Throws: also for lines that cannot be played at any rate, before the server's rate is known.
  func read(
    watchedBy watch: FileWatch? = nil, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws -> EqualizerFile? {
    if eq == nil, filter.filters.isEmpty { return nil }
    let file = try EqualizerFile(
      path: eq, filters: filter.steps, watchedBy: watch, isCancelled: isCancelled)
    try file.checkPlayable()
    return file
  }

  /// Appends a file's equaliser.
  func append(_ file: EqualizerFile?, to chain: inout EffectChain) throws -> EqualizerInsert? {
    guard let file else { return nil }
    let equalizer = Equalizer(file, preamp: gain.preamp, channels: chain.channelCount)
    return try EqualizerInsert(equalizer, to: &chain)
  }
}

/// The gain before an equaliser.
struct PreampOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Gain before the equaliser in dB, or auto: the gain that puts the peak of the curve at 0 dB at \
      most. \
      (default: the file's preamp; auto if it has none)
      """, valueName: "auto|dB"))
  var preamp: EqualizerPreamp?
}

/// The argument of `--preamp`.
enum EqualizerPreamp: ExpressibleByArgument {
  case automatic
  case decibels(Double)

  init?(argument: String) {
    if argument == "auto" {
      self = .automatic
    } else if let gain = Double(argument), (-120...60).contains(gain) {
      self = .decibels(gain)
    } else {
      return nil
    }
  }
}
