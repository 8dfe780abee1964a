// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Files of the installed encoders: the parser's results equal those of ffmpeg and flac.
@Suite struct FLACOracleTests {
  /// A sound and the command that encodes it.
  struct Recipe: Sendable, CustomTestStringConvertible {
    var rate = 44_100
    var channels = 2
    var encoder: String
    /// The samples, as ffmpeg names them.
    var samples = "s16"

    var testDescription: String { "\(encoder) at \(rate) Hz, \(channels) channels, \(samples)" }

    var command: String {
      """
      ffmpeg -v error -y -f lavfi -i "aevalsrc='0.4*sin(440*t*(1+t)*6.28)*lt(mod(t\\,1)\\,0.6)\
      +0.1*random(0)*gt(mod(t\\,1)\\,0.3)*lt(t\\,1)':s=\(rate):d=1.37" -ac \(channels) \
      -c:a pcm_\(samples == "u8" ? "u8" : "\(samples)le") in.wav && \(encoder)
      """
    }
  }

  static let flac = "flac -s -f -o out.flac"

  static let recipes: [Recipe] =
    (0...8).map { Recipe(encoder: "\(flac) -\($0) in.wav") }
    + [1, 3, 4, 5, 6, 7, 8].map {
      Recipe(channels: $0, encoder: "\(flac) --channel-map=none in.wav")
    }
    + [8000, 11_025, 22_050, 37_000, 37_001, 48_000, 96_000, 192_000, 352_800].map {
      Recipe(rate: $0, encoder: "\(flac) --lax in.wav")
    }
    + ["u8", "s24", "s32"].map { Recipe(encoder: "\(flac) in.wav", samples: $0) }
    + [16, 17, 192, 1000, 4608, 16_384, 65_535].map {
      Recipe(encoder: "\(flac) --lax -b \($0) in.wav")
    }
    + [
      Recipe(encoder: "\(flac) --no-seektable in.wav"),
      Recipe(encoder: "\(flac) --no-padding in.wav"),
      Recipe(encoder: "\(flac) -S 0.1s -P 100000 in.wav"),
      Recipe(encoder: "flac -s -c - <in.wav >out.flac"),
      Recipe(encoder: "flac -s -c --no-padding --no-seektable - <in.wav | cat >out.flac"),
      Recipe(encoder: "ffmpeg -v error -y -i in.wav out.flac"),
      Recipe(encoder: "ffmpeg -v error -y -i in.wav -f flac - | cat >out.flac"),
      Recipe(channels: 1, encoder: "ffmpeg -v error -y -i in.wav -compression_level 12 out.flac"),
      Recipe(encoder: "ffmpeg -v error -y -i in.wav -frame_size 300 out.flac"),
      Recipe(encoder: "sox in.wav out.flac"),
    ]

  @Test("The packets are ffmpeg's, and the duration is flac's", arguments: recipes)
  func packets(_ recipe: Recipe) throws {
    let workshop = Workshop()
    try workshop.run(recipe.command)
    let bytes = try workshop.read("out.flac")
    var stream = AudioFileStream()
    let (recorder, error) = parse(bytes, with: &stream)
    #expect(error == nil)
    #expect(recorder.failures == [])
    #expect(recorder.skips == [])
    let packets = try workshop.packetPlacesByFFprobe("out.flac")
    // ffmpeg 5 does not support samples of 32 bits.
    if recipe.samples != "s32" { #expect(recorder.packetPlaces == packets) }
    #expect(recorder.packetSizes.max() ?? 0 <= (try stream.packetSizeUpperBound))
    #expect(try stream.maximumPacketSize == recorder.packetSizes.max())

    let frames = try workshop.framesByFLAC("out.flac")
    #expect(try stream.duration.frames == frames)
    #expect(try stream.duration.isExact)
    let format = try stream.dataFormat
    #expect(format.formatID == .flac)
    #expect(format.sampleRate == Double(recipe.rate))
    #expect(format.channelsPerFrame == UInt32(recipe.channels))
    #expect(format.bytesPerPacket == 0)
    #expect(try stream.magicCookieData == Array(bytes[8..<42]))
    #expect(try stream.channelLayout.labels.count == recipe.channels)
  }

  @Test(
    "Files that ffmpeg joins under the first one's stream information are whole",
    arguments: ["flac", "ogg"])
  func joined(_ kind: String) throws {
    let workshop = Workshop()
    try workshop.run(
      """
      for volume in 0.01 0.9; do ffmpeg -v error -y -f lavfi \
      -i "aevalsrc='$volume*(random(0)-0.5)':s=44100:d=1" -c:a flac $volume.flac; \
      echo "file $volume.flac" >>list; done; \
      ffmpeg -v error -y -f concat -i list -c copy out.\(kind)
      """)
    let (recorder, error) = parse(try workshop.read("out.\(kind)"))
    #expect(error == nil)
    #expect(recorder.skips == [])
    let sizes = try workshop.packetSizesByFFprobe("out.\(kind)")
    #expect(sizes.count > 10)
    #expect(recorder.packetSizes == sizes)
  }
}

extension Recorder {
  /// Each packet's size and byte offset.
  var packetPlaces: [String] {
    events.compactMap {
      if case .packet(_, let offset, let bytes) = $0 { "\(bytes.count),\(offset)" } else { nil }
    }
  }

  var packetSizes: [Int] {
    events.compactMap { if case .packet(_, _, let bytes) = $0 { bytes.count } else { nil } }
  }

  var packetIndices: [Int64] {
    events.compactMap { if case .packet(let index, _, _) = $0 { index } else { nil } }
  }

  /// Each packet's bytes.
  var packetBytes: [[UInt8]] {
    events.compactMap { if case .packet(_, _, let bytes) = $0 { bytes } else { nil } }
  }

  /// Each packet's first frame, where it was reported.
  var firstFrames: [Int64] {
    events.compactMap { if case .time(let frame, _) = $0 { frame } else { nil } }
  }
}

extension Workshop {
  func lines(_ command: String) throws -> [String] {
    try run("\(command) >lines")
    return String(decoding: try read("lines"), as: UTF8.self).split(separator: "\n").map {
      $0.last == "," ? String($0.dropLast()) : String($0)
    }
  }

  /// Sizes and byte offsets of the packets that ffmpeg's demuxer finds.
  func packetPlacesByFFprobe(_ name: String) throws -> [String] {
    try lines("ffprobe -v error -show_entries packet=size,pos -of csv=p=0 \(name)")
  }

  func packetSizesByFFprobe(_ name: String) throws -> [Int] {
    try lines("ffprobe -v error -select_streams a -show_entries packet=size -of csv=p=0 \(name)")
      .compactMap { Int($0) }
  }

  /// The number of frames that flac decodes from a file.
  func framesByFLAC(_ name: String) throws -> Int64 {
    try run(
      "ffprobe -v error -show_entries stream=channels,bits_per_raw_sample -of csv=p=0 \(name) >shape"
    )
    let shape = String(decoding: try read("shape"), as: UTF8.self).split { !$0.isNumber }
      .compactMap { Int($0) }
    try run(
      "flac -s -f -d --force-raw-format --endian=little --sign=signed -o raw \(name)")
    return Int64(try read("raw").count / shape[0] / ((shape[1] + 7) / 8))
  }
}
