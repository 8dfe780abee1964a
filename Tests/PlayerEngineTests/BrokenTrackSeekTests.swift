// SPDX-License-Identifier: MIT

import Glibc
import OfflineOutput
import RenderCore
import TestKit
import Testing

@testable import PlayerEngine

/// A file that turns out to be damaged behind the place that is sought, or behind what is heard.
@Suite("Seeking in a track that is damaged farther on")
struct BrokenTrackSeekTests {
  /// Twenty seconds of a tone and five of noise, which AAC makes up from all that it has decoded, in fragments of
  /// a tenth of a second; one that begins at a time states a packet larger than a file can be.
  private static func damaged(atSeconds seconds: Double, in directory: TemporaryDirectory) -> String
  {
    let path = directory.file("damaged.mp4")
    _ = ReferenceDecoder.output(
      "ffmpeg -nostdin -v error -filter_complex 'sine=frequency=440:sample_rate=44100:duration=20[a];"
        + "anoisesrc=r=44100:d=5:a=0.3:seed=1[b];[a][b]concat=n=2:v=0:a=1' -ac 1 -c:a aac -b:a 32k "
        + "-aac_pns 1 -movflags +empty_moov+default_base_moof -frag_duration 100000 -f mp4 '\(path)'"
    )
    _ = ReferenceDecoder.output(
      """
      python3 -c '
      import struct, sys
      data = bytearray(open(sys.argv[1], "rb").read())
      place = 0
      while place < len(data):
          size, kind = struct.unpack(">I4s", data[place:place + 8])
          if kind == b"moof":
              time = data.find(b"tfdt", place)
              if struct.unpack(">Q", data[time + 8:time + 16])[0] / 44100 >= float(sys.argv[2]):
                  run = data.find(b"trun", place)
                  flags = struct.unpack(">I", b"\\0" + data[run + 5:run + 8])[0]
                  first = run + 12 + 4 * bool(flags & 1) + 4 * bool(flags & 4)
                  fields = [flag for flag in (0x100, 0x200, 0x400, 0x800) if flags & flag]
                  struct.pack_into(">I", data, first + 4 * fields.index(0x200), 0x7FFFFFFF)
                  break
          place += size
      open(sys.argv[1], "wb").write(data)
      ' '\(path)' \(seconds)
      """)
    return path
  }

  private func failures(_ playback: OfflinePlayback) -> Int {
    playback.events.count { if case .failed = $0 { true } else { false } }
  }

  @Test(
    "A seek before the damage that has to decode from the start is made, and the damage told once")
  func beforeTheDamage() {
    let directory = TemporaryDirectory()
    let path = Self.damaged(atSeconds: 20.3, in: directory)
    let playback = OfflinePlayback([path], rate: 44100, channels: 1)
    while playback.player.state != .playing { _ = playback.player.step(mayWait: true) }
    // Behind noise of which nothing is known yet, and in reach of the read that finds the damage.
    playback.player.apply(.seek(toNanoseconds: 20_100_000_000))
    for _ in 0..<3000 where playback.player.state != .failed {
      _ = playback.player.step(mayWait: false)
      playback.crank(64)
    }
    #expect(playback.player.state == .failed)
    #expect(failures(playback) == 1)
  }

  @Test("A seek back from sound behind which the damage was met is made")
  func back() {
    let directory = TemporaryDirectory()
    let path = Self.damaged(atSeconds: 15, in: directory)
    let playback = OfflinePlayback([path], rate: 44100, channels: 1)
    while playback.player.state != .playing { _ = playback.player.step(mayWait: true) }
    playback.player.apply(.seek(toNanoseconds: 14_000_000_000))
    while failures(playback) == 0 {
      _ = playback.player.step(mayWait: false)
      playback.crank(64)
    }
    while playback.player.feeder.reader != nil {
      _ = playback.player.step(mayWait: false)
      playback.crank(64)
    }
    #expect(playback.player.state == .playing)
    let before = playback.soundingFrames.count { $0 }
    playback.player.apply(.seek(toNanoseconds: 5_000_000_000))
    for _ in 0..<4 * 44100 / 64 {
      _ = playback.player.step(mayWait: false)
      playback.crank(64)
    }
    let heard = playback.soundingFrames.count { $0 } - before
    #expect(heard > 3 * 44100 && failures(playback) == 1)
    #expect(playback.player.state == .playing)
  }

  @Test("A file that begins in a far future is decoded ahead without a crash")
  func farFuture() throws {
    let workshop = Workshop()
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
      time = data.find(b"tfdt", data.find(b"tfdt") + 4)
      struct.pack_into(">Q", data, time + 8, 1 << 59)
      open("far.mp4", "wb").write(data)
      '
      """)
    let source = MemorySource(try workshop.read("far.mp4"), .file)
    let playback = OfflinePlayback(
      opened: TrackReader(source, location: "memory"), [], rate: 48000, channels: 1)
    playback.run(period: 1024, frames: 200_000)
    #expect(playback.soundingFrames.count { $0 } > 10_000)
  }
}
