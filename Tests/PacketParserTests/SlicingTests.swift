// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Reports to the listener do not depend on the slicing of the input.
@Suite struct SlicingTests {
  struct Input: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var bytes: [UInt8]
    var hint: AudioFileTypeID?
  }

  static let small: [Input] = {
    let free = (0..<5).flatMap { index in
      let isPadded = index % 2 == 1
      return SyntheticFrame(
        layer: 1, bitRateIndex: 0, isPadded: isPadded, byteCount: isPadded ? 131 : 130
      ).bytes(seed: index)
    }
    let slow = SyntheticFrame(version: 2, bitRateIndex: 1, rateIndex: 1, mode: 3, byteCount: 24)
    let slowStream = (0..<6).flatMap { slow.bytes(seed: $0) }
    let layerII = SyntheticFrame(version: 2, layer: 2, bitRateIndex: 1, rateIndex: 1, byteCount: 48)
    let layerIIStream = (0..<5).flatMap { layerII.bytes(seed: $0) }
    return [
      Input(testDescription: "frames", bytes: SyntheticFrame.stream(4)),
      Input(
        testDescription: "frames with a hint", bytes: SyntheticFrame.stream(3), hint: .mpegLayer3),
      Input(
        testDescription: "tags on all sides",
        bytes: SyntheticTag.id3v2(30) + SyntheticTag.id3v2(3, hasFooter: true) + [0, 0, 0]
          + slowStream + SyntheticTag.apeV2(20) + SyntheticTag.lyrics3v2 + SyntheticTag.id3v1),
      Input(
        testDescription: "garbage between frames",
        bytes: garbage(40) + slowStream + [0xFF, 0xFB] + garbage(33, seed: 2) + slowStream + [0xFF]),
      Input(
        testDescription: "a tag between frames",
        bytes: slowStream + SyntheticTag.id3v2(25) + slowStream + SyntheticTag.id3v1 + slowStream),
      Input(testDescription: "another format", bytes: slowStream + layerIIStream + slowStream),
      Input(
        testDescription: "another format, unconfirmed",
        bytes: slowStream + layerII.bytes(seed: 1) + layerII.bytes(seed: 2) + slowStream),
      Input(testDescription: "free format", bytes: free),
      Input(testDescription: "free format after another", bytes: slowStream + free),
      Input(testDescription: "a cut last frame", bytes: Array(slowStream.dropLast(7))),
      Input(
        testDescription: "VBRI",
        bytes: SyntheticTag.vbri(frames: 4, bytes: 2087, entries: [1000, 900], packetsPerEntry: 2)
          + SyntheticFrame.stream(4)),
      Input(testDescription: "WAVE", bytes: SyntheticWave().bytes(frames: 9)),
      Input(
        testDescription: "WAVE with odd chunks",
        bytes: SyntheticWave(
          before: [("LIST", [1, 2, 3]), ("junk", [])], after: [("id3 ", [9, 9, 9])]
        ).bytes(frames: 7)),
      Input(
        testDescription: "WAVE cut", bytes: Array(SyntheticWave().bytes(frames: 9).dropLast(3))),
      Input(
        testDescription: "WAVE without data", bytes: Array(SyntheticWave().bytes(frames: 9)[..<40])),
      Input(testDescription: "nothing", bytes: []),
      Input(
        testDescription: "text",
        bytes: [UInt8](String(repeating: "no audio here. ", count: 20).utf8)),
      Input(testDescription: "a tag alone", bytes: SyntheticTag.id3v2(100)),
      Input(
        testDescription: "a tag that promises more", bytes: Array(SyntheticTag.id3v2(100)[..<50])),
    ]
  }()

  @Test("An input cut in two at any byte yields the same result", arguments: small)
  func everySplit(_ input: Input) {
    let whole = outcome(input.bytes, .whole, hint: input.hint)
    for split in 0...input.bytes.count {
      let cut = outcome(input.bytes, .splitAt(split), hint: input.hint)
      #expect(cut == whole, "split at \(split)")
      if cut != whole { return }
    }
  }

  @Test(
    "An input in pieces of one, seven, 4096 or random sizes yields the same result",
    arguments: small)
  func pieces(_ input: Input) {
    let whole = outcome(input.bytes, .whole, hint: input.hint)
    for size in [1, 2, 3, 7, 64, 4096] {
      #expect(outcome(input.bytes, .pieces(size), hint: input.hint) == whole, "pieces of \(size)")
    }
    for seed in 0..<50 {
      #expect(outcome(input.bytes, .random(seed: UInt64(seed)), hint: input.hint) == whole)
    }
  }

  @Test(
    "A file of each encoder yields the same result in pieces",
    arguments: [
      "lame --quiet -b 128 in.wav out.mp3",
      "lame --quiet -V 4 --add-id3v2 --tt title in.wav out.mp3",
      "lame --quiet -t --freeformat -b 100 in.wav out.mp3", "twolame -b 128 in.wav out.mp3",
    ])
  func encodedFiles(_ command: String) throws {
    let workshop = Workshop()
    try workshop.run("\(MPEGAudioOracleTests.tone(44100, 2)) && \(command)")
    var bytes = try workshop.read("out.mp3")
    bytes = Array(bytes[..<min(bytes.count, 60_000)])
    let whole = outcome(bytes, .whole)
    #expect(whole.error == nil)
    for size in [1, 7, 4096] {
      #expect(outcome(bytes, .pieces(size)) == whole, "pieces of \(size)")
    }
    for seed in 0..<5 { #expect(outcome(bytes, .random(seed: UInt64(seed))) == whole) }
  }
}
