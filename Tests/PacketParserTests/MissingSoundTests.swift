// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import Testing

/// Sound that a stream states but does not contain.
@Suite struct MissingSoundTests {
  @Test("A file without a packet is refused, and the message names the remedy")
  func noPacket() {
    var movie = SyntheticMPEG4()
    let index = movie.index(mediaOffset: 10_000)
    movie.chunks = []
    let files: [(String, [UInt8])] = [
      ("WAVE with an empty data chunk", SyntheticWave().bytes(frames: 0)),
      ("WAVE cut behind its header", Array(SyntheticWave().bytes(frames: 9).prefix(44))),
      ("WAVE cut in its first frame", Array(SyntheticWave().bytes(frames: 9).prefix(46))),
      ("MPEG-4 without media data", SyntheticMPEG4.box("ftyp", [UInt8]("M4A ".utf8)) + index),
      ("MPEG-4 without samples", movie.bytes),
      ("FLAC cut in its first frame", Array(SyntheticFLAC().bytes.prefix(60))),
    ]
    for (name, bytes) in files {
      let error = parse(bytes).error
      #expect(error?.code == .invalidFile, "\(name)")
      #expect(error?.message.contains("no playable packet") == true, "\(name)")
      #expect(error?.message.contains("again") == true, "\(name)")
    }
  }

  @Test("A cut file reports its missing frames, including the one at the cut")
  func cut() {
    let bytes = SyntheticWave().bytes(frames: 100)
    let (recorder, error) = parse(Array(bytes.dropLast(101)))
    #expect(error == nil && recorder.pcmFrames == 74)
    let end = Int64(bytes.count - 101)
    #expect(
      recorder.gaps == [
        AudioFileStreamGap(.cut, byteOffset: end - 3, byteCount: 3, frameCount: 1),
        AudioFileStreamGap(.cut, byteOffset: end, byteCount: 0, frameCount: 25),
      ])
  }

  @Test("A size that its program never corrected, or that includes headers, is no loss")
  func unreliableSizes() {
    for size in [0, 0x7FFF_0000, 0x7FFF_F024, 0x8000_0000, 0xFFFF_FFDB, 0xFFFF_FFFF] {
      let file = SyntheticWave(statedDataSize: size, statedRIFFSize: size)
      #expect(parse(file.bytes(frames: 10)).recorder.gaps == [], "\(size)")
    }
    let file = SyntheticWave(statedDataSize: 40 + 36)
    #expect(parse(file.bytes(frames: 10)).recorder.gaps == [])
  }

  @Test("A missing end is reported alike with and without a seek to a known packet")
  func seek() throws {
    let bytes = SyntheticWave().bytes(frames: 100).dropLast(40)
    var stream = AudioFileStream()
    var recorder = Recorder()
    try stream.parse(Array(bytes[..<200]).span, listener: &recorder)
    let target = try stream.seek(toPacket: 50)
    let start = Int(stream.nextByteOffset)
    #expect(target.byteOffset == 200)
    recorder = Recorder()
    try stream.parse(Array(bytes[start...]).span, listener: &recorder)
    try stream.finish(listener: &recorder)
    let end = Int64(bytes.count)
    #expect(
      recorder.gaps == [AudioFileStreamGap(.cut, byteOffset: end, byteCount: 0, frameCount: 10)])
  }

  @Test(
    "After a seek, the missing packets of a table are counted",
    arguments: [0, 20, 50])
  func table(_ keptBytes: Int) throws {
    let caf = SyntheticCAF.variable()
    let sizes = [50, 60, 70, 50]
    let whole = caf.bytes(
      SyntheticCAF.table(sizes), SyntheticCAF.data((0..<230).map { UInt8($0) }))
    // Two packets, followed by none, a part, or more of the third one.
    let bytes = Array(whole.dropLast(120 - keptBytes))
    var lost: [Int64] = []
    for seeks in [false, true] {
      var stream = AudioFileStream()
      var recorder = Recorder()
      try stream.parse(bytes.span.extracting(0..<whole.count - 230), listener: &recorder)
      if seeks { _ = try stream.seek(toPacket: 1) }
      let start = Int(stream.nextByteOffset)
      try stream.parse(bytes.span.extracting(start..<bytes.count), listener: &recorder)
      try stream.finish(listener: &recorder)
      #expect(recorder.gaps.allSatisfy { $0.cause == .cut && $0.frameCount != nil })
      lost.append(recorder.gaps.reduce(0) { $0 + ($1.frameCount ?? 0) })
    }
    #expect(lost == [2, 2].map { $0 * Int64(caf.framesPerPacket) })
  }
}
