// SPDX-License-Identifier: MIT

import PacketParser
import PlayerEngine
import RenderCore
import TestKit
import Testing

/// FLAC files that contradict themselves, change on the way or are damaged, from the file to the samples.
@Suite("Playing FLAC files with faults")
struct FLACFaultPlaybackTests {
  private static let rate = 44100
  private static let frames = 36_603

  private static func encode(_ options: String, _ name: String, in workshop: Workshop) throws {
    try workshop.run(
      "ffmpeg -v error -y -f lavfi -i 'aevalsrc=0.4*sin(5000*t*t)|0.3*sin(900*t):s=44100:d=0.83' "
        + "-c:a flac -frame_size 4096 \(options) \(name) </dev/null")
  }

  /// Plays a file in stereo at 44.1 kHz.
  private static func play(
    _ name: String, in workshop: Workshop, at place: DecoderThread?
  ) -> OfflinePlayback {
    var configuration = PlayerConfiguration()
    configuration.decoderThread = place
    let playback = OfflinePlayback(
      [workshop.path(name)], rate: Double(rate), channels: 2, configuration: configuration)
    playback.run(period: 256)
    return playback
  }

  @Test(
    "A stream of another format follows at its frame, in a FLAC file and in containers",
    arguments: [
      ("-ar 48000", "flac"), ("-ac 1", "flac"), ("-sample_fmt s32", "flac"), ("-ac 1", "ogg"),
      ("-ac 1", "mp4"),
    ])
  func changes(_ options: String, _ container: String) throws {
    let workshop = Workshop()
    try Self.encode("-ac 2", "a.flac", in: workshop)
    try Self.encode("-ac 2 \(options)", "b.flac", in: workshop)
    if container == "flac" {
      try workshop.run("cat a.flac b.flac a.flac >out.flac")
    } else {
      try workshop.run(
        "printf 'file a.flac\\nfile b.flac\\nfile a.flac\\n' >list && "
          + "ffmpeg -v error -y -f concat -i list -c copy -strict -2 out.\(container) </dev/null")
    }
    let single = Self.play("a.flac", in: workshop, at: nil).sound
    #expect(single[0].count == Self.frames)
    for place in [nil, .ahead] as [DecoderThread?] {
      let playback = Self.play("out.\(container)", in: workshop, at: place)
      #expect(playback.states.last == .ended)
      #expect(playback.player.control.counters.failedPackets == 0)
      let sound = playback.sound
      try #require(sound[0].count >= 2 * Self.frames)
      let begins = sound[0].prefix(Self.frames).elementsEqual(single[0])
      #expect(begins)
      // The second stream sounds up to its end.
      let second = sound[0][Self.frames..<2 * Self.frames]
      #expect(second.suffix(2000).contains { abs($0) > 0.1 })
      // In MPEG-4 the container's durations apply.
      guard container == "flac" || container == "ogg" else { continue }
      #expect(abs(sound[0].count - 3 * Self.frames) <= 2)
      let ends = sound[1].suffix(Self.frames - 100).elementsEqual(
        single[1].suffix(Self.frames - 100))
      #expect(ends)
    }
  }

  @Test("Frames that all disagree with the stream information sound as coded")
  func disagreement() throws {
    let workshop = Workshop()
    try Self.encode("-ac 2", "a.flac", in: workshop)
    let whole = Self.play("a.flac", in: workshop, at: nil).sound
    let bytes = try workshop.read("a.flac")
    var wrongFormat = bytes
    wrongFormat.replaceSubrange(18..<22, with: [0x01, 0xF4, 0x04, 0x70])
    var smallBlocks = bytes
    smallBlocks.replaceSubrange(8..<12, with: [0x04, 0x80, 0x04, 0x80])
    for wrong in [wrongFormat, smallBlocks] {
      try workshop.write(wrong, "wrong.flac")
      for place in [nil, .ahead] as [DecoderThread?] {
        let playback = Self.play("wrong.flac", in: workshop, at: place)
        #expect(playback.player.control.counters.failedPackets == 0)
        let isSame = playback.sound == whole
        #expect(isSame)
      }
    }
  }

  @Test("Silence replaces damaged frames, and all other sound keeps its time")
  func damage() throws {
    let workshop = Workshop()
    try Self.encode("-ac 2", "a.flac", in: workshop)
    let whole = Self.play("a.flac", in: workshop, at: nil).sound
    var bytes = try workshop.read("a.flac")
    let place = bytes.count / 2
    for index in place..<place + 40 { bytes[index] ^= 0x5A }
    try workshop.write(bytes, "damaged.flac")
    for decoderThread in [nil, .ahead] as [DecoderThread?] {
      let playback = Self.play("damaged.flac", in: workshop, at: decoderThread)
      let sound = playback.sound
      #expect(sound[0].count == whole[0].count)
      let different = sound[0].indices.filter { sound[0][$0] != whole[0][$0] }
      let first = try #require(different.first)
      let last = try #require(different.last)
      #expect(first / 4096 == last / 4096)
      #expect(sound[0][first / 4096 * 4096..<(first / 4096 + 1) * 4096].allSatisfy { $0 == 0 })
      let lost = playback.events.compactMap { event in
        if case .skipped(_, let gap) = event, gap.isLoss { gap.frameCount } else { nil }
      }
      #expect(lost == [4096])
      #expect(playback.player.control.counters.failedPackets == 0)
    }
  }
}
