// SPDX-License-Identifier: MIT

import Drawbar

/// The classic vocal remover: left minus right, on every output. Sound that is equal in both, as most voices are,
/// disappears.
@_noLocks
func removeVocals(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard unsafe call.pointee.inputCount == 2 else { return -1 }
  for frame in unsafe 0..<call.pointee.frameCount {
    let difference = unsafe call.pointee.inputs[0][frame] - call.pointee.inputs[1][frame]
    for output in unsafe 0..<call.pointee.outputCount {
      unsafe call.pointee.outputs[output][frame] = difference
    }
  }
  return 0
}

/// A sine at half of full scale: the height of a hand that rotates with each frame.
@_noLocks
func renderSine(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let sine = unsafe context?.assumingMemoryBound(to: Sine.self) else { return -1 }
  let turn = unsafe sine.pointee.turn
  for frame in unsafe 0..<call.pointee.frameCount {
    let (x, y) = unsafe sine.pointee.hand
    unsafe sine.pointee.hand = (x * turn.cosine - y * turn.sine, x * turn.sine + y * turn.cosine)
    for output in unsafe 0..<call.pointee.outputCount {
      unsafe call.pointee.outputs[output][frame] = Float(y / 2)
    }
  }
  return 0
}
