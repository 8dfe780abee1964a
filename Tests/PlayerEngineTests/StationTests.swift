// SPDX-License-Identifier: MIT

import AudioModel
import ByteSources
import PacketParser
import RenderCore
import TestKit
import Testing

@testable import PlayerEngine

/// Records the byte offset of each packet, and the station's metadata.
private struct OffsetRecorder: StreamDriverListener {
  var offsets: [Int64] = []
  var said: [StreamMetadata] = []

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {}

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {
    for index in descriptions.indices {
      offsets.append(packets.byteOffset + descriptions[index].startOffset)
    }
  }

  mutating func streamDriver(found metadata: StreamMetadata) {
    said.append(metadata)
  }
}

@Suite("A station in the player")
final class StationTests {
  private let server = LoopbackHTTPServer()
  private let directory = TemporaryDirectory()
  private let interval = 4096

  deinit {
    server.stop()
  }

  /// A file without a table, so that its first packet is its first sound.
  private let music = Fixtures.path("mp3-notag-44100-2.mp3")

  /// Serves a file with a title, its number, after every `interval` bytes; the station is then gone for good.
  private func station(fault: ResponsePlan.Fault = .none) -> String {
    var plan = ResponsePlan.file(music)
    plan.fault = fault
    plan.fields.append(("icy-name", "Sender"))
    plan.framing = .untilClose
    plan.metadata = ResponsePlan.Metadata(interval: interval) { index in
      Array("StreamTitle='title \(index)';StreamUrl='http://example.org/\(index)';".utf8)
    }
    server.serve("/station", inOrder: [plan, .status(403, "Forbidden")])
    return server.url("/station")
  }

  private func packetOffsets() throws -> [Int64] {
    let source = try openByteSource(music, configuration: ByteSourceConfiguration())
    let driver = StreamDriver(source, listener: OffsetRecorder())
    while try driver.step(timeoutNanoseconds: 0) != .ended {}
    return driver.listener.offsets
  }

  private func titles(_ events: ArraySlice<PlayerEvent>) -> [StreamTitle] {
    events.compactMap { if case .streamTitle(0, let title) = $0 { title } else { nil } }
  }

  @Test(
    "Each title is reported with the exact frame of its first sound", arguments: [44100, 48000],
    DecoderThread.allCases)
  func frames(rate: Int, place: DecoderThread) throws {
    let offsets = try packetOffsets()
    var configuration = PlayerConfiguration()
    configuration.decoderThread = place
    let playback = OfflinePlayback(
      [station()], rate: Double(rate), channels: 2, configuration: configuration)
    playback.run(period: 64)
    var expected: [StreamTitle] = []
    for index in 0... {
      let start = Int64((index + 1) * interval)
      guard let packet = offsets.firstIndex(where: { $0 >= start }) else { break }
      let frame = (Double(packet * 1152) * Double(rate) / 44100).rounded()
      expected.append(
        StreamTitle(
          title: "title \(index)", url: "http://example.org/\(index)", outputFrame: UInt64(frame)))
    }
    let told = titles(playback.events[...])
    #expect(told.count == expected.count && told.count > 20)
    for (title, wanted) in zip(told, expected) {
      #expect(title.title == wanted.title && title.url == wanted.url)
      let difference = Int64(title.outputFrame) - Int64(wanted.outputFrame)
      #expect(abs(difference) <= (rate == 44100 ? 0 : 1))
    }
    let found = playback.events.compactMap {
      if case .track(0, let information) = $0 { information } else { nil }
    }
    #expect(found.first?.station?.name == "Sender")
  }

  @Test("A station has no length, whatever its current file states")
  func length() throws {
    for isStation in [false, true] {
      var plan = ResponsePlan.file(Fixtures.path("mp3-vbr2-44100-2.mp3"))
      if isStation { plan.fields.append(("icy-name", "Sender")) }
      plan.framing = .untilClose
      server.serve("/\(isStation)", plan)
      let reader = try TrackReader(opening: server.url("/\(isStation)"))
      let information = try reader.readInformation()
      #expect((information.durationNanoseconds == nil) == isStation)
      #expect((information.durationEvidence == nil) == isStation)
    }
  }

  @Test(
    "A station that returns in another format plays on in it, to the frame",
    arguments: ["audio/wav", "audio/mpeg"], DecoderThread.allCases)
  func otherFormat(type: String, place: DecoderThread) throws {
    let wave = Fixtures.path("wav-s16-48000-1.wav")
    let files = [music, wave, music]
    let types = ["audio/mpeg", type, "audio/mpeg"]
    let plans = zip(files, types).map { file, type in
      var plan = ResponsePlan.file(file, type: type)
      plan.fields.append(("icy-name", "Sender"))
      plan.framing = .untilClose
      return plan
    }
    server.serve("/other", inOrder: plans + [.status(403, "Forbidden")])
    var configuration = PlayerConfiguration()
    configuration.decoderThread = place
    func frames(_ locations: [String]) -> Int {
      let playback = OfflinePlayback(
        locations, rate: 48000, channels: 2, configuration: configuration)
      playback.run(period: 256)
      return playback.sound[0].count
    }
    let separate = frames([music]) * 2 + frames([wave])
    // A change of rate loses or adds less than a frame.
    #expect(abs(frames([server.url("/other")]) - separate) <= 4)
  }

  @Test("A title applies from its frame up to the next title's, and to no other track")
  func timeline() {
    var timeline = TitleTimeline()
    for (mark, text) in [(7, "a"), (8, "b"), (9, "c")] {
      timeline.expect(
        StreamMetadata(byteOffset: 0, title: text), mark: UInt32(mark), track: 3)
    }
    // The packet with mark 7 was dropped.
    #expect(timeline.begin(mark: 8, at: 100)?.title.title == "b")
    #expect(timeline.begin(mark: 7, at: 150) == nil)
    #expect(timeline.begin(mark: 9, at: 200)?.title.title == "c")
    #expect(timeline.title(at: 99, track: 3) == nil)
    #expect(timeline.title(at: 100, track: 3)?.title == "b")
    #expect(timeline.title(at: 199, track: 3)?.title == "b")
    #expect(timeline.title(at: 1 << 40, track: 3)?.title == "c")
    #expect(timeline.title(at: 200, track: 2) == nil)
    timeline.beginTrack(3, at: 300)
    #expect(timeline.title(at: 299, track: 3)?.title == "c")
    #expect(timeline.title(at: 300, track: 3) == nil)
  }

  @Test("A station with a thousand titles a second uses no more memory for them")
  func talkative() {
    var titles = StreamTitles()
    for index in 0..<100_000 {
      titles.note(StreamMetadata(byteOffset: UInt64(index), title: "\(index)"))
    }
    #expect(titles.news(at: 99_990)?.title == "99990")
    #expect(titles.news(at: 99_990) == nil)
    // This title was forgotten.
    #expect(titles.news(at: 1) == nil)
    titles.forgetLast()
    #expect(titles.news(at: 99_990)?.title == "99990")
    #expect(titles.news(at: 1 << 40)?.title == "99999")
  }

  @Test("After a seek back the title is that of the sound there")
  func seek() throws {
    let offsets = try packetOffsets()
    var configuration = ByteSourceConfiguration()
    configuration.spool = .directory(path: directory.path, maximumBytes: 64 << 20)
    let reader = try TrackReader(
      opening: station(fault: .stall(afterBytes: 150_000)), configuration: configuration)
    let playback = OfflinePlayback(opened: reader, [], rate: 44100, channels: 2)
    while playback.player.state != .playing { _ = playback.player.step(mayWait: true) }
    for _ in 0..<4 * 44100 / 256 {
      _ = playback.player.step(mayWait: false)
      playback.crank(256)
    }
    let before = playback.events.count
    playback.player.apply(.seek(toNanoseconds: 2_000_000_000))
    while titles(playback.events[before...]).isEmpty, playback.player.state != .ended {
      _ = playback.player.step(mayWait: false)
      playback.crank(256)
    }
    let sought = playback.events[before...].compactMap {
      if case .sought(0, let seek) = $0 { seek } else { nil }
    }
    #expect(sought.first?.reachedNanoseconds == 2_000_000_000)
    let packet = 2 * 44100 / 1152
    let index = Int(offsets[packet]) / interval - 1
    #expect(titles(playback.events[before...]).first?.title == "title \(index)")
  }

  @Test("Metadata of sound behind a lost head keeps its byte offset")
  func lostHead() throws {
    let file = contents(ofFile: music)
    let source = MemorySource(Array(file[..<100]) + file, .pipe)
    source.discontinuities = [100]
    source.metadata = [StreamMetadata(byteOffset: 100 + 4096, title: "a")]
    let driver = StreamDriver(source, listener: OffsetRecorder())
    while try driver.step(timeoutNanoseconds: 0) != .ended {}
    #expect(driver.listener.said == [StreamMetadata(byteOffset: 4096, title: "a")])
    let expected = try packetOffsets()
    #expect(driver.listener.offsets == expected)
  }
}
