// SPDX-License-Identifier: MIT

import AudioModel
import Testing

@testable import PlayerEngine

@Suite("Edge trimming")
struct EdgeTrimmingTests {
  /// Returns the frames that remain of packets.
  private func sounding(_ trimming: EdgeTrimming, packets: Int64, frames: Int32) -> Int64 {
    (0..<packets).reduce(0) { sum, packet in
      let trims = trimming.trims(firstFrame: packet * Int64(frames), frameCount: frames)
      #expect(trims.start >= 0 && trims.end >= 0 && trims.start + trims.end <= frames)
      return sum + Int64(frames - trims.start - trims.end)
    }
  }

  @Test("Without a packet table nothing is cut")
  func none() {
    #expect(EdgeTrimming(nil, format: .mpegLayer3, fileFormat: .mpegLayer3) == .none)
    #expect(sounding(.none, packets: 3, frames: 1152) == 3456)
  }

  @Test("LAME's delay and padding leave exactly the valid frames")
  func lame() {
    let table = AudioFilePacketTableInfo(
      numberValidFrames: 10 * 1152 - 576 - 1000, primingFrames: 576, remainderFrames: 1000)
    let trimming = EdgeTrimming(table, format: .mpegLayer3, fileFormat: .mpegLayer3)
    #expect(trimming.firstFrame == 1105)
    #expect(sounding(trimming, packets: 10, frames: 1152) == table.numberValidFrames)
  }

  @Test("A delay of several packets cuts them whole")
  func longDelay() {
    let table = AudioFilePacketTableInfo(
      numberValidFrames: 10 * 1152 - 3000 - 529, primingFrames: 3000, remainderFrames: 529)
    let trimming = EdgeTrimming(table, format: .mpegLayer3, fileFormat: .mpegLayer3)
    #expect(trimming.trims(firstFrame: 0, frameCount: 1152) == (1152, 0))
    #expect(sounding(trimming, packets: 10, frames: 1152) == table.numberValidFrames)
  }

  @Test("Padding shorter than the decoder's delay ends the sound with the last packet")
  func shortPadding() {
    let table = AudioFilePacketTableInfo(
      numberValidFrames: 10 * 1152 - 576 - 100, primingFrames: 576, remainderFrames: 100)
    let trimming = EdgeTrimming(table, format: .mpegLayer3, fileFormat: .mpegLayer3)
    #expect(sounding(trimming, packets: 10, frames: 1152) == 10 * 1152 - 576 - 529)
  }

  @Test("Packets beyond those of the table are sound")
  func beyondTheTable() {
    let table = AudioFilePacketTableInfo(
      numberValidFrames: 10 * 1152 - 576 - 1000, primingFrames: 576, remainderFrames: 1000)
    let trimming = EdgeTrimming(table, format: .mpegLayer3, fileFormat: .mpegLayer3)
    #expect(trimming.trims(firstFrame: 10 * 1152, frameCount: 1152) == (0, 0))
    #expect(
      sounding(trimming, packets: 15, frames: 1152) == table.numberValidFrames + 5 * 1152)
  }

  @Test("The decoder's delay is added if the table is the MPEG stream's own, and only then")
  func tableOwners() {
    let table = AudioFilePacketTableInfo(
      numberValidFrames: 10 * 1152 - 1105 - 1000, primingFrames: 1105, remainderFrames: 1000)
    for fileFormat: AudioFileTypeID in [.mpegLayer3, .wave, .rf64, .bw64, .wave64] {
      let trimming = EdgeTrimming(table, format: .mpegLayer3, fileFormat: fileFormat)
      #expect(trimming.firstFrame == 1105 + 529, "\(fileFormat)")
    }
    for fileFormat: AudioFileTypeID in [.m4a, .mpeg4, .caf, .aifc] {
      let trimming = EdgeTrimming(table, format: .mpegLayer3, fileFormat: fileFormat)
      #expect(trimming.firstFrame == 1105, "\(fileFormat)")
      #expect(sounding(trimming, packets: 10, frames: 1152) == table.numberValidFrames)
    }
    #expect(EdgeTrimming(table, format: .mpeg4AAC, fileFormat: .wave).firstFrame == 1105)
  }

  @Test("A table with impossible numbers cuts without overflow")
  func hostile() {
    for frames in [Int64.max, Int64.min, -1, 0] {
      let table = AudioFilePacketTableInfo(
        numberValidFrames: frames, primingFrames: .max, remainderFrames: .max)
      let trimming = EdgeTrimming(table, format: .mpegLayer3, fileFormat: .mpegLayer3)
      #expect(trimming.trims(firstFrame: 0, frameCount: 1152) == (1152, 0))
      #expect((trimming.paddingFrames(beforeSound: frames)) >= 0)
    }
  }
}
