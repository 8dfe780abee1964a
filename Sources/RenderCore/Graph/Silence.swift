// SPDX-License-Identifier: MIT

extension UnsafeMutablePointer<Float> {
  /// Returns true if so many samples are 0. -0 counts as sound, so that who leaves silence as it is changes no bit.
  ///
  /// An effect asks this once its own sound has ended. So silence costs little whatever it comes from, and there is
  /// nothing to keep up to date between effects.
  @_noLocks
  func isSilent(_ count: Int) -> Bool {
    var bits: UInt32 = 0
    for index in 0..<count { unsafe bits |= self[index].bitPattern }
    return bits == 0
  }
}
