// SPDX-License-Identifier: MIT

import ArgumentParser
import ByteSources

/// The options for keeping data that `play` fetches over HTTP.
struct SpoolOptions: ParsableArguments {
  @Option(
    help: """
      Directory for bytes fetched over HTTP. They are kept until the track is closed, so that seeks do \
      not fetch them again. (default: $XDG_CACHE_HOME/drawbar, or ~/.cache/drawbar)
      """)
  var spool: String?

  @Flag(help: "Do not keep fetched bytes.")
  var noSpool = false

  @Option(
    help: "Limit of the kept bytes in MiB; beyond it the oldest are discarded.")
  var spoolSize = SpoolConfiguration.defaultMaximumBytes >> 20

  func validate() throws {
    guard spool == nil || !noSpool else {
      throw ValidationError("--spool and --no-spool exclude each other.")
    }
    guard spool != "" else { throw ValidationError("--spool needs the name of a directory.") }
    guard (1...1 << 30).contains(spoolSize) else {
      throw ValidationError("--spool-size must be 1 to \(1 << 30).")
    }
  }

  /// Resolves a relative directory against `folder`.
  mutating func resolve(in folder: String) {
    if let path = spool, !path.hasPrefix("/") { spool = folder + "/" + path }
  }

  /// The spool configuration for these options.
  var configuration: SpoolConfiguration {
    if noSpool { return .off }
    let maximumBytes = spoolSize << 20
    return spool.map { .directory(path: $0, maximumBytes: maximumBytes) }
      ?? .inCacheDirectory(maximumBytes: maximumBytes)
  }
}
