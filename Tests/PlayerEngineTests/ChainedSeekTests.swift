// SPDX-License-Identifier: MIT

import AudioModel
import PlayerEngine
import TestKit
import Testing

@Suite("Seeking in chained streams")
struct ChainedSeekTests {
  /// An encoder whose files may be chained, and the tolerance of its samples behind a seek, compared with the straight
  /// decode.
  struct Encoder: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var command: String
    var rate = 48000
    var tolerance: Float = 0
  }

  static let encoders = [
    Encoder(
      testDescription: "Opus", command: "opusenc --quiet --bitrate 256 IN OUT", tolerance: 1e-4),
    Encoder(
      testDescription: "Vorbis", command: "oggenc -Q -q 10 -o OUT IN", rate: 44100, tolerance: 1e-4),
    Encoder(testDescription: "FLAC", command: "flac -s -f --ogg IN -o OUT", rate: 44100),
  ]

  /// Makes three links of noise with different lengths, none of them whole packets.
  private static func chain(_ encoder: Encoder, in directory: TemporaryDirectory) -> (
    path: String, links: [String]
  ) {
    let links = [2.013, 1.337, 1.719].enumerated().map { index, seconds in
      encode(encoder.command, rate: encoder.rate, seconds: seconds, "\(index)", in: directory)
    }
    return (join(links, "chain.ogg", in: directory), links)
  }

  private static func encode(
    _ command: String, rate: Int, seconds: Double, _ name: String, in directory: TemporaryDirectory
  ) -> String {
    let (wave, path) = (directory.file("\(name).wav"), directory.file("\(name).out"))
    let line = command.replacing("IN", with: "'\(wave)'").replacing("OUT", with: "'\(path)'")
    _ = ReferenceDecoder.output(
      "sox -R -D -V1 -n -r \(rate) -c 1 -b 16 '\(wave)' synth \(seconds) pinknoise gain -6 >&2 && "
        + line + " >&2")
    return path
  }

  private static func join(
    _ paths: [String], _ name: String, in directory: TemporaryDirectory
  ) -> String {
    let path = directory.file(name)
    let list = paths.map { "'\($0)'" }.joined(separator: " ")
    _ = ReferenceDecoder.output("cat \(list) >'\(path)'")
    return path
  }

  /// Returns the sound of the rest of a reader's track.
  private func sound(_ reader: TrackReader, frames: Int = .max) throws -> [Float] {
    let format = try reader.readDecodedFormat()
    let playback = OfflinePlayback(opened: reader, [], rate: format.sampleRate, channels: 1)
    playback.run(period: 1024, frames: frames)
    return playback.sound[0]
  }

  private func sound(of path: String) throws -> [Float] { try sound(TrackReader(opening: path)) }

  private func difference(_ one: some Collection<Float>, _ other: some Collection<Float>) -> Float {
    guard one.count == other.count, !one.isEmpty else { return .infinity }
    let sum = zip(one, other).reduce(Float(0)) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    return (sum / Float(one.count)).squareRoot()
  }

  @Test(
    "After a seek to any frame of a chained local file the samples are the straight decode's",
    arguments: encoders)
  func local(_ encoder: Encoder) throws {
    let directory = TemporaryDirectory()
    let (path, links) = Self.chain(encoder, in: directory)
    let straight = try sound(of: path)
    let parts = try links.map { try sound(of: $0) }
    #expect(difference(straight, Array(parts.joined())) <= encoder.tolerance)
    let ends = [parts[0].count, parts[0].count + parts[1].count]
    let places = [0, 1000, ends[0] - 1, ends[0], ends[0] + 1, ends[0] + 30_000, ends[1] - 2000]
    for place in places + [ends[1], ends[1] + 4321, straight.count - 1] {
      let reader = try TrackReader(opening: path)
      let seek = try reader.seek(toFrame: Int64(place))
      #expect(seek.reachedFrame == Int64(place))
      #expect(!seek.isEstimated && seek.errorBoundFrames == 0)
      let heard = try sound(reader, frames: 4096)
      let expected = straight.dropFirst(place).prefix(4096)
      #expect(difference(heard, expected) <= encoder.tolerance, "frame \(place)")
    }
  }

  @Test("Seeks back and forth between links are as exact as the first", arguments: encoders)
  func toAndFro(_ encoder: Encoder) throws {
    let directory = TemporaryDirectory()
    let path = Self.chain(encoder, in: directory).path
    let straight = try sound(of: path)
    let (low, middle, high) = (20_000, straight.count / 2, straight.count - 20_000)
    for places in [[high, low], [high, middle], [low, high, middle], [middle, high, low, high]] {
      let reader = try TrackReader(opening: path)
      for place in places {
        let seek = try reader.seek(toFrame: Int64(place))
        #expect(seek.reachedFrame == Int64(place) && !seek.isEstimated)
      }
      let heard = try sound(reader, frames: 4096)
      let expected = straight.dropFirst(places.last!).prefix(4096)
      #expect(difference(heard, expected) <= encoder.tolerance, "frames \(places)")
    }
  }

  // FLAC's first link states its length, which counts as that of the whole file until more of it arrives.
  @Test(
    "Over HTTP a seek into an unread link leads to sound, and returns its position",
    arguments: encoders.filter { $0.testDescription != "FLAC" })
  func web(_ encoder: Encoder) throws {
    let directory = TemporaryDirectory()
    let path = Self.chain(encoder, in: directory).path
    let web = LoopbackHTTPServer()
    defer { web.stop() }
    web.serve("/chain.ogg", .file(path, ranges: .honoured))
    let straight = try sound(of: path)
    for place in [straight.count / 2, straight.count - 30_000] {
      let reader = try TrackReader(opening: web.url("/chain.ogg"))
      let seek = try reader.seek(toFrame: Int64(place))
      let heard = try sound(reader)
      #expect(heard.count == straight.count - Int(seek.reachedFrame))
      #expect(abs(seek.reachedFrame - Int64(place)) <= (seek.errorBoundFrames ?? .max))
      #expect(
        difference(heard, straight.suffix(heard.count)) <= encoder.tolerance, "frame \(place)")
    }
  }

  @Test("A source that can only be read from start to end seeks forward into another link")
  func forwardOnly() throws {
    let directory = TemporaryDirectory()
    let path = Self.chain(Self.encoders[0], in: directory).path
    let web = LoopbackHTTPServer()
    defer { web.stop() }
    web.serve("/chain.ogg", .file(path))
    let straight = try sound(of: path)
    let reader = try TrackReader(opening: web.url("/chain.ogg"))
    for place in [straight.count / 2, straight.count - 30_000] {
      #expect(try reader.seek(toFrame: Int64(place)).reachedFrame == Int64(place))
    }
    #expect(difference(try sound(reader), straight.suffix(30_000)) <= 1e-4)
  }

  @Test("A seek into a part of another rate of a local file is exact")
  func otherRate() throws {
    let directory = TemporaryDirectory()
    let parts = [(44100, 3.0), (22050, 2.0)].map { rate, seconds in
      Self.encode(
        "lame --quiet -b 96 IN OUT", rate: rate, seconds: seconds, "\(rate)", in: directory)
    }
    let path = Self.join(parts, "joined.mp3", in: directory)
    let straight = try sound(of: path)
    let reader = try TrackReader(opening: path)
    let far = try reader.seek(toFrame: 4 * 44100)
    #expect(abs(far.reachedFrame - 4 * 44100) <= 2 && !far.isEstimated)
    #expect(far.errorBoundFrames == 0)
    // In the first part all is as before.
    let near = try reader.seek(toFrame: 44100)
    #expect(near.reachedFrame == 44100 && !near.isEstimated)
    let heard = try sound(reader, frames: 4096)
    #expect(difference(heard, straight.dropFirst(44100).prefix(4096)) <= 1e-6)
    let other = try TrackReader(opening: path)
    try other.seek(toFrame: 4 * 44100)
    let rest = try sound(other)
    #expect(abs(rest.count - (straight.count - 4 * 44100)) <= 4)
  }
}
