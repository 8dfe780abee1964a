// SPDX-License-Identifier: MIT

import AudioModel
import PacketDecoders
import TestKit
import Testing

@Suite("A decoder after a discontinuity", .enabled(if: AheadCodec.library(for: .mpeg4AAC) != nil))
struct DiscontinuityTests {
  @Test(
    "Behind the pre-roll, the sound equals a continuous decode", arguments: CodedSample.allCases)
  func preRoll(_ sample: CodedSample) throws {
    let file = try #require(CodedSample.made[sample])
    let straight = try file.decode()
    let decoder = try AheadDecoder(file.stream)
    _ = file.decode(with: decoder)
    decoder.reset()
    let left = decoder.samples.count
    #expect(left == 0)
    let first = 9
    let again = file.decode(with: decoder, from: first)
    let preRoll = file.stream.format.formatID.packetsRemembered
    try #require(again.starts.count > preRoll)
    for index in preRoll..<again.starts.count {
      let error = difference(
        again.samples(ofPacket: index), straight.samples(ofPacket: first + index))
      // A codec that synthesises noise yields another noise of the same power.
      #expect(error < sample.likeness, "packet \(index)")
    }
    #expect(again.outputs.dropFirst(preRoll).allSatisfy { $0.isDecoded && !$0.changesFormat })
  }
}

extension CodedSample {
  /// The largest difference in dBFS between two decodes that began at different packets.
  fileprivate var likeness: Double {
    switch self {
    case .aac, .adts, .appleLossless, .flac, .ac3, .enhancedAC3, .vorbis, .layer2, .layer3: -200
    case .heAAC: -30
    case .heAACv2: -20
    case .opus: -20
    }
  }
}
