// SPDX-License-Identifier: MIT

import PlayerEngine
import RenderCore
import TestKit
import Testing

@Suite("Damaged packets in the player")
struct DamagedPacketTests {
  /// Returns the byte offsets and sizes of a file's packets, as ffprobe lists them.
  private static func places(_ path: String) -> [(byteOffset: Int, byteCount: Int)] {
    let table = ReferenceDecoder.output(
      "ffprobe -v error -select_streams a -show_entries packet=pos,size -of csv=p=0 '\(path)'")
    return String(decoding: table, as: UTF8.self).split(separator: "\n").compactMap { line in
      let fields = line.split(separator: ",").compactMap { Int($0) }
      return fields.count == 2 ? (fields[1], fields[0]) : nil
    }
  }

  @Test(
    "Each is reported with its number and byte offset, and the sound behind it keeps its time",
    arguments: ["-c:a alac", "-c:a libopus"], [48000, 44100])
  func named(_ codec: String, _ rate: Int) throws {
    let workshop = Workshop()
    try workshop.run(
      "ffmpeg -nostdin -v error -f lavfi -i 'aevalsrc=0.4*sin(5000*t*t)|0.3*sin(900*t):s=48000:d=3' "
        + "\(codec) -f mp4 whole.m4a")
    var bytes = try workshop.read("whole.m4a")
    let places = Self.places(workshop.path("whole.m4a"))
    let damaged = [7, 8, 20]
    for packet in damaged {
      let place = places[packet]
      for index in place.byteOffset..<place.byteOffset + place.byteCount { bytes[index] = 0xFF }
    }
    try workshop.write(bytes, "damaged.m4a")

    let expected = damaged.map {
      PlayerEvent.packetFailed(
        index: 0, packet: Int64($0), byteOffset: Int64(places[$0].byteOffset))
    }
    for place in [nil, .ahead] as [DecoderThread?] {
      var configuration = PlayerConfiguration()
      configuration.decoderThread = place
      let whole = OfflinePlayback(
        [workshop.path("whole.m4a")], rate: Double(rate), channels: 2, configuration: configuration)
      whole.run(period: 256)
      let playback = OfflinePlayback(
        [workshop.path("damaged.m4a")], rate: Double(rate), channels: 2,
        configuration: configuration)
      playback.run(period: 256)
      let told = playback.events.filter { if case .packetFailed = $0 { true } else { false } }
      #expect(told == expected)
      #expect(playback.player.control.counters.failedPackets == UInt64(damaged.count))
      #expect(playback.states.last == .ended)
      #expect(playback.sound[0].count == whole.sound[0].count)
      // Half a second after the last damaged packet no decoder is affected by it any more.
      let isSame = playback.sound[0].suffix(rate).elementsEqual(whole.sound[0].suffix(rate)) {
        abs($0 - $1) < 1e-4
      }
      #expect(isSame)
    }
  }

  @Test(
    "An MP3 packet that libmpg123 replaces by zeros is lost, wherever it is decoded",
    arguments: [.callback, .ahead] as [DecoderThread])
  func replacedByZeros(_ place: DecoderThread) throws {
    let workshop = Workshop()
    var bytes = contents(ofFile: Fixtures.path("mp3-mono-44100-1.mp3"))
    let packet = Self.places(Fixtures.path("mp3-mono-44100-1.mp3"))[100]
    // `part2_3_length` of both granules, from bits 18 and 77 of the side information.
    for (index, mask) in [(2, 0x3F), (3, 0xFC), (9, 0x07), (10, 0xFF), (11, 0x80)] {
      bytes[packet.byteOffset + 4 + index] |= UInt8(mask)
    }
    try workshop.write(bytes, "damaged.mp3")
    var configuration = PlayerConfiguration()
    configuration.decoderThread = place
    let playback = OfflinePlayback(
      [workshop.path("damaged.mp3")], rate: 44100, channels: 1, configuration: configuration)
    playback.run(period: 256)
    let offset = Int64(packet.byteOffset)
    let failed = playback.events.compactMap {
      if case .packetFailed(_, _, let byteOffset) = $0 { byteOffset } else { nil }
    }
    #expect(failed == [offset])
    let account = try #require(
      playback.events.compactMap {
        if case .account(_, let account) = $0 { account } else { nil }
      }.first)
    #expect(account.losses == [SoundLoss(.undecodable, byteOffset: offset)])
    #expect(
      account.lossDescription?.hasSuffix("packets cannot be decoded; try another copy") == true)
  }
}
