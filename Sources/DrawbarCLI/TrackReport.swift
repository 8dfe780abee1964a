// SPDX-License-Identifier: MIT

import PlayerEngine

/// What a player's tracks had against them: one line for each track that failed or lost sound.
struct TrackReport {
  /// A track failed or lost sound.
  private(set) var hasFailures: Bool
  private var failedTracks: Set<Int> = []
  private var names: [Int: String] = [:]

  /// - Parameter hasFailures: something failed before.
  init(hasFailures: Bool = false) {
    self.hasFailures = hasFailures
  }

  /// The track's path, or its URL without credentials.
  func name(ofTrack index: Int) -> String { names[index] ?? "track \(index + 1)" }

  /// Takes an event.
  ///
  /// - Returns: the line to print on standard error, if there is one.
  mutating func take(_ event: PlayerEvent) -> String? {
    switch event {
    case .track(let index, let information): names[index] = information.location
    case .failed(let index, let error):
      hasFailures = true
      failedTracks.insert(index)
      return "\(error)"
    case .account(let index, let account):
      // Why a track has failed is printed already.
      guard failedTracks.remove(index) == nil, let text = account.lossDescription else { break }
      hasFailures = true
      return "\(name(ofTrack: index)): \(text)"
    default: break
    }
    return nil
  }
}
