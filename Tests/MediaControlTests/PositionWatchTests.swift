// SPDX-License-Identifier: MIT

import Testing

@testable import MediaControl

@Suite("A position that is told of once")
struct PositionWatchTests {
  /// A watch, and a clock that is moved by hand.
  final class Bench {
    var watch = PositionWatch()
    var milliseconds: UInt64 = 1_000_000

    func jumps(
      _ status: NowPlaying.Status, at position: UInt64, track: Int = 0, after elapsed: UInt64 = 0
    ) -> Bool {
      milliseconds += elapsed
      var state = NowPlaying()
      state.status = status
      state.track = NowPlaying.Track(index: track)
      state.positionNanoseconds = position * 1_000_000
      return watch.hasJumped(to: state, now: milliseconds * 1_000_000)
    }
  }

  @Test("needs no other word while it goes on with the clock, or stands still in a pause")
  func steady() {
    let bench = Bench()
    var jumps = [bench.jumps(.playing, at: 0)]
    jumps.append(bench.jumps(.playing, at: 5000, after: 5000))
    jumps.append(bench.jumps(.paused, at: 5100, after: 100))
    jumps.append(bench.jumps(.paused, at: 5100, after: 60000))
    jumps.append(bench.jumps(.playing, at: 5100, after: 10))
    jumps.append(bench.jumps(.playing, at: 6000, after: 1000))
    #expect(!jumps.contains(true))
  }

  @Test("needs one for a seek, playing or paused, and not another after it")
  func seek() {
    let bench = Bench()
    #expect(!bench.jumps(.playing, at: 0))
    #expect(bench.jumps(.playing, at: 30000, after: 100))
    #expect(!bench.jumps(.playing, at: 31000, after: 1000))
    #expect(!bench.jumps(.paused, at: 31000))
    #expect(bench.jumps(.paused, at: 0, after: 100))
    #expect(!bench.jumps(.playing, at: 0, after: 1000))
  }

  @Test("needs one when the sound has stood still for want of data")
  func stall() {
    let bench = Bench()
    #expect(!bench.jumps(.playing, at: 0))
    #expect(!bench.jumps(.playing, at: 0, after: 200))
    #expect(bench.jumps(.playing, at: 0, after: 100))
    #expect(!bench.jumps(.playing, at: 200, after: 200))
  }

  @Test("needs one for a track that does not begin at its start, or begins again")
  func tracks() {
    let bench = Bench()
    #expect(bench.jumps(.playing, at: 20000))
    #expect(!bench.jumps(.playing, at: 50, track: 1, after: 1000))
    #expect(!bench.jumps(.playing, at: 9050, track: 1, after: 9000))
    #expect(bench.jumps(.playing, at: 50, track: 1, after: 100))
  }

  @Test("needs none while stopped, and one when playing does not begin at the start")
  func stopped() {
    let bench = Bench()
    #expect(!bench.jumps(.playing, at: 0))
    #expect(!bench.jumps(.stopped, at: 0, after: 9000))
    #expect(!bench.jumps(.playing, at: 0, after: 9000))
    #expect(!bench.jumps(.stopped, at: 0, after: 1000))
    #expect(bench.jumps(.playing, at: 9000))
  }
}
