// SPDX-License-Identifier: MIT

import AudioModel
import ByteSources
import JACKRemoteIO

/// The equaliser of a session, which reads its file again after a change.
struct FollowedEqualizer {
  /// The result of a check of the files.
  private enum Change {
    case unchanged
    case applied
    /// The changed file cannot be used, for this reason. The sound is unchanged.
    case refused(String)
  }

  private(set) var insert: EqualizerInsert
  /// The last printed line.
  private(set) var summary = ""
  private let watch: FileWatch
  private var nextLookNanoseconds: UInt64 = 0
  /// The error of the changed file at the last check.
  private var failure: String?

  /// - Parameter watch: a watch that began before the files were read.
  init(_ insert: EqualizerInsert, watchedBy watch: FileWatch) {
    self.insert = insert
    self.watch = watch
  }

  /// The time until ``step()`` checks the files again; nil without a file.
  var millisecondsToLook: Int32? {
    if insert.equalizer.file.path == nil { return nil }
    let now = monotonicNanoseconds()
    let nanoseconds = max(nextLookNanoseconds, now) - now
    return Int32(min(nanoseconds / 1_000_000 + 1, UInt64(FileWatch.milliseconds)))
  }

  /// Prints the filters and the preamp, and warns of lines without an effect.
  mutating func announce(print: (String) -> Void, warn: (String) -> Void) {
    let notes = insert.notes
    summary = notes.summary
    print(summary)
    for warning in notes.warnings { warn(warning) }
  }

  /// Calls ``step()`` and reports its result.
  mutating func follow(print: (String) -> Void, warn: (String) -> Void) {
    switch step() {
    case .applied: announce(print: print, warn: warn)
    case .refused(let reason): warn("\(reason). The equaliser is unchanged.")
    case .unchanged: break
    }
  }

  /// Checks the files if it is time, and applies a change.
  private mutating func step() -> Change {
    let now = monotonicNanoseconds()
    guard now >= nextLookNanoseconds else { return .unchanged }
    nextLookNanoseconds = now + UInt64(FileWatch.milliseconds) * 1_000_000
    let earlierFailure = failure
    failure = nil
    guard watch.poll() else {
      // Reports a failure one check later, because the file may have been half written.
      return earlierFailure.map { .refused($0) } ?? .unchanged
    }
    do {
      return try reread(before: now + 500_000_000) ? .applied : .unchanged
    } catch RemoteIOError.cancelled {
      failure = "\(insert.equalizer.file.name): not read within half a second"
    } catch {
      failure = "\(error)"
    }
    return .unchanged
  }

  /// - Parameter deadline: the time to stop reading, so that a slow disk does not hold up the keys.
  /// - Returns: true if the sound has changed.
  private mutating func reread(before deadline: UInt64) throws -> Bool {
    let old = insert.equalizer.file
    let file = try EqualizerFile(path: old.path, filters: old.filters, watchedBy: watch) {
      monotonicNanoseconds() > deadline
    }
    if file.hasSameSound(as: old) { return false }
    try insert.replaceFile(by: file)
    return true
  }
}
