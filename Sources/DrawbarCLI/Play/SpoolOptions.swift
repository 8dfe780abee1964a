// SPDX-License-Identifier: MIT

import ArgumentParser
import ByteSources

/// Whether and where `play` keeps what it fetches over HTTP.
struct SpoolOptions: ParsableArguments {
  @Option(
    help: """
      The directory to keep what is fetched over HTTP in, until the track is closed, so that it can be \
      sought in without fetching it again. (default: $XDG_CACHE_HOME/drawbar, or ~/.cache/drawbar)
      """)
  var spool: String?

  @Flag(help: "Keep nothing of what is fetched.")
  var noSpool = false

  @Option(
    help: """
      What may be kept, in MiB; then what was fetched longest ago is given up for what comes.
      """)
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

  /// Takes a relative directory as one in this folder.
  mutating func resolve(in folder: String) {
    if let path = spool, !path.hasPrefix("/") { spool = folder + "/" + path }
  }

  /// The spool of these choices.
  var configuration: SpoolConfiguration {
    if noSpool { return .off }
    let maximumBytes = spoolSize << 20
    return spool.map { .directory(path: $0, maximumBytes: maximumBytes) }
      ?? .inCacheDirectory(maximumBytes: maximumBytes)
  }
}
