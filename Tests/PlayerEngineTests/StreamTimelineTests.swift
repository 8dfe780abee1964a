// SPDX-License-Identifier: MIT

import Testing

@testable import PlayerEngine

@Suite("Stream timeline")
struct StreamTimelineTests {
  @Test("Before the first stream there is no position")
  func empty() {
    #expect(StreamTimeline(outputRate: 48000).position(at: 0) == nil)
  }

  @Test("A position is the time since the stream began, in the track that the frame belongs to")
  func boundaries() throws {
    var timeline = StreamTimeline(outputRate: 48000)
    timeline.begin(track: 0, at: 0)
    timeline.begin(track: 1, at: 96000)
    #expect(try #require(timeline.position(at: 48000)) == (0, 1_000_000_000))
    #expect(try #require(timeline.position(at: 95999)).track == 0)
    #expect(try #require(timeline.position(at: 96000)) == (1, 0))
    #expect(try #require(timeline.position(at: 120_000)) == (1, 500_000_000))
  }

  @Test("A track that changes its format on the way keeps its time")
  func sameTrack() throws {
    var timeline = StreamTimeline(outputRate: 1000)
    timeline.begin(track: 0, at: 0)
    timeline.begin(track: 0, at: 500)
    #expect(try #require(timeline.position(at: 700)) == (0, 700_000_000))
  }

  @Test("After a thousand streams old boundaries are forgotten and new ones are right")
  func bounded() throws {
    var timeline = StreamTimeline(outputRate: 1000)
    for track in 0..<1000 { timeline.begin(track: track, at: UInt64(track) * 100) }
    #expect(try #require(timeline.position(at: 99_950)) == (999, 50_000_000))
  }

  @Test("After a change of rate frames count by the new one, and the time skips the dropped sound")
  func rateChange() throws {
    var timeline = StreamTimeline(outputRate: 1000)
    timeline.begin(track: 0, at: 0)
    timeline.changeRate(to: 500, at: 400, droppedNanoseconds: 100_000_000)
    #expect(try #require(timeline.position(at: 399)) == (0, 399_000_000))
    #expect(try #require(timeline.position(at: 400)) == (0, 500_000_000))
    #expect(try #require(timeline.position(at: 500)) == (0, 700_000_000))
  }

  @Test("A track that was to begin in the sound dropped by a change of rate has begun")
  func rateChangeAtBoundary() throws {
    var timeline = StreamTimeline(outputRate: 1000)
    timeline.begin(track: 0, at: 0)
    timeline.begin(track: 1, at: 410)
    timeline.changeRate(to: 2000, at: 400, droppedNanoseconds: 30_000_000)
    #expect(try #require(timeline.position(at: 399)).track == 0)
    #expect(try #require(timeline.position(at: 400)) == (1, 20_000_000))
    timeline.begin(track: 2, at: 500)
    #expect(try #require(timeline.position(at: 600)) == (2, 50_000_000))
  }

  @Test("A later track was noted at a frame of the old rate, and begins at the new rate's frame")
  func rateChangeBeforeBoundary() throws {
    var timeline = StreamTimeline(outputRate: 1000)
    timeline.begin(track: 0, at: 0)
    timeline.begin(track: 1, at: 410)
    timeline.changeRate(to: 2000, at: 400)
    #expect(try #require(timeline.position(at: 419)) == (0, 409_500_000))
    #expect(try #require(timeline.position(at: 421)) == (1, 500_000))
  }
}
