// SPDX-License-Identifier: MIT

import Testing

@testable import RenderCore

@Suite("A ramp")
struct LinearRampTests {
  private static let ramps: [(from: Float, to: Float, frames: Int)] = [
    (1, 0, 240), (1, 0, 480_000), (1, 0, 2_880_000), (0, 1, 2_880_000), (1, 0.95, 2_880_000),
    (2, 1.5, 960_000), (-1, 1, 2_880_000), (1, 0, 11_520_000),
  ]

  @Test("is a straight line that ends at its target, however long it is", arguments: ramps)
  func line(_ first: Float, _ last: Float, _ frames: Int) {
    var ramp = LinearRamp(first)
    ramp.go(to: last, frames: frames)
    let way = Double(last) - Double(first)
    var worst = 0.0
    var turns = 0
    for frame in 1...frames {
      let before = ramp.value
      ramp.advance()
      if (ramp.value - before) * Float(way) < 0 { turns += 1 }
      if frame % 97 != 0, frame < frames - 1 { continue }
      let place = Double(first) + way * Double(frame) / Double(frames)
      worst = max(worst, abs(Double(ramp.value) - place))
    }
    #expect(worst < 4e-7)
    #expect(turns == 0)
    #expect(ramp.isStill && ramp.value == last)
    ramp.advance()
    #expect(ramp.value == last)
  }
}
