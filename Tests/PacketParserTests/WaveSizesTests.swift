// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// WAVE with 64-bit sizes: RF64, BW64 and Wave64.
@Suite struct WaveSizesTests {
  @Test(
    "RF64 and Wave64 files of ffmpeg, SoX and libsndfile are read as ffmpeg reads them",
    arguments: [
      ("ffmpeg -v error -y -i in.wav -rf64 always out", ".wav", "RF64"),
      ("ffmpeg -v error -y -i in.wav -c:a pcm_s24le -rf64 always out", ".wav", "RF64"),
      ("ffmpeg -v error -y -i in.wav -c:a adpcm_ima_wav -rf64 always out", ".wav", "RF64"),
      ("sndfile-convert -pcm24 in.wav out", ".rf64", "RF64"),
      ("sndfile-convert -float64 in.wav out", ".rf64", "RF64"),
      ("ffmpeg -v error -y -i in.wav out", ".w64", "W64f"),
      ("ffmpeg -v error -y -i in.wav -c:a pcm_f32le -ac 6 out", ".w64", "W64f"),
      ("ffmpeg -v error -y -i in.wav -c:a pcm_alaw out", ".w64", "W64f"),
      ("sndfile-convert -pcmu8 in.wav out", ".w64", "W64f"),
      ("sndfile-convert -float32 in.wav out", ".w64", "W64f"),
      ("sndfile-convert -ms-adpcm in.wav out", ".w64", "W64f"),
    ])
  func written(_ command: String, _ suffix: String, _ type: String) throws {
    let workshop = Workshop()
    try workshop.run("\(MPEGAudioOracleTests.tone(22050, 1)) && \(command)\(suffix)")
    // ffprobe prints the fact chunk's frames, which exclude the last block's padding.
    var stream = AudioFileStream()
    _ = parse(try workshop.read("out\(suffix)"), with: &stream)
    let framesPerPacket = Int64(try stream.dataFormat.framesPerPacket)
    let frames = try stream.audioDataPacketCount * framesPerPacket
    let recorder = try workshop.checkAgainstDemuxer(
      "out\(suffix)", frames: framesPerPacket > 1 ? frames : nil)
    #expect(recorder.value(.fileFormat) == type)
    let bytes = try workshop.read("out\(suffix)")
    for pieces in [1, 7] { #expect(outcome(bytes, .pieces(pieces)) == outcome(bytes, .whole)) }
  }

  @Test("A Wave64 file from a pipe runs to the end")
  func wave64Pipe() throws {
    let workshop = Workshop()
    try workshop.run("\(MPEGAudioOracleTests.tone(22050, 1))")
    try workshop.run("ffmpeg -v error -y -i in.wav -f w64 - | cat >out.w64")
    let (recorder, error) = parse(try workshop.read("out.w64"))
    #expect(error == nil)
    #expect(recorder.value(.audioDataByteCount) == nil)
    try workshop.run("ffmpeg -v error -y -i in.wav -f s16le raw")
    let raw = try workshop.read("raw")
    #expect(Array(recorder.pcm.prefix(raw.count)) == raw)
    #expect(recorder.pcm.count - raw.count < 8, "the muxer fills the chunk up")
  }

  private func ds64(
    _ form: String = "RF64", riff: Int = 0, data: Int, frames: Int = 0,
    table: [(String, Int)] = [], dataSize: Int = 0xFFFF_FFFF, after: [UInt8] = []
  ) -> [UInt8] {
    let entries = table.flatMap { [UInt8]($0.0.utf8) + littleEndian($0.1, 8) }
    let sizes =
      littleEndian(riff, 8) + littleEndian(data, 8) + littleEndian(frames, 8)
      + littleEndian(table.count, 4) + entries
    return [UInt8](form.utf8) + littleEndian(0xFFFF_FFFF, 4) + [UInt8]("WAVE".utf8)
      + SyntheticWave.chunk("ds64", sizes) + SyntheticWave.chunk("fmt ", SyntheticWave().format)
      + after + SyntheticWave.chunk("data", SyntheticWave.samples(40), stated: dataSize)
  }

  @Test("The size in ds64 counts if the data chunk refers to it")
  func sizes() {
    let trailing = SyntheticWave.chunk("LIST", SyntheticInfo.list([("IART", "Somebody")]))
    for form in ["RF64", "BW64"] {
      let (recorder, error) = parse(ds64(form, data: 40) + trailing)
      #expect(error == nil)
      #expect(recorder.value(.fileFormat) == form)
      #expect(recorder.value(.audioDataByteCount) == "40")
      #expect(recorder.pcmFrames == 10)
      #expect(recorder.value(.infoDictionary)?.contains("Somebody") == true)
    }
    #expect(parse(ds64(data: 0)).recorder.value(.audioDataByteCount) == nil)
    #expect(parse(ds64(data: -1)).recorder.value(.audioDataByteCount) == nil)
    #expect(parse(ds64(data: 0)).recorder.pcmFrames == 10)
    #expect(parse(ds64(data: 99, dataSize: 36)).recorder.pcmFrames == 9)
    let huge = parse(ds64(data: 5 << 32)).recorder
    #expect(huge.value(.audioDataByteCount) == "\(5 << 32)")
    #expect(huge.value(.audioDataPacketCount) == "\(5 << 30)")
    #expect(huge.pcmFrames == 10)
  }

  @Test("The table in ds64 has the sizes of other chunks")
  func table() {
    let other =
      [UInt8]("axml".utf8) + littleEndian(0xFFFF_FFFF, 4) + [UInt8](repeating: 1, count: 5) + [0]
    let file = ds64(data: 40, table: [("junk", 7), ("axml", 5)], after: other)
    #expect(parse(file).recorder.pcmFrames == 10)
    // A table that states more entries than it has.
    var cut = ds64(data: 40)
    cut[12 + 8 + 24] = 200
    #expect(parse(cut).recorder.pcmFrames == 10)
  }

  @Test("A Wave64 chunk smaller than its header, another kind of file, and a cut header are errors")
  func badWave64() throws {
    let workshop = Workshop()
    try workshop.run("\(MPEGAudioOracleTests.tone(22050, 1)) && sndfile-convert in.wav out.w64")
    let good = try workshop.read("out.w64")
    var small = good
    small[40 + 16] = 7
    #expect(parse(small).error?.code == .invalidFile)
    var other = good
    other[24] = UInt8(ascii: "x")
    #expect(parse(other).error?.code == .unsupportedFileType)
    #expect(parse(Array(good[..<100])).error?.code == .invalidFile)
  }

  @Test("Data before the format are played if the source can seek")
  func earlyData() {
    let samples = SyntheticWave.samples(400)
    let file =
      [UInt8]("RIFF".utf8) + littleEndian(1000, 4) + [UInt8]("WAVE".utf8)
      + SyntheticWave.chunk("data", samples)
      + SyntheticWave.chunk("LIST", SyntheticInfo.list([("INAM", "Backwards")]))
      + SyntheticWave.chunk("fmt ", SyntheticWave().format)
    #expect(parse(file).error?.code == .notOptimized)
    for slice in [1, 7, 1 << 20] {
      let (recorder, error) = parseAnywhere(file, slice: slice)
      #expect(error == nil)
      #expect(recorder.pcm == samples)
      #expect(recorder.value(.dataOffset) == "20")
      #expect(recorder.value(.infoDictionary)?.contains("Backwards") == true)
      #expect(recorder.properties.filter { $0 == "info" }.count == 1)
    }
    let without = Array(file.dropLast(24))
    #expect(parseAnywhere(without).error?.code == .invalidFile)
  }
}
