// SPDX-License-Identifier: MIT
// expect: clean

import Synchronization

struct State: ~Copyable {
  let played = Atomic<Int>(0)
  var gain: Float = 1
  var mode = 0
}

@inline(never)
@_noLocks
func shape(_ sample: Float, _ mode: Int) -> Float {
  switch mode {
  case 0: return sample
  case 1: return sample * 0.5
  case 2: return sample * sample
  case 3: return -sample
  case 4: return sample + 1
  case 5: return sample * 3 - 1
  default: return 0
  }
}

@_noLocks
func render(
  _ context: UnsafeMutableRawPointer, _ out: UnsafeMutablePointer<Float>, _ n: Int
) {
  precondition(n <= 8192, "too many frames: \(n)")
  let state = context.assumingMemoryBound(to: State.self)
  for index in 0..<n { out[index] = shape(out[index], state.pointee.mode) * state.pointee.gain }
  state.pointee.played.add(n, ordering: .relaxed)
}
