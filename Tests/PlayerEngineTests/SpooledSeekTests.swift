// SPDX-License-Identifier: MIT

import AudioModel
import ByteSources
import OfflineOutput
import RenderCore
import TestKit
import Testing

@testable import PlayerEngine

/// Bodies from a server that offers no ranges.
@Suite("Seeking in spooled bytes")
final class SpooledSeekTests {
  private let server = LoopbackHTTPServer()
  private let directory = TemporaryDirectory()

  deinit {
    server.stop()
  }

  /// Opens a track whose file is served without ranges, and spooled.
  private func open(
    _ path: String, _ framing: ResponsePlan.Framing = .contentLength
  ) throws -> TrackReader {
    var plan = ResponsePlan.file(path)
    plan.framing = framing
    server.serve("/track", plan)
    var configuration = ByteSourceConfiguration()
    configuration.spool = .directory(path: directory.path, maximumBytes: 64 << 20)
    return try TrackReader(opening: server.url("/track"), configuration: configuration)
  }

  private func rendered(_ reader: TrackReader, frames: Int = .max) throws -> [Float] {
    let format = try reader.readInformation().dataFormat
    let playback = OfflinePlayback(
      opened: reader, [], rate: format.sampleRate, channels: Int(format.channelsPerFrame))
    playback.run(period: 1024, frames: frames)
    return playback.sound.interleaved
  }

  @Test(
    "A seek back reaches the exact frame, without another request",
    arguments: [
      ("wav-s16-44100-2.wav", false), ("wav-s16-44100-2.wav", true), ("gapless-1.mp3", true),
      ("mp3-vbr2-44100-2.mp3", true), ("mp3-notag-44100-2.mp3", true),
    ])
  func back(_ name: String, _ isChunked: Bool) throws {
    let path = Fixtures.path(name)
    let straight = try rendered(try TrackReader(opening: path))
    let channels = 2
    let count = Int64(straight.count / channels)
    let requests = server.requests.count
    let reader = try open(path, isChunked ? .chunked : .contentLength)
    try reader.seek(toFrame: count - 5000)
    for frame in [count - 9000, count / 3, 0, count / 2] {
      let seek = try reader.seek(toFrame: frame)
      #expect(seek.reachedFrame == frame && !seek.isEstimated)
    }
    let samples = try rendered(reader, frames: 2048)
    #expect(samples.count == 2048 * channels)
    let expected = straight.dropFirst(Int(count / 2) * channels)
    let difference = zip(samples, expected).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
    #expect(difference < 1e-4)
    #expect(server.requests.count == requests + 1)
  }

  @Test("A track that was examined as a possible list can be sought back in like any other")
  func looked() throws {
    var plan = ResponsePlan.file(Fixtures.path("mp3-cbr320-44100-2.mp3"))
    plan.framing = .chunked
    server.serve("/track", plan)
    var loader = PlaylistLoader()
    loader.configuration.spool = .directory(path: directory.path, maximumBytes: 64 << 20)
    let item = try #require(try loader.expand(server.url("/track")).items.first)
    let reader = try TrackReader(opening: item)
    try reader.seek(toFrame: 400_000)
    for frame in [300_000, 0, 44_100] as [Int64] {
      let seek = try reader.seek(toFrame: frame)
      #expect(seek.reachedFrame == frame)
    }
    #expect(reader.canTurnBack)
    #expect(reader.spooledTimeRanges.first?.lowerBound == 0)
    #expect(server.requests.count == 1)
  }

  @Test("The bytes before an index at the end are spooled, and the audio then comes from the spool")
  func indexLast() throws {
    let path = directory.file("last.mp4")
    _ = ReferenceDecoder.output(
      "ffmpeg -v error -i '\(Fixtures.path("gapless-1.mp3"))' -map 0:a -c copy '\(path)'")
    let expected = try rendered(try TrackReader(opening: path))
    #expect(expected.count > 2 * 170_000)
    let samples = try rendered(try open(path))
    let isSame = samples.elementsEqual(expected)
    #expect(isSame)
    #expect(server.requests.count == 1)
  }

  @Test("A track that still plays can be sought back in while the next one is being read")
  func kept() throws {
    let rate = 44100
    func makeCounting(_ name: String, seconds: Int) throws -> String {
      let path = directory.file(name)
      var writer = try WaveFileWriter(path: path, sampleRate: rate, channels: 1)
      let samples = (0..<seconds * rate).map { Float($0) / Float(1 << 23) }
      try writer.write(interleaved: samples.span)
      try writer.close()
      return path
    }
    let reader = try open(try makeCounting("one.wav", seconds: 5), .chunked)
    let next = try makeCounting("two.wav", seconds: 20)
    let playback = OfflinePlayback(opened: reader, [next], rate: Double(rate), channels: 1)
    while !playback.events.contains(where: {
      if case .track(1, _) = $0 { true } else { false }
    }) {
      _ = playback.player.step(mayWait: true)
      if playback.player.isBufferReady { playback.crank(64) }
    }
    #expect(playback.player.shownPosition.track == 0)
    playback.player.apply(.seek(toNanoseconds: 1_000_000_000))
    playback.run(period: 64)
    let errors = playback.events.filter {
      if case .seekFailed = $0 { true } else { false }
    }
    #expect(errors.isEmpty)
    // From its second second on, the first track plays, behind its fade, and then the whole other one.
    let fade = OfflinePlayback.fadeFrames
    let numbers = playback.sound[0].map { Int(($0 * Float(1 << 23)).rounded()) }
    let isWhole = numbers.suffix(24 * rate - fade).elementsEqual(
      Array(rate + fade..<5 * rate) + Array(0..<20 * rate))
    #expect(isWhole)
    #expect(server.requests.count == 1)
  }
}
