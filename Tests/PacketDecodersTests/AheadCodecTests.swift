// SPDX-License-Identifier: MIT

import AudioModel
import PacketDecoders
import Testing

@Suite("Codecs that decode ahead")
struct AheadCodecTests {
  @Test("A format without a decoder has no library", arguments: [AudioFormatID.amr, .microsoftGSM])
  func unknown(_ format: AudioFormatID) {
    #expect(AheadCodec.library(for: format) == nil)
  }

  @Test("A format without a decoder is refused by name")
  func unknownFormat() {
    let format = AudioStreamBasicDescription(
      sampleRate: 8000, formatID: .amr, channelsPerFrame: 1)
    #expect(throws: AheadDecoderError.formatNotSupported("AMR")) {
      try AheadDecoder(CodedStreamDescription(format: format))
    }
  }

  @Test(
    "A stream without a valid rate or channel count is refused",
    arguments: [
      (0, 2), (-1, 2), (.nan, 2), (.infinity, 2), (1e30, 2), (44_100, 0), (44_100, 4_000_000_000),
    ])
  func senseless(_ rate: Double, _ channels: UInt32) {
    let format = AudioStreamBasicDescription(
      sampleRate: rate, formatID: .mpeg4AAC, channelsPerFrame: channels)
    #expect(throws: AheadDecoderError.self) {
      try AheadDecoder(CodedStreamDescription(format: format))
    }
  }

  @Test("An error states the remedy")
  func descriptions() {
    let missing = AheadDecoderError.libraryMissing(format: "AAC").description
    #expect(missing.contains("AAC") && missing.contains("libavcodec-dev"))
    #expect(AheadDecoderError.formatNotSupported("AMR").description.contains("'fmt?'"))
  }

  @Test(
    "A build without the library reports it",
    .enabled(if: AheadCodec.library(for: .mpeg4AAC) == nil))
  func missingLibrary() {
    let format = AudioStreamBasicDescription(
      sampleRate: 44_100, formatID: .mpeg4AAC, channelsPerFrame: 2)
    #expect(throws: AheadDecoderError.libraryMissing(format: "AAC")) {
      try AheadDecoder(CodedStreamDescription(format: format, magicCookie: [0x12, 0x10]))
    }
  }
}
