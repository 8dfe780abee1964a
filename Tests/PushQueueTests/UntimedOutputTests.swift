// SPDX-License-Identifier: MIT

import AudioModel
import RenderCore
import Testing

@testable import PushQueue

@Suite("An output without deadlines")
struct UntimedOutputTests {
  /// The call that ends a queue's sound.
  enum Ending: CaseIterable {
    case stop
    case flush
  }

  /// Renders until `frames` have played, and only while the output would not have to wait.
  ///
  /// - Returns: the frames that have played when the output would wait; nil if it never would.
  private func crank(_ player: SteppedQueue, until frames: Int, period: Int) -> Int? {
    while player.heard.count / 2 < frames {
      player.settle()
      guard player.renderer.context.isReady(frameCount: period) else {
        return player.heard.count / 2
      }
      player.crank(period, period: period)
    }
    return nil
  }

  @Test(
    "never waits for a queue that has prepared all that it may, whatever work is left",
    arguments: Ending.allCases, [500, 1024, 4096])
  func ends(_ ending: Ending, period: Int) throws {
    // Lengths around the decode buffer's: the end comes while the buffer is full, or later.
    for frames in [40_000, 48_000, 48_500, 60_000] {
      let player = try SteppedQueue()
      try player.enqueueRamp(0..<frames)
      switch ending {
      case .stop:
        try player.queue.start()
        try player.queue.stop(immediately: false)
      case .flush:
        try player.queue.flush()
        try player.queue.start()
      }
      let wait = crank(player, until: frames, period: period)
      #expect(wait == nil, "of \(frames) frames")
      let isWhole = player.heardRamp.prefix(frames).elementsEqual(0..<frames)
      #expect(isWhole)
      #expect(player.queue.underrunCount == 0)
    }
  }

  @Test("never waits for a decoder's remainder that finds no room before some sound is played")
  func blockedFlush() throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(0..<5000)
    try player.queue.flush()
    try player.queue.start()
    while !player.queue.core.locked({ $0.isFlushing }), player.queue.step() {}
    player.queue.decodeBufferSizeFrames = 1
    #expect(crank(player, until: 5000, period: 500) == nil)
    let isWhole = player.heardRamp.prefix(5000).elementsEqual(0..<5000)
    #expect(isWhole)
    #expect(player.queue.underrunCount == 0)
  }
}
