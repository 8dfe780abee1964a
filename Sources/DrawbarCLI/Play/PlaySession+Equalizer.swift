// SPDX-License-Identifier: MIT

import AudioModel
import ByteSources
import JACKRemoteIO

extension PlaySession {
  func announceEqualizer() {
    guard let equalizer else { return }
    terminal.print(equalizer.summary)
    for warning in equalizer.warnings { warn(warning) }
  }

  /// Applies the equaliser file again after it has changed. A file that cannot be used leaves the sound as it is.
  func followEqualizerFile() {
    let now = monotonicNanoseconds()
    guard let equalizerWatch, now >= nextEqualizerLookNanoseconds else { return }
    nextEqualizerLookNanoseconds = now + UInt64(FileWatch.milliseconds) * 1_000_000
    guard equalizerWatch.look() else {
      // It may have been half written at the last look.
      if let failure = equalizerFailure { warn("\(failure); the equaliser stays as it is") }
      equalizerFailure = nil
      return
    }
    equalizerFailure = nil
    guard let file = equalizer?.equalizer.file else { return }
    // A disk that does not answer must not hold up the keys for longer.
    let deadline = now + 500_000_000
    do {
      let changed = try EqualizerFile(path: file.path, watchedBy: equalizerWatch) {
        monotonicNanoseconds() > deadline
      }
      if changed.curve == file.curve { return }
      try equalizer?.replaceFile(by: changed)
      announceEqualizer()
    } catch RemoteIOError.cancelled {
      equalizerFailure = "\(file.name): not read within half a second"
    } catch {
      equalizerFailure = "\(error)"
    }
  }
}
