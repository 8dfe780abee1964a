// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import Testing

/// Streams that do not state their packet count, after they were parsed to their end.
@Suite struct CountedStreamTests {
  struct Stream: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var bytes: [UInt8]
  }

  /// One Opus stream behind another.
  private static let chain: [UInt8] = {
    var other = SyntheticOgg(serial: 8)
    other.beginOpus(preSkip: 100)
    for page in 1...3 { other.page([SyntheticOgg.opusPacket(90)], granule: page * 960) }
    return OggTests.opus.bytes + other.bytes
  }()

  static let streams = [
    Stream(testDescription: "ADTS", bytes: SyntheticADTS.stream(30)),
    Stream(testDescription: "ADTS, frames of other durations", bytes: mixedADTS),
    Stream(testDescription: "FLAC", bytes: SyntheticFLAC(totalFrames: 0).bytes),
    Stream(testDescription: "Ogg", bytes: OggTests.opus.bytes),
    Stream(testDescription: "chained Ogg", bytes: chain),
    Stream(testDescription: "MPEG audio", bytes: SyntheticFrame.stream(30)),
    Stream(
      testDescription: "WAVE of open size",
      bytes: SyntheticWave(statedDataSize: 0xFFFF_FFFF, statedRIFFSize: 0xFFFF_FFFF)
        .bytes(frames: 100)),
    Stream(
      testDescription: "MPEG audio in WAVE of open size",
      bytes: SyntheticWave(tag: 0x55, statedDataSize: 0xFFFF_FFFF, statedRIFFSize: 0xFFFF_FFFF)
        .bytes(data: SyntheticFrame.stream(30))),
    Stream(testDescription: "NeXT/Sun of open size", bytes: NextSoundTests.file(size: 0xFFFF_FFFF)),
    Stream(testDescription: "AIFF, cut", bytes: cutAIFF),
    Stream(
      testDescription: "Core Audio Format of open size",
      bytes: SyntheticCAF().bytes(SyntheticCAF.data(SyntheticWave.samples(400), stated: -1))),
    Stream(
      testDescription: "fragmented MPEG-4",
      bytes: MPEG4IndexTests.fragmented([[5, 6, 7, 8], [4, 3, 2, 1], [9, 9, 9]])),
  ]

  private static let cutAIFF = {
    var file = SyntheticAIFF()
    file.statedFrames = 1000
    file.statedSoundSize = 4008
    return file.bytes(packets: 100)
  }()

  private static let mixedADTS = SyntheticADTS.stream(9) + SyntheticADTS(blocks: 2).bytes(seed: 9)

  @Test("The packet count found at the end survives a seek", arguments: streams)
  func counted(_ input: Stream) throws {
    var stream = AudioFileStream()
    let (recorder, error) = parse(input.bytes, with: &stream)
    #expect(error == nil)
    let count = Int64(recorder.packetCount) + Int64(recorder.pcmFrames)
    let duration = try stream.duration
    let byteCount = try stream.audioDataByteCount
    let largest = try stream.maximumPacketSize
    #expect(try stream.audioDataPacketCount == count)
    for packet in [count / 2, 0, count - 1] {
      _ = try stream.seek(toPacket: packet)
      let place = Int(stream.nextByteOffset)
      // The seek takes effect with the next bytes.
      #expect(parse(Array(input.bytes[place...]), with: &stream).error == nil)
      #expect(try stream.audioDataPacketCount == count)
      #expect(try stream.audioDataByteCount == byteCount)
      #expect(try stream.maximumPacketSize == largest)
      #expect(try stream.duration == duration)
      #expect(throws: AudioFileStreamError.self) { try stream.seekTarget(packet: count) }
    }
  }
}
