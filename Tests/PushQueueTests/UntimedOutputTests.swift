// SPDX-License-Identifier: MIT

import AudioModel
import RenderCore
import Testing

@testable import PushQueue

@Suite("An output without deadlines")
struct UntimedOutputTests {
  /// How a queue's sound ends.
  enum Ending: CaseIterable {
    case stop
    case flush
  }

  /// Renders until `frames` were heard, and only when the output would not have to wait.
  ///
  /// - Returns: frames that were heard when nothing but waiting was left; nil for none.
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
    "never waits for a queue that has prepared all that it may, whatever is left to be done",
    arguments: Ending.allCases, [500, 1024, 4096])
  func ends(_ ending: Ending, period: Int) throws {
    // As long as the decode buffer, or a little more or less: the end comes while it is full, or after.
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

  @Test("never waits for a decoder's rest that there is no room for before something is played")
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
