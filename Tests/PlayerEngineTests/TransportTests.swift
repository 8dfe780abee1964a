// SPDX-License-Identifier: MIT

import PlayerEngine
import RenderCore
import TestKit
import Testing

@Suite("A player that follows a transport")
struct TransportTests {
  private typealias Playback = TransportedPlayback

  /// Returns the number of leading frames that are those of the list from `frame` on: each is its number, and silence
  /// follows the last of `total`.
  private func right(_ heard: some Collection<Int>, from frame: Int, of total: Int) -> Int {
    zip(heard, frame...).prefix { $0 == ($1 < total ? $1 + 1 : 0) }.count
  }

  private func locate(_ playback: Playback, _ frame: Int) throws {
    let isThere = playback.locate(frame)
    try #require(isThere, "frame \(frame)")
  }

  @Test("Plays while the transport rolls, and holds while it is stopped, without losing a frame")
  func rollsAndStands() throws {
    let directory = TemporaryDirectory()
    let playback = try Playback([
      Playback.makeNumbers("numbers.wav", in: directory, count: 480_000)
    ])
    try locate(playback, 0)
    for _ in 0..<20 {
      let frame = playback.frame
      playback.roll()
      let heard = playback.play(3000)
      #expect(right(heard, from: frame, of: 480_000) == 3000)
      playback.stop()
      let silence = playback.play(1000)
      let isReady = playback.isReady
      #expect(silence.allSatisfy { $0 == 0 } && isReady)
    }
    let underruns = playback.player.control.counters.underruns
    #expect(underruns == 0)
  }

  @Test("At each frame of the transport plays that frame of the list, after any locates")
  func locates() throws {
    let directory = TemporaryDirectory()
    let (lengths, total) = ([200_001, 77, 150_000, 96_123], 446_201)
    var first = 0
    var paths: [String] = []
    for (index, length) in lengths.enumerated() {
      paths.append(
        try Playback.makeNumbers("\(index).wav", in: directory, from: first, count: length))
      first += length
    }
    let playback = Playback(paths)
    try locate(playback, 0)
    var random = SplitMix(state: 5)
    for _ in 0..<40 {
      let frame = Int.random(in: 0..<total + 20_000, using: &random)
      try locate(playback, frame)
      playback.roll()
      let heard = playback.play(20_000)
      #expect(right(heard, from: frame, of: total) == 20_000, "\(frame)")
    }
    let (underruns, state) = (playback.player.control.counters.underruns, playback.player.state)
    #expect(underruns == 0 && state == .playing)
  }

  @Test("Continues at the transport's frame when that did not wait, and counts the late start")
  func isLate() throws {
    let directory = TemporaryDirectory()
    let playback = try Playback([
      Playback.makeNumbers("numbers.wav", in: directory, count: 960_000)
    ])
    try locate(playback, 0)
    playback.stop()
    // The transport is stopped, is moved elsewhere, and rolls at once.
    playback.jump(to: 300_000)
    playback.stop()
    _ = playback.cycle()
    playback.roll()
    let first = playback.frame
    let heard = playback.play(48000)
    let firstSound = try #require(heard.firstIndex { $0 != 0 })
    #expect(
      right(heard[firstSound...], from: first + firstSound, of: 960_000) == 48000 - firstSound)
    let underruns = playback.player.control.counters.underruns
    #expect(underruns == 1)
  }

  @Test("Skips the sound of missed cycles")
  func missedCycles() throws {
    let directory = TemporaryDirectory()
    let playback = try Playback([
      Playback.makeNumbers("numbers.wav", in: directory, count: 480_000)
    ])
    try locate(playback, 0)
    playback.roll()
    _ = playback.play(4096)
    playback.jump(to: 4096 + 5 * 256)
    // At most four cycles' sound is dropped in one cycle.
    let heard = playback.play(2560)
    #expect(heard[..<256].allSatisfy { $0 == 0 })
    let next = 4096 + 6 * 256
    #expect(right(heard[256...], from: next, of: 480_000) == 2304)
  }

  @Test("A track of another rate plays at the same time, within a frame")
  func resampled() throws {
    let directory = TemporaryDirectory()
    let path = try Playback.makeNumbers(
      "numbers.wav", in: directory, count: 441_000, rate: 44100)
    let playback = Playback([path])
    try locate(playback, 0)
    for frame in [48_000, 400_000, 12_345] {
      try locate(playback, frame)
      playback.roll()
      let heard = playback.play(9600)
      // Only frames behind the resampler's settling time are compared.
      for index in stride(from: 2400, to: 9600, by: 7) {
        let expected = Double(frame + index) * 44100 / 48000 + 1
        #expect(abs(Double(heard[index]) - expected) < 1, "\(frame) \(index)")
      }
    }
  }

  @Test("Reports a source that cannot seek, and plays on from its current frame")
  func unseekable() throws {
    let directory = TemporaryDirectory()
    let path = try Playback.makeNumbers("numbers.wav", in: directory, count: 480_000)
    let source = MemorySource(contents(ofFile: path), .server(offersRanges: false))
    source.refusesRepositions = true
    var item = PlaylistItem(location: "http://localhost/numbers.wav")
    item.source = source
    let playback = Playback([item])
    try locate(playback, 0)
    playback.roll()
    let heard = playback.play(10_000)
    #expect(right(heard, from: 0, of: 480_000) == 10_000)
    playback.stop()
    // This frame is gone.
    try locate(playback, 480)
    let refusals = playback.events.filter { if case .seekFailed = $0 { true } else { false } }
    #expect(refusals.count == 1)
    playback.roll()
    let next = playback.play(10_000)
    #expect(right(next, from: 10_000, of: 480_000) == 10_000)
  }

  @Test("Plays on from a target ahead if the source cannot return while it seeks there")
  func unseekableWhileSeeking() throws {
    let directory = TemporaryDirectory()
    let path = try Playback.makeNumbers("numbers.wav", in: directory, count: 480_000)
    let source = MemorySource(contents(ofFile: path), .server(offersRanges: false))
    source.refusesRepositions = true
    source.comesUpTo = 600_000
    var item = PlaylistItem(location: "http://localhost/numbers.wav")
    item.source = source
    let playback = Playback([item])
    try locate(playback, 0)
    playback.jump(to: 300_000)
    playback.stop()
    for _ in 0..<50 { playback.cycle() }
    let isThere = playback.isReady
    #expect(!isThere)
    playback.jump(to: 480)
    playback.stop()
    for _ in 0..<50 { playback.cycle() }
    source.comesUpTo = .max
    try locate(playback, 480)
    playback.roll()
    let heard = playback.play(10_000)
    #expect(right(heard, from: 300_000, of: 480_000) == 10_000)
  }

  @Test("Ignores commands that seek or skip, since the transport decides the position")
  func commands() throws {
    let directory = TemporaryDirectory()
    let playback = try Playback([
      Playback.makeNumbers("numbers.wav", in: directory, count: 480_000),
      Playback.makeNumbers("more.wav", in: directory, count: 48000),
    ])
    try locate(playback, 0)
    playback.roll()
    _ = playback.play(2560)
    for command in [
      .next, .previous, .track(1), .seek(toNanoseconds: 0), .seekBy(nanoseconds: 1_000_000_000),
      .restart, .scan(speed: 4), .changeScanSpeed(forward: true), .setRepeat(.all),
    ] as [SteppedPlayer.Command] {
      playback.player.apply(command)
    }
    let heard = playback.play(25_600)
    #expect(right(heard, from: 2560, of: 480_000) == 25_600)
  }

  @Test("After a pause of its own it continues at the transport's frame")
  func pause() throws {
    let directory = TemporaryDirectory()
    let playback = try Playback([
      Playback.makeNumbers("numbers.wav", in: directory, count: 960_000)
    ])
    try locate(playback, 0)
    playback.roll()
    _ = playback.play(2560)
    playback.player.apply(.pause)
    _ = playback.play(25_600)
    // The player's own pause does not delay the transport.
    #expect(playback.isReady)
    playback.player.apply(.resume)
    let first = playback.frame
    let heard = playback.play(96_000)
    let firstSound = try #require(heard.firstIndex { $0 != 0 })
    #expect(
      right(heard[firstSound...], from: first + firstSound, of: 960_000) == 96_000 - firstSound)
  }

  @Test("A track that cannot be played takes no time")
  func missingTrack() throws {
    let directory = TemporaryDirectory()
    let playback = try Playback([
      Playback.makeNumbers("0.wav", in: directory, count: 96_000), directory.file("none.wav"),
      Playback.makeNumbers("2.wav", in: directory, from: 96_000, count: 96_000),
    ])
    try locate(playback, 0)
    for frame in [150_000, 10_000, 100_000, 90_000] {
      try locate(playback, frame)
      playback.roll()
      let heard = playback.play(20_000)
      #expect(right(heard, from: frame, of: 192_000) == 20_000, "\(frame)")
    }
  }
}
