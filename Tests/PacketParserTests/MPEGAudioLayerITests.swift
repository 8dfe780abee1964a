// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Layer I, which no installed encoder writes.
@Suite struct MPEGAudioLayerITests {
  @Test(
    "Layer I is parsed into the frames that mpg123 decodes",
    arguments: [
      LayerIEncoder(), LayerIEncoder(bitRateIndex: 14, rateIndex: 0),
      LayerIEncoder(bitRateIndex: 4, rateIndex: 2, isMono: true),
      LayerIEncoder(bitRateIndex: 10, hasCRC: true),
      LayerIEncoder(isMPEG2: true, bitRateIndex: 8, rateIndex: 0),
      LayerIEncoder(isMPEG2: true, bitRateIndex: 5, rateIndex: 2, isMono: true, hasCRC: true),
      LayerIEncoder(bitRateIndex: 0, freeFormatSlots: 70),
    ])
  func layerIFramesAreMPG123s(_ encoder: LayerIEncoder) throws {
    var encoder = encoder
    let bytes = encoder.stream(40)
    var stream = AudioFileStream()
    let (recorder, error) = parse(bytes, with: &stream)
    #expect(error == nil)
    #expect(recorder.packetCount == 40)
    #expect(recorder.skips == [])
    #expect(try stream.fileFormat == .mpegLayer1)
    let format = try stream.dataFormat
    #expect(format.formatID == .mpegLayer1)
    #expect(format.framesPerPacket == 384)
    #expect(format.channelsPerFrame == (encoder.isMono ? 1 : 2))
    if encoder.bitRateIndex == 0 { #expect(try stream.freeFormatFrameByteCount == 280) }

    let workshop = Workshop()
    try workshop.write(bytes, "layer1.mp1")
    #expect(try workshop.framesByMPG123("layer1.mp1", gapless: false) == 40 * 384)
    let loudest = try workshop.read("decoded.wav").dropFirst(44).enumerated()
      .filter { $0.offset % 2 == 1 }.map { abs(Int(Int8(bitPattern: $0.element))) }.max()
    #expect((loudest ?? 0) > 4, "what mpg123 decodes is silence: the frames are not real")
  }
}
