// SPDX-License-Identifier: MIT

import AudioModel
import PacketDecoders
import TestKit
import Testing

@Suite("AAC decoded ahead", .enabled(if: AheadCodec.library(for: .mpeg4AAC) != nil))
struct AACDecodingTests {
  @Test(
    "AAC in any container decodes to what ffmpeg decodes, sample for sample",
    arguments: ["m4a", "mov", "3gp", "aac"])
  func containers(_ type: String) throws {
    let workshop = Workshop()
    try workshop.makeSource()
    try workshop.run("ffmpeg -v error -i source.wav -c:a aac -b:a 128k a.\(type)")
    let file = try CodedFile(workshop.path("a.\(type)"))
    let decoded = try file.decode()
    let reference = workshop.reference("a.\(type)")
    #expect(decoded.samples.count == reference.count)
    #expect(difference(decoded.samples, reference) < -90)
    #expect(decoded.outputs.allSatisfy { $0.isDecoded && $0.frames == 1024 && !$0.changesFormat })
  }
}
