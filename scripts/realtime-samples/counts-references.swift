// SPDX-License-Identifier: MIT
// expect: reference counting

final class Voice {
  var next: Voice?
  var level: Float = 0
}

func render(_ voice: Voice, _ out: UnsafeMutablePointer<Float>) -> Voice? {
  out[0] = voice.level
  return voice.next
}
