// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Files of the installed encoders: the parser's results equal those of ffmpeg, opusinfo and ogginfo.
@Suite struct OggOracleTests {
  struct Recipe: Sendable, CustomTestStringConvertible {
    var rate = 48_000
    var channels = 2
    var encoder: String

    var testDescription: String { "\(encoder) at \(rate) Hz, \(channels) channels" }

    var command: String {
      """
      ffmpeg -v error -y -f lavfi -i "aevalsrc='0.4*sin(440*t*(1+t)*6.28)*lt(mod(t\\,1)\\,0.6)\
      +0.1*random(0)*gt(mod(t\\,1)\\,0.3)*lt(t\\,1)':s=\(rate):d=2.3717" -ac \(channels) \
      -c:a pcm_s16le in.wav && \(encoder)
      """
    }
  }

  static let opus: [Recipe] =
    ["2.5", "5", "10", "20", "40", "60", "80", "100", "120"].map {
      Recipe(encoder: "ffmpeg -v error -y -i in.wav -c:a libopus -frame_duration \($0) out.ogg")
    }
    + ["2.5", "10", "60"].map {
      Recipe(encoder: "opusenc --quiet --framesize \($0) in.wav out.ogg")
    }
    + [1, 2, 3, 4, 5, 6, 7, 8].map {
      Recipe(channels: $0, encoder: "opusenc --quiet in.wav out.ogg")
    }
    + [
      Recipe(rate: 44_100, encoder: "opusenc --quiet --title t --artist a in.wav out.ogg"),
      Recipe(rate: 16_000, channels: 1, encoder: "opusenc --quiet --bitrate 12 in.wav out.ogg"),
      Recipe(encoder: "opusenc --quiet --hard-cbr --bitrate 510 --max-delay 0 in.wav out.ogg"),
      Recipe(encoder: "opusenc --quiet - - <in.wav | cat >out.ogg"),
      Recipe(
        encoder:
          "ffmpeg -v error -y -i in.wav -c:a libopus -b:a 32k -vbr off -page_duration 1 out.ogg"),
    ]

  @Test("Opus packets and durations are ffmpeg's and opusinfo's", arguments: opus)
  func opusFiles(_ recipe: Recipe) throws {
    let workshop = Workshop()
    try workshop.run(recipe.command)
    let bytes = try workshop.read("out.ogg")
    let sizes = try workshop.packetSizesByFFprobe("out.ogg")
    let end = try workshop.durationByFFprobe("out.ogg")
    for tail in [0, 100_000] {
      var stream = AudioFileStream()
      stream.tell(
        totalByteCount: Int64(bytes.count),
        tail: bytes.span.extracting(last: min(tail, bytes.count)))
      let (recorder, error) = parse(bytes, with: &stream)
      #expect(error == nil)
      #expect(recorder.failures == [])
      #expect(recorder.skips == [])
      #expect(recorder.packetSizes == sizes)
      let format = try stream.dataFormat
      #expect(format.formatID == .opus)
      #expect(format.sampleRate == 48_000)
      #expect(format.channelsPerFrame == UInt32(recipe.channels))
      #expect(try stream.channelLayout.labels.count == recipe.channels)
      #expect(try stream.duration.isExact)
      // ffmpeg's duration extends to the last granule, priming frames included.
      let table = try stream.packetTableInfo
      #expect(table.numberValidFrames + Int64(table.primingFrames) == end)
      #expect(Int64(table.primingFrames) == (try workshop.opusPreSkip("out.ogg")))
      #expect(recorder.frameCount == end + Int64(table.remainderFrames))
      #expect(recorder.isSteady)
      if tail > 0 {
        #expect(recorder.value(.packetTableInfo) == "\(table)")
        #expect(recorder.properties.count { $0 == "pnfo" } == 1)
      }
    }
  }

  static let vorbis: [Recipe] =
    [-1, 3, 10].map { Recipe(rate: 44_100, encoder: "oggenc -Q -q \($0) -o out.ogg in.wav") }
    + [1, 3, 4, 5, 6, 7, 8].map { Recipe(channels: $0, encoder: "oggenc -Q -o out.ogg in.wav") }
    + [8000, 22_050, 96_000].map {
      Recipe(rate: $0, encoder: "oggenc -Q -o out.ogg in.wav")
    }
    + [
      Recipe(encoder: "oggenc -Q -b 128 --managed -o out.ogg in.wav"),
      Recipe(encoder: "oggenc -Q -o - - <in.wav | cat >out.ogg"),
      Recipe(encoder: "ffmpeg -v error -y -i in.wav -c:a libvorbis -q:a 4 out.ogg"),
      Recipe(encoder: "ffmpeg -v error -y -i in.wav -c:a libvorbis -page_duration 1 out.ogg"),
      Recipe(encoder: "ffmpeg -v error -y -i in.wav -c:a vorbis -strict -2 out.ogg"),
    ]

  @Test("Vorbis packets and durations are ffmpeg's", arguments: vorbis)
  func vorbisFiles(_ recipe: Recipe) throws {
    let workshop = Workshop()
    try workshop.run(recipe.command)
    let bytes = try workshop.read("out.ogg")
    let sizes = try workshop.packetSizesByFFprobe("out.ogg")
    let end = try workshop.durationByFFprobe("out.ogg")
    // ffmpeg does not trim the end of a stream of one page, and so decodes more frames.
    let decoded = try workshop.framesByOggdec("out.ogg", channels: recipe.channels)
    for tail in [0, 100_000] {
      var stream = AudioFileStream()
      stream.tell(
        totalByteCount: Int64(bytes.count),
        tail: bytes.span.extracting(last: min(tail, bytes.count)))
      let (recorder, error) = parse(bytes, with: &stream)
      #expect(error == nil)
      #expect(recorder.failures == [])
      #expect(recorder.skips == [])
      #expect(recorder.packetSizes == sizes)
      let format = try stream.dataFormat
      #expect(format.formatID == .vorbis)
      #expect(format.sampleRate == Double(recipe.rate))
      #expect(format.channelsPerFrame == UInt32(recipe.channels))
      #expect(try stream.channelLayout.labels.count == recipe.channels)
      let table = try stream.packetTableInfo
      #expect(table.numberValidFrames == end)
      #expect(
        recorder.frameCount
          == table.numberValidFrames + Int64(table.primingFrames) + Int64(table.remainderFrames))
      #expect(recorder.isSteady)
      #expect(table.numberValidFrames == decoded)
      if tail > 0 { #expect(recorder.value(.packetTableInfo) == "\(table)") }
    }
  }

  static let flac: [Recipe] =
    [
      "flac -s -f --ogg in.wav -o out.ogg", "flac -s --ogg -c - <in.wav | cat >out.ogg",
      "flac -s -f --ogg -b 16384 --lax -T title=t in.wav -o out.ogg",
      "ffmpeg -v error -y -i in.wav -c:a flac out.ogg",
    ].map { Recipe(rate: 44_100, encoder: $0) }
    + [1, 6, 8].map {
      Recipe(channels: $0, encoder: "flac -s -f --ogg --channel-map=none in.wav -o out.ogg")
    }

  @Test("FLAC packets in Ogg and their duration are ffmpeg's", arguments: flac)
  func flacFiles(_ recipe: Recipe) throws {
    let workshop = Workshop()
    try workshop.run(recipe.command)
    let bytes = try workshop.read("out.ogg")
    var stream = AudioFileStream()
    stream.tell(totalByteCount: Int64(bytes.count), tail: bytes.span)
    let (recorder, error) = parse(bytes, with: &stream)
    #expect(error == nil)
    #expect(recorder.failures == [])
    #expect(recorder.skips == [])
    #expect(recorder.packetSizes == (try workshop.packetSizesByFFprobe("out.ogg")))
    #expect(try stream.dataFormat.formatID == .flac)
    #expect(try stream.dataFormat.framesPerPacket > 0)
    #expect(try stream.magicCookieData.count == 34)
    #expect(
      try stream.duration.frames
        == (try workshop.framesByFFmpeg("out.ogg", channels: recipe.channels)))
    #expect(try stream.audioDataPacketCount == Int64(recorder.packetCount))
  }
}

extension Recorder {
  /// The number of frames of all packets, by their descriptions.
  var frameCount: Int64 {
    events.reduce(0) { if case .time(_, let frames) = $1 { $0 + Int64(frames) } else { $0 } }
  }

  /// Whether each packet begins at the end of the one before.
  var isSteady: Bool {
    var end: Int64 = 0
    for case .time(let first, let frames) in events {
      if first != end { return false }
      end += Int64(frames)
    }
    return true
  }
}

extension Workshop {
  /// The duration in frames that ffprobe prints.
  func durationByFFprobe(_ name: String) throws -> Int64 {
    let lines = try lines(
      "ffprobe -v error -select_streams a -show_entries stream=duration_ts -of csv=p=0 \(name)")
    return Int64(lines[0]) ?? -1
  }

  func opusPreSkip(_ name: String) throws -> Int64 {
    try Int64(lines("opusinfo \(name) | sed -n 's/.*Pre-skip: //p'")[0]) ?? -1
  }

  /// The number of frames that oggdec decodes from a file.
  func framesByOggdec(_ name: String, channels: Int) throws -> Int64 {
    try run("oggdec -Q -R -o raw \(name)")
    return Int64(try read("raw").count / 2 / channels)
  }

  /// The number of frames that ffmpeg decodes from a file.
  func framesByFFmpeg(_ name: String, channels: Int) throws -> Int64 {
    try run("ffmpeg -v error -y -i \(name) -map 0:a:0 -f s16le raw")
    return Int64(try read("raw").count / 2 / channels)
  }
}
