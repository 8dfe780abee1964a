// SPDX-License-Identifier: MIT

import AudioModel
import PlayerEngine
import TestKit
import Testing

/// A new format within a track is a new stream, joined at the frame.
@Suite("Tracks that change their format")
struct FormatChangeTests {
  /// One link of a chain: an encoder, and the noise that it encodes.
  struct Link: Sendable, CustomTestStringConvertible {
    var encoder: String
    var rate: Int
    var channels: Int
    var seconds: Double

    var testDescription: String { "\(encoder.prefix { $0 != " " }) \(rate)/\(channels)" }

    func encode(_ name: String, in directory: TemporaryDirectory) -> String {
      let (wave, path) = (directory.file("\(name).wav"), directory.file("\(name).out"))
      let line = encoder.replacing("IN", with: "'\(wave)'").replacing("OUT", with: "'\(path)'")
      _ = ReferenceDecoder.output(
        "sox -R -D -V1 -n -r \(rate) -c \(channels) -b 16 '\(wave)' synth \(seconds) pinknoise "
          + "gain -6 >&2 && \(line) >&2")
      return path
    }
  }

  static let opus = "opusenc --quiet --bitrate 256 IN OUT"
  static let vorbis = "oggenc -Q -q 10 -o OUT IN"
  static let flac = "flac -s -f --ogg IN -o OUT"
  static let lame = "lame --quiet -b 128 IN OUT"
  static let adts = "ffmpeg -loglevel error -i IN -c:a aac -aac_pns 0 -b:a 128k -f adts OUT"

  static let chains = [
    [
      Link(encoder: opus, rate: 48_000, channels: 2, seconds: 1.3),
      Link(encoder: opus, rate: 48_000, channels: 1, seconds: 1.1),
      Link(encoder: opus, rate: 48_000, channels: 2, seconds: 0.7),
    ],
    [
      Link(encoder: vorbis, rate: 44_100, channels: 2, seconds: 0.02),
      Link(encoder: vorbis, rate: 22_050, channels: 2, seconds: 1.7),
    ],
    [
      Link(encoder: opus, rate: 48_000, channels: 2, seconds: 1.3),
      Link(encoder: vorbis, rate: 32_000, channels: 1, seconds: 1.1),
      Link(encoder: flac, rate: 44_100, channels: 2, seconds: 0.9),
      Link(encoder: opus, rate: 48_000, channels: 2, seconds: 0.8),
    ],
    [
      Link(encoder: lame, rate: 44_100, channels: 2, seconds: 1.3),
      Link(encoder: lame, rate: 24_000, channels: 1, seconds: 1.1),
      Link(encoder: "twolame --quiet IN OUT", rate: 48_000, channels: 2, seconds: 0.9),
    ],
    [
      Link(encoder: lame, rate: 44_100, channels: 2, seconds: 1.3),
      Link(encoder: adts, rate: 48_000, channels: 2, seconds: 1.1),
    ],
    [
      Link(encoder: adts, rate: 48_000, channels: 1, seconds: 1.3),
      Link(encoder: lame, rate: 44_100, channels: 2, seconds: 1.1),
      Link(encoder: adts, rate: 48_000, channels: 2, seconds: 0.9),
    ],
  ]

  private func join(_ paths: [String], in directory: TemporaryDirectory) -> String {
    let path = directory.file("joined")
    let list = paths.map { "'\($0)'" }.joined(separator: " ")
    _ = ReferenceDecoder.output("cat \(list) >'\(path)'")
    return path
  }

  /// Plays a track, from a frame of its own rate on, at an output rate.
  private func sound(
    _ path: String, from frame: Int64 = 0, rate: Double = 48_000
  ) throws -> [[Float]] {
    let reader = try TrackReader(opening: path)
    if frame > 0 { try reader.seek(toFrame: frame) }
    let playback = OfflinePlayback(opened: reader, [], rate: rate, channels: 2)
    playback.run(period: 1024)
    #expect(playback.failures == [])
    return playback.sound
  }

  private func difference(_ one: some Collection<Float>, _ other: some Collection<Float>) -> Float {
    guard one.count == other.count, !one.isEmpty else { return .infinity }
    let sum = zip(one, other).reduce(Float(0)) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    return (sum / Float(one.count)).squareRoot()
  }

  @Test("All links play, each as it sounds by itself", arguments: chains)
  func links(_ chain: [Link]) throws {
    let directory = TemporaryDirectory()
    let paths = chain.enumerated().map { $1.encode("\($0)", in: directory) }
    let whole = try sound(join(paths, in: directory))
    let parts = try paths.map { try sound($0) }
    // MPEG audio states its padding once, if it comes first; all that follows is sound.
    let isBare = [Self.lame, Self.adts].contains(chain[0].encoder)
    let sum = parts.reduce(0) { $0 + $1[0].count }
    #expect(abs(whole[0].count - sum) <= (isBare ? 4000 : 2 * chain.count))
    var start = 0
    for part in parts where !isBare {
      let range = start + 200..<start + part[0].count - 200
      start += part[0].count
      guard range.count > 0, range.upperBound <= whole[0].count else { continue }
      for channel in 0..<2 {
        let heard = whole[channel][range]
        let expected = part[channel][200..<part[channel].count - 200]
        #expect(difference(heard, expected) < 0.01)
      }
    }
  }

  @Test("A seek leads to the requested time, in any link", arguments: chains)
  func seeks(_ chain: [Link]) throws {
    let directory = TemporaryDirectory()
    let path = join(chain.enumerated().map { $1.encode("\($0)", in: directory) }, in: directory)
    let whole = try sound(path)
    let rate = try TrackReader(opening: path).readInformation().dataFormat.sampleRate
    let seconds = Double(whole[0].count) / 48_000
    for part in [0.2, 0.5, 0.9] {
      let reader = try TrackReader(opening: path)
      let asked = Int64(seconds * part * rate)
      let seek = try reader.seek(toFrame: asked)
      #expect(abs(seek.reachedFrame - asked) <= 2)
      let rest = try sound(path, from: asked)[0]
      let expected = whole[0].count - Int((Double(asked) / rate * 48_000).rounded())
      #expect(abs(rest.count - expected) <= 8, "\(part)")
      // The sound itself is at that time, up to a resampler's fraction of a frame.
      let tail = min(rest.count, expected) - 400
      #expect(difference(rest.suffix(tail), whole[0].suffix(tail)) < 0.02, "\(part)")
    }
  }

  @Test("MPEG audio that changes between mono and stereo keeps its bit reservoir")
  func reservoir() throws {
    let path = Fixtures.repository + "/Tests/Fixtures/stereo_mono_stereo.mp3"
    let heard = try sound(path, rate: 44_100).interleaved
    let bytes = ReferenceDecoder.output("mpg123 -q --stereo -e f32 --no-gapless -s '\(path)'")
    let expected = unsafe bytes.withUnsafeBytes { raw in
      (0..<raw.count / 4).map {
        unsafe raw.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self)
      }
    }
    #expect(heard.count == 180 * 1152 * 2)
    for packet in 0..<180 {
      // When the second channel returns, mpg123 overlaps it with state from 60 packets before.
      let step = packet == 120 ? 2 : 1
      let range = stride(from: packet * 2304, to: (packet + 1) * 2304, by: step)
      let distance = difference(range.map { heard[$0] }, range.map { expected[$0] })
      #expect(distance < 1e-4, "packet \(packet)")
    }
  }

  @Test("ADTS behind MPEG audio, and MPEG audio behind ADTS, sound as they do by themselves")
  func frameKinds() throws {
    let directory = TemporaryDirectory()
    let untagged = "lame --quiet -t -b 128 IN OUT"
    let paths = [untagged, Self.adts].map {
      Link(encoder: $0, rate: 44_100, channels: 2, seconds: 1.2)
        .encode("\($0.count)", in: directory)
    }
    for paths in [paths, paths.reversed()] {
      let whole = try sound(join(paths, in: directory), rate: 44_100)
      let parts = try paths.map { try sound($0, rate: 44_100) }
      #expect(whole[0].count == parts[0][0].count + parts[1][0].count)
      for channel in 0..<2 {
        let (first, second) = (parts[0][channel], parts[1][channel])
        #expect(difference(whole[channel].prefix(first.count), first) < 1e-4)
        #expect(difference(whole[channel].suffix(second.count), second) < 1e-4)
      }
    }
  }

  @Test("A seek behind the join of two tagged files is exact")
  func behindJoin() throws {
    let directory = TemporaryDirectory()
    let paths = ["gapless-1.mp3", "gapless-2.mp3"].map { Fixtures.path($0) }
    let path = join(paths, in: directory)
    let whole = try sound(path, rate: 44_100)[0]
    let first = try sound(paths[0], rate: 44_100)[0].count
    for frame in [first - 1, first, first + 1, first + 44_100, whole.count - 5000] {
      let reader = try TrackReader(opening: path)
      let seek = try reader.seek(toFrame: Int64(frame))
      #expect(seek.reachedFrame == Int64(frame) && !seek.isEstimated)
      let heard = try sound(path, from: Int64(frame), rate: 44_100)[0]
      #expect(heard.count == whole.count - frame)
      #expect(difference(heard, whole.suffix(heard.count)) < 1e-4, "frame \(frame)")
    }
  }
}

extension OfflinePlayback {
  /// The errors of tracks that could not be played to their end.
  fileprivate var failures: [String] {
    events.compactMap { if case .failed(_, let error) = $0 { "\(error)" } else { nil } }
  }
}
