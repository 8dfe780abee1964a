// SPDX-License-Identifier: MIT

import AudioModel
import PacketDecoders
import TestKit
import Testing

@Suite("Lossless codecs decoded ahead", .enabled(if: AheadCodec.library(for: .flac) != nil))
struct LosslessDecodingTests {
  static let layouts = [("mono", 1), ("stereo", 2), ("5.1", 6)]

  @Test(
    "Apple Lossless decodes to exactly the samples of its source",
    arguments: [("m4a", 16), ("m4a", 24), ("caf", 16), ("caf", 24)], layouts)
  func appleLossless(_ kind: (type: String, bits: Int), _ layout: (name: String, count: Int)) throws
  {
    let workshop = Workshop()
    try workshop.makeSource(layout: layout.name, channels: layout.count, bits: kind.bits)
    let sampleFormat = kind.bits == 16 ? "s16p" : "s32p"
    try workshop.run(
      "ffmpeg -v error -i source.wav -c:a alac -sample_fmt \(sampleFormat) a.\(kind.type)")
    let file = try CodedFile(workshop.path("a.\(kind.type)"))
    let decoded = try file.decode()
    let source = ReferenceDecoder.ffmpeg(workshop.path("source.wav"))
    // The last packet is shorter than the format states.
    #expect(decoded.samples == source)
    #expect(decoded.outputs.allSatisfy { $0.isDecoded && !$0.changesFormat })
  }

  @Test(
    "FLAC decodes to exactly the samples of its source",
    arguments: [("flac", 16), ("flac", 24), ("ogg", 16), ("mp4", 24)], layouts)
  func flac(_ kind: (type: String, bits: Int), _ layout: (name: String, count: Int)) throws {
    let workshop = Workshop()
    try workshop.makeSource(layout: layout.name, channels: layout.count, bits: kind.bits)
    let sampleFormat = kind.bits == 16 ? "s16" : "s32"
    try workshop.run(
      "ffmpeg -v error -i source.wav -c:a flac -strict -2 -sample_fmt \(sampleFormat) a.\(kind.type)"
    )
    let decoded = try CodedFile(workshop.path("a.\(kind.type)")).decode()
    let source = ReferenceDecoder.ffmpeg(workshop.path("source.wav"))
    #expect(Array(decoded.samples.prefix(source.count)) == source)
    #expect(decoded.outputs.allSatisfy { $0.isDecoded && !$0.changesFormat })
  }
}
