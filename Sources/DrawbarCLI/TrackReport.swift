// SPDX-License-Identifier: MIT

import PlayerEngine

/// The printed failures of a player: one line for each track that failed or lost sound.
struct TrackReport {
  /// Whether a track failed or lost sound.
  private(set) var hasFailures: Bool
  private var failedTracks: Set<Int> = []
  private var names: [Int: String] = [:]
  /// Consecutive tracks that failed.
  private var failures: FailureRun

  /// - Parameters:
  ///   - hasFailures: whether something failed before.
  ///   - print: prints a message that is on one line.
  init(hasFailures: Bool = false, print: @escaping (String) -> Void = Failure.report) {
    self.hasFailures = hasFailures
    failures = FailureRun(print: print)
  }

  /// Returns a track's path, or its URL without credentials.
  func name(ofTrack index: Int) -> String { names[index] ?? "track \(index + 1)" }

  /// Handles an event of the player. Call it for each event, in order.
  mutating func take(_ event: PlayerEvent) {
    switch event {
    case .track(let index, let information): names[index] = information.location
    case .started, .state(.ended), .state(.failed), .state(.idle): failures.end()
    case .failed(let index, let error):
      failedTracks.insert(index)
      add("\(error)")
    case .account(let index, let account):
      // The error of a failed track is printed already.
      guard failedTracks.remove(index) == nil, let text = account.lossDescription else { break }
      add("\(name(ofTrack: index)): \(text)")
    default: break
    }
  }

  /// Prints a failure.
  mutating func add(_ line: String) {
    hasFailures = true
    failures.add(line)
  }
}
