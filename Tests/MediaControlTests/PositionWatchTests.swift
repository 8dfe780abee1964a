// SPDX-License-Identifier: MIT

import Testing

@testable import MediaControl

@Suite("A position's signal")
struct PositionWatchTests {
  /// A watch with a manual clock.
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

  @Test("is not needed while the position follows the clock, or stays the same in a pause")
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

  @Test("is needed once for a seek, playing or paused")
  func seek() {
    let bench = Bench()
    #expect(!bench.jumps(.playing, at: 0))
    #expect(bench.jumps(.playing, at: 30000, after: 100))
    #expect(!bench.jumps(.playing, at: 31000, after: 1000))
    #expect(!bench.jumps(.paused, at: 31000))
    #expect(bench.jumps(.paused, at: 0, after: 100))
    #expect(!bench.jumps(.playing, at: 0, after: 1000))
  }

  @Test("is needed after the sound has paused for lack of data")
  func stall() {
    let bench = Bench()
    #expect(!bench.jumps(.playing, at: 0))
    #expect(!bench.jumps(.playing, at: 0, after: 200))
    #expect(bench.jumps(.playing, at: 0, after: 100))
    #expect(!bench.jumps(.playing, at: 200, after: 200))
  }

  @Test("is needed for a track that does not begin at its start, or begins again")
  func tracks() {
    let bench = Bench()
    #expect(bench.jumps(.playing, at: 20000))
    #expect(!bench.jumps(.playing, at: 50, track: 1, after: 1000))
    #expect(!bench.jumps(.playing, at: 9050, track: 1, after: 9000))
    #expect(bench.jumps(.playing, at: 50, track: 1, after: 100))
  }

  @Test("is not needed while stopped, but when playing does not begin at the start")
  func stopped() {
    let bench = Bench()
    #expect(!bench.jumps(.playing, at: 0))
    #expect(!bench.jumps(.stopped, at: 0, after: 9000))
    #expect(!bench.jumps(.playing, at: 0, after: 9000))
    #expect(!bench.jumps(.stopped, at: 0, after: 1000))
    #expect(bench.jumps(.playing, at: 9000))
  }
}
