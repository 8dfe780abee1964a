// SPDX-License-Identifier: MIT

import AudioModel
import Equalizers
import Glibc
import Testing

@Suite("A crossfeed")
struct CrossfeedTests {
  private static let all: [Crossfeed] = [.standard, .moy, .meier]

  @Test("is refused outside its ranges")
  func ranges() {
    for (cutoff, level) in [
      (299.0, 5.0), (2001, 5), (700, 0.9), (700, 15.1), (.nan, 5), (700, .nan), (.infinity, 5),
    ] {
      #expect(Crossfeed(cutoffHertz: cutoff, levelDecibels: level) == nil)
    }
    #expect(Crossfeed(cutoffHertz: 300, levelDecibels: 1) != nil)
    #expect(Crossfeed(cutoffHertz: 2000, levelDecibels: 15) != nil)
  }

  @Test("passes the channels' common signal with a gain of 1 at 0 Hz", arguments: all)
  func sum(_ crossfeed: Crossfeed) {
    for rate in [8000.0, 44_100, 192_000] {
      let (direct, crossed) = crossfeed.sections(sampleRate: rate)
      let gains = [direct, crossed].map {
        pow(10, $0.response(atHertz: 0, sampleRate: rate).gainDecibels / 20)
      }
      #expect(abs(gains[0] + gains[1] - 1) < 1e-9)
      #expect(direct.isStable && crossed.isStable)
    }
  }
}
