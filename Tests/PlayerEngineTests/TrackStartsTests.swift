// SPDX-License-Identifier: MIT

import Testing

@testable import PlayerEngine

@Suite("The starts of tracks on a transport's time line")
struct TrackStartsTests {
  @Test("The first begins at 0, and contains all time until another start is known")
  func first() {
    let starts = TrackStarts()
    #expect(starts.position(at: 0) == (0, 0))
    #expect(starts.position(at: 1 << 40) == (0, 1 << 40))
    #expect(starts.start(of: 5) == 0 && !starts.isKnown(1))
  }

  @Test("A time is in the last track that has begun by then")
  func places() {
    var starts = TrackStarts()
    starts.note(100, of: 1)
    starts.note(250, of: 2)
    #expect(starts.position(at: 99) == (0, 99))
    #expect(starts.position(at: 100) == (1, 0))
    #expect(starts.position(at: 249) == (1, 149))
    #expect(starts.position(at: 1000) == (2, 750))
    #expect(starts.start(of: 2) == 250 && starts.start(of: 7) == 250)
  }

  @Test("A track without a length is skipped")
  func empty() {
    var starts = TrackStarts()
    starts.note(100, of: 1)
    starts.note(100, of: 2)
    #expect(starts.position(at: 100) == (2, 0))
  }

  @Test("A better length replaces a guess, and discards the starts behind it")
  func correction() {
    var starts = TrackStarts()
    starts.note(100, of: 1)
    starts.note(250, of: 2)
    starts.note(110, of: 1)
    #expect(starts.start(of: 1) == 110 && !starts.isKnown(2))
    // A known start changes nothing, and a start behind a gap is ignored.
    starts.note(260, of: 2)
    starts.note(110, of: 1)
    starts.note(900, of: 9)
    #expect(starts.starts == [0, 110, 260])
  }
}
