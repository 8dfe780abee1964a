// SPDX-License-Identifier: MIT
// expect: exclusivity check

final class Voice {
  var level: Float = 0
}

func render(_ voice: Voice, _ change: (inout Float) -> Void) { change(&voice.level) }
