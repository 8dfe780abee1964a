// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// FLAC files that contradict their own stream information, continue with another stream, or have foreign
/// bytes behind their frames.
@Suite struct FLACFaultTests {
  /// A file of an installed encoder, and its frames.
  private static func file(
    _ options: String, encoder: String = "-c:a flac", from workshop: Workshop
  ) throws -> (bytes: [UInt8], frames: [[UInt8]]) {
    try workshop.run(
      """
      ffmpeg -v error -y -f lavfi -i "aevalsrc='0.4*sin(440*t*(1+t)*6.28)*lt(mod(t\\,1)\\,0.6)\
      +0.1*random(0)*gt(mod(t\\,1)\\,0.3)':s=44100:d=0.83" \(options) \(encoder) out.flac
      """)
    let bytes = try workshop.read("out.flac")
    let recorder = parse(bytes).recorder
    #expect(recorder.skips == [])
    return (bytes, recorder.packetBytes)
  }

  @Test(
    "The last frame is whole, whatever follows it",
    arguments: [
      "-compression_level 0", "-compression_level 12", "-sample_fmt s32 -ac 2", "-ac 6",
      "-ac 2 -lpc_type none", "-ac 2 -ch_mode left_side", "-af volume=0",
      "-af acrusher=bits=4:mix=1:mode=lin", "-frame_size 65535 -strict -2",
    ])
  func foreignBytesBehind(_ options: String) throws {
    let workshop = Workshop()
    let (bytes, frames) = try Self.file(options, from: workshop)
    let text = [UInt8]("This is no audio and no tag...".utf8)
    let feet: [[UInt8]] = [
      text, [UInt8](repeating: 0x55, count: 100), garbage(2000), [0], [0, 0, 0],
      [UInt8](repeating: 0, count: 4096), [UInt8](repeating: 0xFF, count: 300), [0xFF, 0xF8],
    ]
    for foot in feet {
      let (recorder, error) = parse(bytes + foot)
      #expect(error == nil)
      let isSame = recorder.packetBytes == frames
      #expect(isSame)
      #expect(
        recorder.gaps == [
          AudioFileStreamGap(
            .foreignBytes, byteOffset: Int64(bytes.count), byteCount: Int64(foot.count))
        ])
    }
    let tagged = bytes + text + SyntheticTag.id3v1
    #expect(parse(tagged).recorder.packetCount == frames.count)
  }

  @Test("Foreign bytes between two frames cost no frame")
  func foreignBytesBetween() throws {
    let workshop = Workshop()
    let (bytes, frames) = try Self.file("-ac 2", from: workshop)
    let metadata = bytes.count - frames.reduce(0) { $0 + $1.count }
    var stream = Array(bytes[..<metadata])
    for (index, frame) in frames.enumerated() { stream += frame + garbage(1 + 40 * index) }
    let (recorder, error) = parse(stream)
    #expect(error == nil)
    let isSame = recorder.packetBytes == frames
    #expect(isSame)
    #expect(recorder.gaps.map(\.cause) == frames.map { _ in .foreignBytes })
    #expect(outcome(stream, .pieces(977)) == outcome(stream, .whole))
  }

  @Test(
    "Frames with another rate, channel count or depth are a stream of their own",
    arguments: ["-ar 48000", "-ac 1", "-ac 6", "-sample_fmt s32", "-ar 22050 -ac 1"], [true, false])
  func changes(_ options: String, _ hasMetadata: Bool) throws {
    let workshop = Workshop()
    let (first, firstFrames) = try Self.file("-ac 2 -sample_fmt s16", from: workshop)
    let (second, secondFrames) = try Self.file("-ac 2 -sample_fmt s16 \(options)", from: workshop)
    let secondBytes = hasMetadata ? second : Array(second.suffix(secondFrames.joined().count))
    let bytes = first + secondBytes + first
    var stream = AudioFileStream()
    let (recorder, error) = parse(bytes, with: &stream)
    #expect(error == nil)
    #expect(recorder.skips == [])
    let isSame = recorder.packetBytes == firstFrames + secondFrames + firstFrames
    #expect(isSame)
    // Each format is reported before its frames, and the first one once more when it returns.
    let formats = recorder.packetFormats
    #expect(recorder.properties.count { $0 == "dfmt" } == 3)
    let changed = firstFrames.count..<firstFrames.count + secondFrames.count
    #expect(Set(formats[..<changed.lowerBound]).count == 1)
    #expect(Set(formats[changed]).count == 1)
    #expect(formats[changed.lowerBound].dropFrames != formats[0].dropFrames)
    #expect(formats.last?.dropFrames == formats[0].dropFrames)
    let seconds = try stream.duration.seconds
    #expect(abs(seconds - 3 * 0.83) < 0.001)
    if options == "-ar 48000" {
      #expect(outcome(bytes, .pieces(1009)) == outcome(bytes, .whole))
    }
  }

  @Test("If all frames disagree with the stream information, the frames count from the start")
  func allDisagree() throws {
    let workshop = Workshop()
    let (bytes, frames) = try Self.file("-ac 2", from: workshop)
    // 8 kHz, three channels, eight bits, blocks of 16.
    var wrong = bytes
    wrong.replaceSubrange(8..<12, with: [0, 16, 0, 16])
    wrong.replaceSubrange(18..<22, with: [0x01, 0xF4, 0x04, 0x70])
    var stream = AudioFileStream()
    let (recorder, error) = parse(wrong, with: &stream)
    #expect(error == nil)
    #expect(recorder.packetBytes == frames)
    let format = try stream.dataFormat
    #expect(format.sampleRate == 44100)
    #expect(format.channelsPerFrame == 2)
    #expect(recorder.properties.count { $0 == "dfmt" } == 1)
    #expect(try stream.duration.frames == Int64(0.83 * 44100))
  }

  @Test("Blocks larger than the stream information states are delivered, and the cookie is adapted")
  func largerBlocks() throws {
    let workshop = Workshop()
    let (bytes, frames) = try Self.file("-ac 2", from: workshop)
    var small = bytes
    small.replaceSubrange(8..<12, with: [0x04, 0x80, 0x04, 0x80])
    var stream = AudioFileStream()
    let (recorder, error) = parse(small, with: &stream)
    #expect(error == nil)
    #expect(recorder.packetBytes == frames)
    #expect(try stream.dataFormat.framesPerPacket == 0)
    #expect(try stream.magicCookieData[2...3] == [0xFF, 0xFF])
    #expect(try stream.duration.frames == Int64(0.83 * 44100))
    // Only the last one is larger.
    let flac = SyntheticFLAC(blockSizes: [64, 64, 64, 200])
    var metadata = flac.metadata
    metadata.replaceSubrange(8..<12, with: [0, 64, 0, 64])
    let (late, _) = parse(metadata + flac.frames.joined())
    #expect(late.packetBytes == flac.frames)
    #expect(late.properties.count { $0 == "dfmt" } == 2)
  }

  @Test("The number of frames found takes precedence over the stated length")
  func countedLength() throws {
    let workshop = Workshop()
    let (bytes, _) = try Self.file("-ac 2", from: workshop)
    for stated in [73_000, 30_000] {
      var wrong = bytes
      wrong.replaceSubrange(22..<26, with: bigEndian(stated, 4))
      var stream = AudioFileStream()
      _ = parse(wrong, with: &stream)
      #expect(try stream.duration.frames == Int64(0.83 * 44100))
    }
    var joined = AudioFileStream()
    _ = parse(bytes + bytes, with: &joined)
    #expect(try joined.duration.frames == 2 * Int64(0.83 * 44100))
  }

  @Test("Several lost frames are replaced by as much silence, also in a seek behind them")
  func silence() throws {
    let flac = SyntheticFLAC(blockSizes: [Int](repeating: 64, count: 20))
    var frames = flac.frames
    for index in 5..<9 { frames[index] = garbage(60) }
    let bytes = flac.metadata + frames.joined()
    var stream = AudioFileStream()
    let (recorder, _) = parse(bytes, with: &stream)
    #expect(recorder.gaps.map(\.frameCount) == [256])
    #expect(recorder.gaps.map(\.cause) == [.damage])
    #expect(recorder.packetIndices == Array(0..<20))
    #expect(recorder.firstFrames == (0..<20).map { $0 * 64 })
    #expect(try stream.duration.frames == 20 * 64)
    for packet in [4, 5, 7, 8, 9, 19] {
      let target = try stream.seek(toPacket: Int64(packet))
      #expect(!target.isEstimated)
      let found = try FLACSeekTests.first(bytes, target, &stream)
      #expect(found.index == Int64(packet))
      #expect(found.frame == Int64(64 * packet))
      #expect(found.bytes == recorder.packetBytes[packet])
    }
  }
}

extension AudioStreamBasicDescription {
  /// The same without the frames of a packet.
  fileprivate var dropFrames: Self {
    var format = self
    format.framesPerPacket = 0
    return format
  }
}
