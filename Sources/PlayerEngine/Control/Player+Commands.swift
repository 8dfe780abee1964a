// SPDX-License-Identifier: MIT

extension Player {
  /// Fades out over 5 ms and keeps the position.
  public func pause() { send(.pause) }

  /// Resumes with the frame after the last one rendered.
  public func resume() { send(.resume) }

  /// Fades out and ends the player. ``PlayerState/idle`` follows.
  public func stop() { send(.stop) }

  /// Drops the current track and starts the next one.
  public func next() { send(.next) }

  /// Returns to the start of the current track or, in its first three seconds, to the previous track.
  public func previous() { send(.previous) }

  /// Starts the track with this index, counted from 0. An index outside the list ends playback.
  public func play(track index: Int) { send(.track(index)) }

  /// Plays the current track from its start. During a skip the current track is the one skipped to. Standard input
  /// continues, since it cannot be read twice.
  public func restart() { send(.restart) }

  /// Seeks to a time in the current track. The old sound continues until the new position is ready;
  /// ``PlayerEvent/sought(index:_:)`` or ``PlayerEvent/seekFailed(index:_:)`` follows. A later seek replaces one in
  /// progress; if it fails, the earlier one continues.
  public func seek(toNanoseconds nanoseconds: UInt64) { send(.seek(toNanoseconds: nanoseconds)) }

  /// Seeks forward or, if negative, backward, relative to the position or to the target of a seek in progress.
  public func seek(byNanoseconds nanoseconds: Int64) { send(.seekBy(nanoseconds: nanoseconds)) }

  /// Scans the track in pieces of 0.3 s at this many times the speed: 2 to 64 forward, -1 to -64 backward; 0 or 1
  /// resumes normal playback. The scan also ends at the track's end or start, at a failed seek, and with any command
  /// that pauses or goes elsewhere. ``PlayerEvent/scan(speed:)`` reports its start and end.
  public func scan(speed: Int) { send(.scan(speed: speed)) }

  /// Scans in a direction at 4 times the speed; each further call doubles it, up to 32. A call against the scan's
  /// direction halves its speed, or ends it at 4 times or less. Every call counts, also one that
  /// ``PlayerSnapshot/scanSpeed`` does not show yet.
  public func changeScanSpeed(forward: Bool) { send(.changeScanSpeed(forward: forward)) }

  /// Sets the repeat mode.
  public func setRepeat(_ mode: RepeatMode) { send(.setRepeat(mode)) }

  /// Appends tracks to the list: paths, `file:`, `http:` or `https:` URLs, or `-`. A player that has ended does not
  /// start again.
  public func append(_ locations: [String]) {
    append(locations.map { PlaylistItem(location: $0) })
  }

  /// Appends tracks to the list. A player that has ended does not start again.
  public func append(_ items: [PlaylistItem]) { send(.append(items)) }
}
