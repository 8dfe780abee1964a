// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Files of ffmpeg's muxers: the parser's results equal those of ffmpeg's demuxer.
@Suite struct MPEG4OracleTests {
  struct Recipe: Sendable, CustomTestStringConvertible {
    var name: String
    var arguments: String
    var testDescription: String { "\(name) by \(arguments)" }

    init(_ name: String, _ arguments: String) {
      self.name = name
      self.arguments = arguments
    }
  }

  /// A sound of slightly more than two seconds, so that the last packet is not full.
  static func sound(_ rate: Int = 44_100, _ channels: Int = 2) -> String {
    "ffmpeg -v error -y -f lavfi -i \"aevalsrc='0.3*sin(440*t*(1+t)*6.28)+0.1*random(0)':"
      + "s=\(rate):d=2.0371\" -ac \(channels)"
  }

  static let video =
    "ffmpeg -v error -y -f lavfi -i testsrc=s=64x48:d=2 -f lavfi -i \"aevalsrc='0.3*sin(440*t)':d=2\" "
    + "-c:v mpeg4"

  static let packets: [Recipe] =
    ["m4a", "m4b", "mp4", "mov", "3gp", "3g2"].map {
      Recipe(
        "out.\($0)",
        "\(sound()) -c:a aac -movflags +faststart -f \($0 == "m4b" ? "ipod" : $0 == "m4a" ? "ipod" : $0)"
      )
    } + [
      Recipe("out.m4a", "\(sound(48_000, 6)) -c:a aac -movflags +faststart"),
      Recipe("out.m4a", "\(sound(8000, 1)) -c:a aac -movflags +faststart"),
      Recipe("out.m4a", "\(sound(96_000, 2)) -c:a aac -movflags +faststart"),
      Recipe("out.m4a", "\(sound()) -c:a alac -movflags +faststart"),
      Recipe("out.m4a", "\(sound(96_000, 1)) -c:a alac -sample_fmt s32p -movflags +faststart"),
      Recipe("out.mov", "\(sound(48_000, 6)) -c:a alac -movflags +faststart"),
      Recipe("out.mp4", "\(sound()) -c:a libmp3lame -movflags +faststart"),
      Recipe("out.mp4", "\(sound(22_050, 1)) -c:a libmp3lame -movflags +faststart"),
      Recipe("out.mov", "\(sound()) -c:a libmp3lame -movflags +faststart"),
      Recipe("out.mp4", "\(sound()) -c:a mp2 -movflags +faststart"),
      Recipe("out.mp4", "\(sound(48_000, 6)) -c:a ac3 -movflags +faststart"),
      Recipe("out.mov", "\(sound(48_000, 2)) -c:a ac3 -movflags +faststart"),
      Recipe("out.mp4", "\(sound(48_000, 6)) -c:a eac3 -movflags +faststart"),
      Recipe("out.mp4", "\(sound()) -c:a flac -strict -2 -movflags +faststart"),
      Recipe("out.mp4", "\(sound(48_000, 2)) -c:a libopus -movflags +faststart"),
      Recipe("out.mp4", "\(sound(48_000, 2)) -c:a libopus -frame_duration 60 -movflags +faststart"),
      Recipe("out.mp4", "\(sound()) -c:a libvorbis -movflags +faststart"),
      Recipe("out.mp4", "\(video) -c:a aac -movflags +faststart"),
      Recipe("out.mov", "\(video) -c:a alac -movflags +faststart"),
      Recipe("out.mp4", "\(video) -map 1 -map 0 -map 1 -c:a aac -movflags +faststart"),
      Recipe(
        "out.m4a",
        "\(sound()) -c:a aac in.m4a && ffmpeg -v error -y -ss 0.7 -i in.m4a -c copy "
          + "-movflags +faststart"),
      Recipe(
        "out.m4a",
        "\(sound()) -c:a aac in.m4a && ffmpeg -v error -y -itsoffset 0.5 -i in.m4a -c copy "
          + "-movflags +faststart"),
      Recipe(
        "out.mp4",
        "\(sound()) -c:a aac in.m4a && ffmpeg -v error -y -i in.m4a -c copy -video_track_timescale "
          + "1000 -movflags +faststart"),
    ]

  static let fragmented: [Recipe] =
    [
      "frag_keyframe+empty_moov", "empty_moov+default_base_moof", "frag_keyframe",
      "empty_moov+separate_moof", "empty_moov+omit_tfhd_offset", "dash+empty_moov+global_sidx",
      "dash", "cmaf", "delay_moov+frag_keyframe", "frag_every_frame+empty_moov",
    ].flatMap { flags in
      [
        Recipe("out.mp4", "\(sound()) -c:a aac -frag_duration 300000 -movflags +\(flags)"),
        Recipe("out.mp4", "\(video) -c:a aac -frag_duration 300000 -movflags +\(flags)"),
      ]
    } + [
      Recipe(
        "out.mp4", "\(sound(48_000)) -c:a libopus -frag_duration 300000 -movflags +empty_moov"),
      Recipe(
        "out.mp4", "\(sound()) -c:a flac -strict -2 -frag_duration 300000 -movflags +empty_moov"),
      Recipe("out.mp4", "\(sound()) -c:a libmp3lame -frag_duration 300000 -movflags +empty_moov"),
      Recipe(
        "out.mp4",
        "\(sound(48_000)) -c:a eac3 -frag_duration 300000 -movflags +frag_keyframe+delay_moov"),
    ]

  static let constant: [Recipe] =
    [
      "u8", "s8", "s16le", "s16be", "s24le", "s24be", "s32le", "s32be", "f32le", "f32be", "f64le",
      "f64be", "alaw", "mulaw",
    ].map { Recipe("out.mov", "\(sound()) -c:a pcm_\($0) -movflags +faststart") } + [
      Recipe("out.mov", "\(sound(48_000, 6)) -c:a pcm_s24le -movflags +faststart"),
      Recipe("out.mov", "\(video) -c:a pcm_s16le -movflags +faststart"),
      Recipe("out.mov", "\(sound()) -c:a adpcm_ima_qt -movflags +faststart"),
      Recipe("out.mov", "\(sound()) -c:a adpcm_ms -movflags +faststart"),
      Recipe("out.mov", "\(sound()) -c:a pcm_s16le -frag_duration 300000 -movflags +empty_moov"),
    ]

  @Test("The packets equal ffprobe's", arguments: packets + fragmented)
  func packetsAreFFprobes(_ recipe: Recipe) throws {
    let workshop = Workshop()
    try workshop.run("\(recipe.arguments) \(recipe.name)")
    let bytes = try workshop.read(recipe.name)
    let probed = try ProbedFile(recipe.name, in: workshop)
    var stream = AudioFileStream()
    let (recorder, error) = parse(bytes, with: &stream)
    #expect(error == nil)
    #expect(recorder.failures == [])
    #expect(!probed.packets.isEmpty && recorder.placedPackets == probed.packets)
    #expect(outcome(bytes, .random(seed: 3)) == outcome(bytes, .whole))
    var repositioning = AudioFileStream(options: .repositioning)
    let again = parseFromAnywhere(bytes, sliceBytes: 1000, with: &repositioning)
    #expect(again.error == nil && again.recorder.failures == [])
    #expect(again.recorder.placedPackets == probed.packets)
    #expect(again.bytesRead <= bytes.count)
    // If each segment has an index, ffprobe takes the last one for the whole file's.
    let isMisread = recipe.arguments.contains("testsrc") && recipe.arguments.hasSuffix("+dash")
    if let duration = probed.duration, !isMisread {
      let told = try stream.duration
      // ffprobe counts the frames that the edit list of a fragmented stream cuts.
      let cut = Double(recorder.soundFrames.first??.lowerBound ?? 0) / told.sampleRate
      #expect(abs(told.seconds + cut - duration) < 0.001, "\(told) instead of \(duration)")
    }
    if let stated = recorder.value(.audioDataPacketCount) {
      let byteCount = probed.packets.reduce(0) { $0 + $1.byteCount }
      #expect(stated == "\(probed.packets.count)")
      #expect(recorder.value(.audioDataByteCount) == "\(byteCount)")
      let largest = probed.packets.map(\.byteCount).max() ?? 0
      #expect(recorder.value(.maximumPacketSize) == "\(largest)")
    }
    #expect(recorder.value(.dataOffset) == "\(probed.packets.map(\.offset).min() ?? 0)")
  }

  @Test("Packets of one size have the bytes that ffmpeg copies", arguments: constant)
  func constantPackets(_ recipe: Recipe) throws {
    let workshop = Workshop()
    try workshop.run("\(recipe.arguments) \(recipe.name)")
    let bytes = try workshop.read(recipe.name)
    let (recorder, error) = parse(bytes)
    #expect(error == nil && recorder.failures == [])
    #expect(recorder.pcm == (try workshop.demuxed(recipe.name)))
    #expect(outcome(bytes, .random(seed: 5)) == outcome(bytes, .whole))
    let fields = try workshop.probe(recipe.name)
    var stream = AudioFileStream()
    _ = parse(bytes, with: &stream)
    let format = try stream.dataFormat
    #expect(fields["sample_rate"] == "\(Int(format.sampleRate))")
    #expect(fields["channels"] == "\(format.channelsPerFrame)")
    if let duration = fields["duration"].flatMap(Double.init) {
      #expect(abs(try stream.duration.seconds - duration) < 0.001)
    }
    if format.formatID == .linearPCM {
      #expect(fields["bits_per_sample"] == "\(format.bitsPerChannel)")
      let coding = fields["codec_name"] ?? ""
      #expect(format.formatFlags.contains(.bigEndian) == coding.hasSuffix("be"))
      #expect(format.formatFlags.contains(.float) == coding.hasPrefix("pcm_f"))
      #expect(format.formatFlags.contains(.signedInteger) == coding.hasPrefix("pcm_s"))
    }
  }
}
