// SPDX-License-Identifier: MIT

import Glibc
import OfflineOutput
import RenderCore
import TestKit
import Testing

@testable import PlayerEngine

/// Files whose damage lies behind the frame of a seek, or behind the sound that plays.
@Suite("Seeking in a track that is damaged farther on")
struct BrokenTrackSeekTests {
  private let workshop = Workshop()

  /// Makes forty seconds of a tone, then twenty of noise, which AAC synthesises from all that was decoded before, in
  /// fragments of a tenth of a second. The fragment at `seconds` states a packet larger than a file can be.
  private func damaged(atSeconds seconds: Double) throws -> String {
    let encode = "ffmpeg -nostdin -v error -f lavfi -i"
    let options = "-ac 1 -c:a aac -b:a 32k"
    try workshop.run(
      "\(encode) sine=frequency=440:sample_rate=44100:duration=40 \(options) -aac_pns 0 tone.aac")
    try workshop.run(
      "\(encode) anoisesrc=r=44100:d=20:a=0.3:seed=1 \(options) -aac_pns 1 noise.aac")
    try workshop.run("cat tone.aac noise.aac >both.aac")
    try workshop.run("ffmpeg -nostdin -v error -i both.aac -c copy both.m4a")
    try workshop.run(
      "ffmpeg -nostdin -v error -i both.m4a -c copy "
        + "-movflags +empty_moov+default_base_moof -frag_duration 100000 damaged.mp4")
    try workshop.run(
      """
      python3 -c '
      import struct
      data = bytearray(open("damaged.mp4", "rb").read())
      place = 0
      while place < len(data):
          size, kind = struct.unpack(">I4s", data[place:place + 8])
          if kind == b"moof":
              time = data.find(b"tfdt", place)
              if struct.unpack(">Q", data[time + 8:time + 16])[0] / 44100 >= \(seconds):
                  run = data.find(b"trun", place)
                  flags = struct.unpack(">I", b"\\0" + data[run + 5:run + 8])[0]
                  first = run + 12 + 4 * bool(flags & 1) + 4 * bool(flags & 4)
                  fields = [flag for flag in (0x100, 0x200, 0x400, 0x800) if flags & flag]
                  struct.pack_into(">I", data, first + 4 * fields.index(0x200), 0x7FFFFFFF)
                  break
          place += size
      open("damaged.mp4", "wb").write(data)
      '
      """)
    return workshop.path("damaged.mp4")
  }

  private func failures(_ playback: OfflinePlayback) -> Int {
    playback.events.count { if case .failed = $0 { true } else { false } }
  }

  /// Plays until a condition holds, for at most `seconds`, and returns whether it holds.
  private func run(_ playback: OfflinePlayback, seconds: Int, until isSo: () -> Bool) -> Bool {
    for _ in 0..<seconds * 44100 / 64 {
      if isSo() { return true }
      _ = playback.player.step(mayWait: playback.player.state == .opening)
      playback.crank(64)
    }
    return isSo()
  }

  @Test(
    "A seek before the damage that decodes from the start succeeds, and the damage is one report")
  func beforeTheDamage() throws {
    defer { withExtendedLifetime(workshop) {} }
    let playback = OfflinePlayback([try damaged(atSeconds: 45)], rate: 44100, channels: 1)
    #expect(run(playback, seconds: 2) { playback.player.state == .playing })
    // The target lies behind noise that is not parsed yet, and within the read that finds the damage.
    playback.player.apply(.seek(toNanoseconds: 44_700_000_000))
    #expect(run(playback, seconds: 4) { playback.player.state == .failed })
    #expect(failures(playback) == 1)
  }

  @Test("A seek back succeeds after a read has met damage behind the sound that plays")
  func back() throws {
    defer { withExtendedLifetime(workshop) {} }
    let playback = OfflinePlayback([try damaged(atSeconds: 15)], rate: 44100, channels: 1)
    #expect(run(playback, seconds: 2) { playback.player.state == .playing })
    playback.player.apply(.seek(toNanoseconds: 14_000_000_000))
    let isPast = run(playback, seconds: 4) {
      failures(playback) == 1 && playback.player.feeder.reader == nil
    }
    #expect(isPast && playback.player.state == .playing)
    let before = playback.soundingFrames.count { $0 }
    playback.player.apply(.seek(toNanoseconds: 5_000_000_000))
    _ = run(playback, seconds: 4) { false }
    let heard = playback.soundingFrames.count { $0 } - before
    #expect(heard > 3 * 44100 && failures(playback) == 1)
    #expect(playback.player.state == .playing)
  }

  @Test("A file that begins in a far future is decoded ahead without a crash")
  func farFuture() throws {
    defer { withExtendedLifetime(workshop) {} }
    try workshop.run(
      "ffmpeg -nostdin -v error -f lavfi -i sine=440:d=2:r=48000 -c:a ac3 "
        + "-movflags +delay_moov+default_base_moof -frag_duration 500000 -f mp4 far.mp4")
    try workshop.run(
      """
      python3 -c '
      import struct
      data = bytearray(open("far.mp4", "rb").read())
      struct.pack_into(">I", data, data.find(b"ac-3") + 28, 1000 << 16)
      struct.pack_into(">I", data, data.find(b"mdhd") + 16, 1000)
      place = data.find(b"tfdt")
      for fragment in range(1, 4):
          place = data.find(b"tfdt", place + 4)
          struct.pack_into(">Q", data, place + 8, (1 << 59) + fragment * 100000)
      open("far.mp4", "wb").write(data)
      '
      """)
    let playback = OfflinePlayback([workshop.path("far.mp4")], rate: 48000, channels: 1)
    playback.run(period: 1024, frames: 1 << 21)
    #expect(playback.soundingFrames.count { $0 } > 10_000)
  }

  @Test("A seek in a track that cannot be opened leads to the next one, or to the end")
  func unplayable() throws {
    try workshop.run("sox -n -r 8000 -c 1 -b 16 whole.wav synth 1 sine 300")
    let whole = workshop.path("whole.wav")
    try workshop.write([1, 2, 3], "broken.wav")
    for broken in [workshop.path("broken.wav"), workshop.path("none.wav")] {
      for rest in [[], [whole], [broken, whole]] {
        let playback = OfflinePlayback([broken] + rest, rate: 8000, channels: 1)
        playback.player.apply(.seek(toNanoseconds: 700_000_000))
        let isOver = run(playback, seconds: 10) {
          playback.player.state == .ended || playback.player.state == .failed
        }
        #expect(isOver, "\(rest)")
        #expect(playback.sound[0].count == (rest.isEmpty ? 0 : 8000), "\(rest)")
        #expect(failures(playback) == max(1, rest.count))
      }
    }
  }
}
