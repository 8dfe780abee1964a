// SPDX-License-Identifier: MIT

import ArgumentParser
import ByteSources
import PlayerEngine

/// The tracks of a command line: its locations, with each playlist replaced by its tracks. Locations and entries that
/// cannot be used are reported and left out.
struct TrackQueue {
  /// The first usable track, open.
  let first: TrackReader
  /// The item of the first track.
  let firstItem: PlaylistItem
  /// The tracks after it.
  let rest: [PlaylistItem]
  /// Whether something was left out and reported.
  let hasFailures: Bool
  /// The locations of the command line.
  let locations: [String]

  /// Opens the first track. Of the other locations, only files and those named like a playlist are opened: a server
  /// that does not answer is met when its track is due.
  ///
  /// - Parameters:
  ///   - configuration: the options for requests to servers.
  ///   - isCancelled: polled during waits; if true, `PlaylistFailure.Reason.cancelled` or, while a track is prepared,
  ///     `PlayerError.Reason.cancelled` is thrown.
  ///   - failures: prints the failures.
  ///   - leftOut: receives each location that cannot be used, and its error.
  ///   - prepare: a step that has to succeed for a track to be the first.
  /// - Throws: the error of the only location; `ExitCode` if none of several, or no entry of a list, can be used,
  ///   which has been reported; the cancellation.
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
          // Reported when its track is due, like any other track that cannot be opened.
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
