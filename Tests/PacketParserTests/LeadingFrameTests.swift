// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Frames at a stream's start that are lost because the frame behind them is damaged.
@Suite struct LeadingFrameTests {
  @Test("Frames before the first three consecutive ones are a loss", arguments: [1, 2])
  func lost(_ damaged: Int) {
    let frames = (0..<8).map { SyntheticADTS.stream(1, from: $0) }
    let others = (0..<8).map { SyntheticFrame.stream(1, from: $0) }
    for (name, list) in [("ADTS", frames), ("MPEG audio", others)] {
      for tag in [[], SyntheticTag.id3v2(40)] {
        var list = list
        list[damaged][1] ^= 0x40
        let bytes = tag + list.joined()
        let lost = list[...damaged].reduce(0) { $0 + $1.count }
        // A stream of MPEG audio cannot begin with only two consecutive frames.
        let (recorder, error) = parse(bytes)
        #expect(error == nil)
        #expect(recorder.packetCount == 7 - damaged, "\(name)")
        #expect(
          recorder.gaps == [
            AudioFileStreamGap(
              .damage, byteOffset: Int64(tag.count), byteCount: Int64(lost))
          ], "\(name)")
        #expect(outcome(bytes, .pieces(1)) == outcome(bytes, .whole), "\(name)")
      }
    }
  }

  @Test("Foreign bytes, or frames of another format, before the first frame are no loss")
  func foreign() {
    let mono = SyntheticFrame(bitRateIndex: 5, mode: 3, byteCount: 208).bytes(seed: 1)
    let other = SyntheticADTS(rateIndex: 3).bytes(seed: 1)
    let joinedMidway = Array(SyntheticFrame.stream(1).dropFirst(100))
    for (start, rest) in [
      (garbage(900), SyntheticFrame.stream(5)), (garbage(900), SyntheticADTS.stream(5)),
      (mono + garbage(9), SyntheticFrame.stream(5)), (other + garbage(9), SyntheticADTS.stream(5)),
      (joinedMidway, SyntheticFrame.stream(5)),
    ] {
      let (recorder, error) = parse(start + rest)
      #expect(error == nil)
      #expect(recorder.packetCount == 5)
      #expect(
        recorder.gaps == [
          AudioFileStreamGap(.foreignBytes, byteOffset: 0, byteCount: Int64(start.count))
        ])
    }
  }
}
