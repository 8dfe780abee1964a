// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Tags around and between frames, which are skipped, and tags stored as a frame, which are read.
@Suite struct MPEGAudioTagTests {
  static let frames = SyntheticFrame.stream(8)

  /// Parses, and expects all eight frames and no garbage.
  private func offsets(_ bytes: [UInt8], frames: Int = 8) throws -> [Int64] {
    let (recorder, error) = parse(bytes)
    #expect(error == nil)
    #expect(recorder.failures == [])
    #expect(recorder.skips == [])
    #expect(recorder.packetCount == frames)
    return recorder.packetOffsets
  }

  @Test("Several ID3v2 tags in a row are skipped, with footer and padding")
  func id3v2InARow() throws {
    let tags =
      SyntheticTag.id3v2(500) + SyntheticTag.id3v2(7, hasFooter: true) + SyntheticTag.id3v2(0)
      + [UInt8](repeating: 0, count: 300)
    #expect(try offsets(tags + Self.frames).first == Int64(tags.count))
  }

  @Test("Sync patterns within an ID3v2 tag are not audio")
  func syncInsideID3v2() throws {
    var tag = SyntheticTag.id3v2(5000)
    tag.replaceSubrange(100..<100 + Self.frames.count, with: Self.frames)
    #expect(try offsets(tag + Self.frames).first == Int64(tag.count))
  }

  @Test("An ID3v2 tag of 250 MB is skipped in slices")
  func hugeID3v2() throws {
    let contentBytes = 250_000_000
    var stream = AudioFileStream()
    var recorder = Recorder()
    let header = Array(SyntheticTag.id3v2(0)[..<6]) + SyntheticID3.synchsafe(contentBytes)
    try stream.parse(header.span, listener: &recorder)
    // A tag's content may look like audio.
    let slice = SyntheticFrame.stream(600)
    var left = contentBytes
    while left > 0 {
      let count = min(left, slice.count)
      try stream.parse(slice.span.extracting(0..<count), listener: &recorder)
      left -= count
    }
    #expect(recorder.events == [])
    try stream.parse(Self.frames.span, listener: &recorder)
    try stream.finish(listener: &recorder)
    #expect(recorder.packetCount == 8)
    #expect(try stream.dataOffset == Int64(contentBytes) + 10)
  }

  @Test(
    "Tags behind the audio become neither packets nor garbage",
    arguments: [
      SyntheticTag.id3v1, SyntheticTag.apeV2(300), SyntheticTag.lyrics3v2 + SyntheticTag.id3v1,
      SyntheticTag.apeV2(0) + SyntheticTag.lyrics3v2 + SyntheticTag.id3v1,
      [UInt8]("TAG+".utf8) + [UInt8](repeating: 0x30, count: 223) + SyntheticTag.id3v1,
      SyntheticTag.id3v2(50, hasFooter: true),
    ])
  func trailingTags(_ tags: [UInt8]) throws {
    #expect(try offsets(Self.frames + tags).first == 0)
  }

  @Test("Tags between frames are skipped, and packets continue")
  func tagsMidstream() throws {
    let second = SyntheticFrame.stream(8, from: 8)
    let middle = SyntheticTag.id3v1 + SyntheticTag.apeV2(9) + SyntheticTag.id3v2(5000)
    let places = try offsets(Self.frames + middle + second, frames: 16)
    #expect(places[8] == Int64(Self.frames.count + middle.count))
  }

  @Test("An APE tag before the audio is skipped")
  func leadingAPE() throws {
    let tag = SyntheticTag.apeV2(80)
    #expect(try offsets(tag + Self.frames).first == Int64(tag.count))
  }

  @Test("At the end of the input, two frames behind a tag are accepted as a stream")
  func fewFrames() throws {
    #expect(try offsets(SyntheticTag.id3v2(4) + SyntheticFrame.stream(2), frames: 2).count == 2)
    #expect(try offsets(SyntheticFrame.stream(1), frames: 1) == [0])
    #expect(try offsets(SyntheticFrame.stream(1) + SyntheticTag.id3v1, frames: 1) == [0])
  }

  @Test("Tags at the end are not counted when the source shows the tail")
  func tailIsNotAudio() throws {
    let tags = SyntheticTag.apeV2(100) + SyntheticTag.lyrics3v2 + SyntheticTag.id3v1
    let bytes = Self.frames + tags
    var stream = AudioFileStream()
    stream.tell(totalByteCount: Int64(bytes.count), tail: bytes.span)
    var recorder = Recorder()
    try stream.parse(bytes.span.extracting(0..<2000), listener: &recorder)
    #expect(try stream.audioDataByteCount == Int64(Self.frames.count))
    #expect(recorder.value(.audioDataByteCount) == "\(Self.frames.count)")
  }

  @Test("LAME's tag is read and left out of the packets, and its raw values are reported")
  func lameTag() throws {
    let workshop = Workshop()
    try workshop.run("\(MPEGAudioOracleTests.tone(44100, 2)) && lame --quiet -V 2 in.wav out.mp3")
    let bytes = try workshop.read("out.mp3")
    var stream = AudioFileStream()
    let (recorder, _) = parse(bytes, with: &stream)
    let table = try stream.packetTableInfo
    #expect(table.primingFrames == 576)
    let total = Int64(recorder.packetCount) * 1152
    #expect(
      table.numberValidFrames + 576 + Int64(table.remainderFrames) == total)
    #expect(table.numberValidFrames == 3 * 44_100)
    #expect(recorder.value(.audioDataPacketCount) == "\(recorder.packetCount)")
    #expect(try stream.dataOffset == recorder.packetOffsets[0])
    #expect(try stream.dataOffset > 100)
    #expect(
      recorder.value(.audioDataByteCount) == "\(Int64(bytes.count) - (try stream.dataOffset))")
    let duration = try stream.duration
    #expect(duration.evidence == .packetTable)
    #expect(duration.seconds == 3)
  }

  @Test("A VBRI tag is read and left out of the packets")
  func vbri() throws {
    let tag = SyntheticTag.vbri(
      frames: 8, bytes: 417 + Self.frames.count, entries: [1600, 1738], packetsPerEntry: 4)
    var stream = AudioFileStream()
    var recorder = Recorder()
    let bytes = tag + Self.frames
    try stream.parse(bytes.span.extracting(0..<1500), listener: &recorder)
    #expect(try stream.audioDataPacketCount == 8)
    #expect(try stream.audioDataByteCount == Int64(Self.frames.count))
    #expect(try stream.dataOffset == 417)
    #expect(try stream.duration.evidence == .packetCount)
    #expect(try stream.duration.frames == 8 * 1152)
    let place = try stream.seekTarget(packet: 4)
    #expect(
      place
        == AudioFileStreamSeekTarget(
          packet: 4, byteOffset: 1600 - 417, isEstimated: true, errorBoundInPackets: 2))
    #expect(recorder.packetOffsets.first == 417)
  }

  @Test("A tag frame in the middle of a stream is a packet, as mpg123 decodes it")
  func tagOfAnAppendedFile() throws {
    let workshop = Workshop()
    try workshop.run(
      "\(MPEGAudioOracleTests.tone(44100, 2)) && lame --quiet -b 128 in.wav a.mp3 && cat a.mp3 a.mp3 > out.mp3"
    )
    let (recorder, _) = parse(try workshop.read("out.mp3"))
    #expect(recorder.packetCount * 1152 == (try workshop.framesByMPG123("out.mp3", gapless: false)))
  }

  @Test("Frames in a RIFF file without a format chunk are parsed as a WAVE file")
  func shell() throws {
    let frames = SyntheticFrame.stream(8)
    let data = [UInt8]("data".utf8) + littleEndian(frames.count, 4) + frames
    let bytes = [UInt8]("RIFF".utf8) + littleEndian(4 + data.count, 4) + [UInt8]("RMP3".utf8) + data
    let (recorder, error) = parse(bytes)
    #expect(error == nil)
    #expect(recorder.packetCount == 8 && recorder.gaps == [])
    #expect(recorder.value(.fileFormat) == "WAVE")
  }
}
