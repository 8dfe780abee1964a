// SPDX-License-Identifier: MIT

extension UnsafeMutablePointer<Float> {
  /// Returns true if the first `count` samples are 0. -0 counts as sound, so an effect that skips silence changes no
  /// bit.
  ///
  /// An effect calls this once its tail has ended. Each effect checks its own input, so no flag is passed between
  /// effects.
  @_noLocks
  func isSilent(_ count: Int) -> Bool {
    var bits: UInt32 = 0
    for index in 0..<count { unsafe bits |= self[index].bitPattern }
    return bits == 0
  }
}
