// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Detection of a stream's format from its bytes; formats that cannot be played are named.
@Suite struct DetectionTests {
  @Test("A WAVE file with an MP3 hint is a WAVE file, and the other way round")
  func contentDecides() {
    #expect(
      parse(SyntheticWave().bytes(frames: 9), hint: .mpegLayer3).recorder.value(.fileFormat)
        == "WAVE")
    #expect(parse(SyntheticFrame.stream(5), hint: .wave).recorder.value(.fileFormat) == "MPG3")
    let layerII = SyntheticFrame(layer: 2, byteCount: 522)
    let stream = (0..<5).flatMap { layerII.bytes(seed: $0) }
    #expect(parse(stream, hint: .mpegLayer3).recorder.value(.fileFormat) == "MPG2")
  }

  @Test(
    "Foreign content is named, with or without a hint",
    arguments: [
      ("<!DOCTYPE html><html><head><title>404 Not Found</title></head>", "HTML"),
      ("\n  <HTML>\n<body>Not here</body></html>", "HTML"),
      ("<?xml version=\"1.0\"?><rss/>", "XML"), ("Not found\r\n", "text"),
      ("#EXTM3U\nhttp://example.org/stream.mp3\n", "playlist"),
      ("[playlist]\nFile1=x\n", "playlist"),
      ("FORM\0\0\0\u{20}8SVXVHDR", "IFF"), ("%PDF-1.7", "PDF"), ("RIFF....AVI LIST", "RIFF"),
      ("MThd\0\0\0\u{6}", "MIDI"), ("#!AMR\n...", "AMR"),
      ("PK\u{3}\u{4}\0\0", "ZIP"),
    ])
  func foreignContent(_ text: String, _ name: String) {
    for hint in [nil, AudioFileTypeID.mpegLayer3, .wave] {
      for tail in [[], [UInt8](repeating: 0, count: 200)]
      where name != "text" && name != "XML" || tail.isEmpty {
        let error = parse([UInt8](text.utf8) + tail, hint: hint).error
        #expect(error?.code == .unsupportedFileType)
        #expect(error?.message.contains(name) == true, "\(error?.message ?? "no error")")
      }
    }
  }

  @Test("A JPEG image is named")
  func binaryContent() throws {
    let workshop = Workshop()
    try workshop.run(
      "ffmpeg -v error -y -f lavfi -i testsrc=d=1:size=1024x768 -frames:v 1 image.jpg")
    let image = parse(try workshop.read("image.jpg"), hint: .mpegLayer3).error
    #expect(image?.code == .unsupportedFileType)
    #expect(image?.message.contains("JPEG") == true)
  }

  @Test("An empty input and a tag without audio are errors of the file type")
  func nothing() {
    #expect(parse([]).error?.code == .unsupportedFileType)
    #expect(parse([]).error?.message.contains("empty") == true)
    #expect(parse(SyntheticTag.id3v2(50)).error?.message.contains("no audio") == true)
    #expect(parse([0xFF]).error?.code == .unsupportedFileType)
  }

  @Test("Unknown content is named by the same first bytes, however the input is sliced")
  func judgedBytes() {
    let bytes = SyntheticTag.id3v2(0) + [UInt8](repeating: 0x41, count: 80) + [0, 1, 2, 3]
    let whole = outcome(bytes, .whole)
    #expect(whole.error?.message.contains("text") == true)
    for split in 0...bytes.count { #expect(outcome(bytes, .splitAt(split)) == whole) }
  }

  @Test("The search ends after 64 KiB, or after 1 MiB with an MPEG hint")
  func searchLimit() {
    func bytesTaken(_ hint: AudioFileTypeID?) -> (Int, AudioFileStreamError.Code?) {
      var stream = AudioFileStream(hint: hint)
      var recorder = Recorder()
      var random = SplitMix(state: 9)
      var taken = 0
      while taken < 4 << 20 {
        let slice = (0..<1000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        do {
          try stream.parse(slice.span, listener: &recorder)
        } catch {
          return (taken, error.code)
        }
        taken += slice.count
      }
      return (taken, nil)
    }
    let (plain, plainCode) = bytesTaken(nil)
    #expect((60_000...90_000).contains(plain))
    #expect(plainCode == .unsupportedFileType)
    let (hinted, hintedCode) = bytesTaken(.mpegLayer3)
    #expect((1_040_000...1_080_000).contains(hinted))
    #expect(hintedCode == .invalidFile)
  }

  @Test("After an error every call throws the same error again")
  func errorsStay() {
    var stream = AudioFileStream()
    let (_, first) = parse([UInt8]("%PDF-1.7".utf8) + garbage(100), with: &stream)
    let (_, second) = parse(SyntheticFrame.stream(4), with: &stream)
    #expect(first != nil)
    #expect(first == second)
  }

  @Test("Codes are those of Core Audio")
  func codes() {
    let codes = AudioFileStreamError.Code.allCases.map { $0.fourCharacterCode.rawValue }
    #expect(
      codes == [
        0x7479_703F, 0x666D_743F, 0x7074_793F, 0x2173_697A, 0x6F70_746D, 0x7063_6B3F, 0x6474_613F,
        0x756E_6B3F, 0x6D6F_7265, 0x6E6F_7065, 0x7768_743F, 0x6473_6321,
      ])
    let properties: [(AudioFileStreamPropertyID, UInt32)] = [
      (.readyToProducePackets, 0x7265_6479), (.fileFormat, 0x6666_6D74), (.dataFormat, 0x6466_6D74),
      (.audioDataByteCount, 0x6263_6E74), (.audioDataPacketCount, 0x7063_6E74),
      (.maximumPacketSize, 0x7073_7A65), (.dataOffset, 0x646F_6666), (.channelLayout, 0x636D_6170),
      (.packetTableInfo, 0x706E_666F), (.packetSizeUpperBound, 0x706B_7562),
      (.averageBytesPerPacket, 0x6162_7070), (.bitRate, 0x6272_6174),
      (.formatList, 0x666C_7374), (.magicCookieData, 0x6D67_6963), (.packetToFrame, 0x706B_6672),
      (.frameToPacket, 0x6672_706B), (.packetToByte, 0x706B_6279), (.byteToPacket, 0x6279_706B),
      (.infoDictionary, 0x696E_666F),
    ]
    for (property, code) in properties { #expect(property.rawValue.rawValue == code) }
    let error = AudioFileStreamError(.invalidFile, at: 12, "the file is broken")
    #expect(error.description == "the file is broken (at byte 12, 'dta?')")
  }
}
