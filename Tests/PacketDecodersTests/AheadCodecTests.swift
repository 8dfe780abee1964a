// SPDX-License-Identifier: MIT

import AudioModel
import PacketDecoders
import Testing

@Suite("Codecs that decode ahead")
struct AheadCodecTests {
  @Test("What nobody decodes has no library", arguments: [AudioFormatID.amr, .microsoftGSM])
  func unknown(_ format: AudioFormatID) {
    #expect(AheadCodec.library(for: format) == nil)
  }
}
