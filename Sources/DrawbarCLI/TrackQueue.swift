// SPDX-License-Identifier: MIT

import ArgumentParser
import ByteSources
import PlayerEngine

/// The tracks that a command line leads to: its locations, with each playlist replaced by its tracks. A
/// location or an entry that cannot be used is reported, and the others are taken.
struct TrackQueue {
  /// The first track that can be had, open.
  let first: TrackReader
  /// What that was opened as.
  let firstItem: PlaylistItem
  /// The tracks after it.
  let rest: [PlaylistItem]
  /// Something was left out, and has been told.
  let hasFailures: Bool
  /// What the command line names.
  let locations: [String]

  /// Opens the first track. Of the other locations only files, and what is named like a playlist, are
  /// looked into: a server that does not answer is met when it is its turn.
  ///
  /// - Parameters:
  ///   - configuration: how servers are asked.
  ///   - isCancelled: asked while it waits; `PlaylistFailure.Reason.cancelled`, or of a track that is
  ///     prepared `PlayerError.Reason.cancelled`, is then thrown.
  ///   - failures: prints what cannot be used.
  ///   - leftOut: takes each location that cannot be used, and why.
  ///   - prepare: what has to work for a track to be the first.
  /// - Throws: what is wrong with the only location; `ExitCode` where none of several, or no entry of a list,
  ///   can be used, which has been reported; why it was cancelled.
  init(
    _ locations: [String], configuration: ByteSourceConfiguration,
    isCancelled: @escaping @Sendable () -> Bool = { false },
    failures: FailureRun = FailureRun(),
    leftOut: (_ location: String, _ message: String) -> Void = { _, _ in },
    prepare: @Sendable (TrackReader) throws -> Void
  ) throws {
    let loader = PlaylistLoader(configuration: configuration, isCancelled: isCancelled)
    var first: (reader: TrackReader, item: PlaylistItem)?
    var rest: [PlaylistItem] = []
    var hasFailures = false
    var failures = failures
    func leaveOut(_ error: any Error, at location: String) {
      failures.add("\(error)")
      leftOut(location, "\(error)")
      hasFailures = true
    }
    for location in locations {
      let expansion: PlaylistExpansion
      do throws(PlaylistFailure) {
        expansion = try loader.expand(location, opensAnything: first == nil)
      } catch {
        if locations.count == 1, error.reason != .cancelled { leftOut(location, "\(error)") }
        if locations.count == 1 || error.reason == .cancelled { throw error }
        if case .source = error.reason, first != nil {
          // Told when it is its turn, like any other track that cannot be opened.
          rest.append(PlaylistItem(location: location))
        } else {
          leaveOut(error, at: location)
        }
        continue
      }
      for failure in expansion.failures { leaveOut(failure, at: location) }
      if expansion.unlistedFailureCount > 0 {
        failures.addUnlisted(expansion.unlistedFailureCount)
        hasFailures = true
      }
      for item in expansion.items {
        guard first == nil else {
          rest.append(item)
          continue
        }
        do {
          let reader = try TrackReader(opening: item, configuration: configuration)
          reader.isCancelled = isCancelled
          try prepare(reader)
          reader.isCancelled = { false }
          first = (reader, item)
        } catch let error as PlayerError where error.reason == .cancelled {
          throw error
        } catch {
          if locations.count == 1, item.source != nil {
            leftOut(location, "\(error)")
            throw error
          }
          leaveOut(error, at: item.location)
        }
      }
    }
    failures.end()
    guard let first else { throw ExitCode(1) }
    (self.first, firstItem) = first
    self.rest = rest
    self.locations = locations
    self.hasFailures = hasFailures
  }
}
