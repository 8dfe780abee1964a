// SPDX-License-Identifier: MIT

import ArgumentParser
import ByteSources
import PlayerEngine

/// The tracks that a command line leads to: its locations, with each playlist replaced by what is in
/// it. What a list's entries have against them is told, and the others are taken.
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
  ///   - prepare: what has to work for a track to be the first.
  /// - Throws: what is wrong with the first location, as far as it is not a matter of a list's
  ///   entries; `ExitCode` where that is, and has been told.
  init(
    _ locations: [String], configuration: ByteSourceConfiguration,
    isCancelled: @escaping @Sendable () -> Bool = { false },
    prepare: @Sendable (TrackReader) throws -> Void
  ) throws {
    let loader = PlaylistLoader(configuration: configuration, isCancelled: isCancelled)
    var first: (reader: TrackReader, item: PlaylistItem)?
    var rest: [PlaylistItem] = []
    var hasFailures = false
    func leaveOut(_ error: any Error) {
      Failure.report("\(error)")
      hasFailures = true
    }
    for (index, location) in locations.enumerated() {
      let expansion: PlaylistExpansion
      do throws(PlaylistFailure) {
        expansion = try loader.expand(location, opensAnything: first == nil)
      } catch {
        if index == 0 || error.reason == .cancelled { throw error }
        if case .source = error.reason, first != nil {
          // Told when it is its turn, like any other track that cannot be opened.
          rest.append(PlaylistItem(location: location))
        } else {
          leaveOut(error)
        }
        continue
      }
      for failure in expansion.failures { leaveOut(failure) }
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
          if index == 0, item.source != nil { throw error }
          leaveOut(error)
        }
      }
    }
    guard let first else { throw ExitCode(1) }
    (self.first, firstItem) = first
    self.rest = rest
    self.locations = locations
    self.hasFailures = hasFailures
  }
}
