// SPDX-License-Identifier: MIT

extension PlaySession {
  func announceEqualizer() {
    guard let notes = equalizer?.insert.notes else { return }
    terminal.print(notes.summary)
    for warning in notes.warnings { warn(warning) }
  }

  /// Applies the equaliser file again after it has changed.
  func followEqualizerFile() {
    switch equalizer?.step() {
    case .applied: announceEqualizer()
    case .refused(let reason): warn("\(reason). The equaliser is unchanged.")
    case .unchanged, nil: break
    }
  }
}
