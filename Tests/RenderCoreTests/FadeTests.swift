// SPDX-License-Identifier: MIT

import RenderCore
import TestKit
import Testing

@Suite("A change of the sound")
struct FadeTests {
  /// A change of a source that plays.
  enum Change: CaseIterable {
    case pause, resume, mute, volume, pan, seek, seekToItsPhase, skip, removal, reversal, toggling
  }

  /// Returns the output around a change, which begins with frame 4096.
  private func hear(
    _ change: Change, rate: Double = 48000, cuts: Cuts = .even(64)
  ) throws -> [Float] {
    let playback = TonePlayback(rate: rate, channels: change == .pan ? 2 : 1, cuts: cuts)
    let control = playback.control
    try playback.write(40_000)
    var heard: [Float] = []
    if change == .resume {
      _ = playback.hear(4000)
      control.mode = .pause
    }
    heard = playback.hear(4096)
    switch change {
    case .pause: control.mode = .pause
    case .resume: control.mode = .play
    case .mute: control.volume = 0
    case .volume: control.volume = 0.3
    case .pan: control.pan = 0.8
    case .seek, .seekToItsPhase, .skip:
      let first = change == .seek ? 123 : 0
      try playback.write(
        20_000, from: first, flushSerial: 1,
        origin: StreamOrigin(
          track: 0, startNanoseconds: change == .skip ? 0 : 1_000_000_000))
      control.flushSerial = 1
    case .removal: playback.renderer.remove(control)
    case .reversal:
      // Reverses the fade on its way down, and again on its way up.
      for mode in [SourceMode.pause, .play, .pause, .play, .pause] {
        control.mode = mode
        heard += playback.hear(128)
      }
    case .toggling:
      for round in 0..<100 {
        control.mode = round % 2 == 0 ? .pause : .play
        heard += playback.hear(48)
      }
    }
    return heard + playback.hear(8192)
  }

  @Test(
    "leaves no more than -125 dBFS above 3 kHz of a tone of 60 Hz",
    arguments: Change.allCases.filter { $0 != .skip })
  func splatter(_ change: Change) throws {
    let decibels = Splatter.decibels(try hear(change), sampleRate: 48000)
    #expect(decibels <= -125, "\(change)")
  }

  @Test("produces the same samples for all cycle lengths", arguments: Change.allCases)
  func cycleLength(_ change: Change) throws {
    let expected = try hear(change, cuts: .even(1))
    for cuts in Cuts.all {
      let isAlike = try hear(change, cuts: cuts) == expected
      #expect(isAlike, "\(change) \(cuts)")
    }
  }

  @Test(
    "takes 5 ms at every rate, and is as smooth there",
    arguments: [44100.0, 48000, 96000, 192_000])
  func rates(_ rate: Double) throws {
    let frames = Int(0.005 * rate + 0.5)
    for change in [Change.pause, .removal] {
      let heard = try hear(change, rate: rate)
      let tone = TonePlayback.tone(4096 + frames, rate: rate)
      #expect(Array(heard[..<4096]) == Array(tone[..<4096]))
      for frame in 0..<frames {
        let k = Double(frame + 1) / Double(frames)
        let gain = Float(1 - k * k * k * (10 - 15 * k + 6 * k * k))
        #expect(abs(heard[4096 + frame] - gain * tone[4096 + frame]) < 1e-6)
      }
      #expect(heard[4096 + frames - 2] != 0)
      #expect(heard[(4096 + frames - 1)...].allSatisfy { $0 == 0 })
      #expect(Splatter.decibels(heard, sampleRate: rate) <= -125)
    }
  }

  @Test("by a seek fades the old sound out, then the new one in from its first frame")
  func seek() throws {
    let heard = try hear(.seek)
    let tone = TonePlayback.tone(8000, from: 123)
    // The old sound fades out over 240 frames, then the new one fades in over 240.
    #expect(Array(heard[(4096 + 480)..<8000]) == Array(tone[240..<3664]))
    #expect(heard[4096 + 240].magnitude < 1e-6)
  }

  @Test("begins a track without a fade, after another one and at first")
  func firstFrames() throws {
    let heard = try hear(.skip)
    let tone = TonePlayback.tone(8192)
    #expect(Array(heard[..<4096]) == Array(tone[..<4096]))
    #expect(Array(heard[(4096 + 240)...]) == Array(tone[..<(8192 - 240)]))
  }

  @Test("begins in the middle of a track without a fade if no sound preceded it")
  func firstOfAll() throws {
    let playback = TonePlayback()
    try playback.write(3000, origin: StreamOrigin(track: 0, startNanoseconds: 1_000_000_000))
    #expect(playback.hear(3000) == TonePlayback.tone(3000))
  }

  @Test("leaves no trace at a gapless join")
  func join() throws {
    let playback = TonePlayback()
    try playback.write(3000)
    playback.endStream()
    try playback.write(3000, from: 3000, origin: StreamOrigin(track: 1), joins: true)
    #expect(playback.hear(6000) == TonePlayback.tone(6000))
  }

  @Test("by a seek during the fade of a pause waits for the fade's end, and stays silent")
  func seekInPause() throws {
    let playback = TonePlayback()
    try playback.write(20_000)
    var heard = playback.hear(4096)
    playback.control.mode = .pause
    heard += playback.hear(64)
    try playback.write(20_000, flushSerial: 1, origin: StreamOrigin(track: 0, startNanoseconds: 5))
    playback.control.flushSerial = 1
    heard += playback.hear(4096)
    #expect(playback.control.renderedFlushSerial == 1 && playback.control.isSilent)
    #expect(Splatter.decibels(heard, sampleRate: 48000) <= -125)
  }

  @Test("of the ramp's length applies to the next volume of a packet")
  func rampOfPacket() throws {
    let playback = TonePlayback()
    try playback.write(
      12_000,
      settings: [
        1: SourceSettings(volumeRampSeconds: 0.5), 3: SourceSettings(volume: 0),
      ])
    _ = playback.hear(2048)
    #expect(playback.control.volumeRampSeconds == 0.5)
    playback.control.volumeRampSeconds = 0.1
    #expect(playback.control.volumeRampSeconds == 0.1)
    let heard = playback.hear(6400)
    // The ramp begins with frame 3000 and takes 4800 frames.
    #expect(heard[3000 - 2048 + 2000] != 0 && heard[3000 - 2048 + 4700] != 0)
    #expect(heard[(3000 - 2048 + 4799)...].allSatisfy { $0 == 0 })
    #expect(playback.control.volumeRampSeconds == 0.1 && playback.control.volume == 0)
  }
}
