// SPDX-License-Identifier: MIT

extension Player {
  /// Fades out over 5 ms and keeps the place.
  public func pause() { send(.pause) }

  /// Goes on with the frame after the last one heard.
  public func resume() { send(.resume) }

  /// Fades out and ends. ``PlayerState/idle`` follows.
  public func stop() { send(.stop) }

  /// Drops the track that is heard and goes on with the next one.
  public func next() { send(.next) }

  /// Goes back to the start of the track that is heard, or, in its first three seconds, to the track
  /// before it.
  public func previous() { send(.previous) }

  /// Goes on with the start of a track, counted from 0. One that does not exist ends the list.
  public func play(track index: Int) { send(.track(index)) }

  /// Plays the current track from its start. During a skip the current track is the one skipped to. Standard input
  /// continues, since it cannot be read twice.
  public func restart() { send(.restart) }

  /// Goes on at a time in the track that is heard. What is heard goes on until the new place is ready;
  /// ``PlayerEvent/sought(index:_:)`` or ``PlayerEvent/seekFailed(index:_:)`` follows. A later seek takes
  /// the place of one that is under way, unless it fails: then that one goes on.
  public func seek(toNanoseconds nanoseconds: UInt64) { send(.seek(toNanoseconds: nanoseconds)) }

  /// Goes on so much later, or earlier, than what is heard, or than where a seek is leading.
  public func seek(byNanoseconds nanoseconds: Int64) { send(.seekBy(nanoseconds: nanoseconds)) }

  /// Fast forward and rewind, heard in pieces of 0.3 s that are so far apart that the track goes by at
  /// this many times the speed: 2 to 64 forward, -1 to -64 backward, 0 or 1 to play on from there. It
  /// ends by itself at the track's end or start, where a seek fails, and by any command that goes
  /// elsewhere or pauses; ``PlayerEvent/scan(speed:)`` tells.
  public func scan(speed: Int) { send(.scan(speed: speed)) }

  /// Scans in a direction at 4 times the speed, and with each further call at 8, 16 and 32 times. A scan in
  /// the other direction gets half as fast, and ends from 4 times. Counts from all calls before it, as
  /// ``scan(speed:)`` with a speed from ``PlayerSnapshot/scanSpeed`` does not.
  public func changeScanSpeed(forward: Bool) { send(.changeScanSpeed(forward: forward)) }

  /// Chooses what follows when a track has been played to its end.
  public func setRepeat(_ mode: RepeatMode) { send(.setRepeat(mode)) }

  /// Adds tracks behind the others: paths, `file:`, `http:` or `https:` URLs, or `-`. A player that has
  /// ended does not begin again.
  public func append(_ locations: [String]) {
    append(locations.map { PlaylistItem(location: $0) })
  }

  /// Adds tracks behind the others. A player that has ended does not begin again.
  public func append(_ items: [PlaylistItem]) { send(.append(items)) }
}
