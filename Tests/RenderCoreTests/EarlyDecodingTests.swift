// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import RenderCore

@Suite("Decoding early")
struct EarlyDecodingTests {
  private let stream = ParsedStream(Fixtures.path("mp3-cbr128-44100-2.mp3"))

  @Test("No cycle both decodes a packet and resamples a block", arguments: [32, 64, 128, 256])
  func staggered(_ period: Int) throws {
    var pulled = try PulledStream(stream, outputRate: 48000, period: period)
    var (early, late) = (0, 0)
    let packets = 200
    for cycle in 0..<packets * 1152 * 480 / 441 / period {
      let before = pulled.packetCount
      #expect(pulled.pull().count == period)
      // The first blocks need several packets at once.
      if cycle > 4096 / period, pulled.packetCount > before { late += 1 }
      if pulled.decodeEarly() { early += 1 }
    }
    #expect(late == 0)
    #expect(early > packets - 5)
  }

  @Test("It changes no sample, and reads no further ahead than a block", arguments: [64, 1024])
  func same(_ period: Int) throws {
    var early = try PulledStream(stream, outputRate: 48000, period: period)
    var late = try PulledStream(stream, outputRate: 48000, period: period)
    while true {
      let samples = late.pull()
      #expect(early.pull() == samples)
      if samples.count < period { break }
      _ = early.decodeEarly()
      #expect(early.packetCount <= late.packetCount + 1)
    }
    #expect(early.packetCount == late.packetCount)
  }

  @Test("Without resampling, no packet is decoded before it is needed")
  func sameRate() throws {
    var pulled = try PulledStream(stream, outputRate: 44100, period: 64)
    for _ in 0..<1000 {
      _ = pulled.pull()
      let isEarly = pulled.decodeEarly()
      #expect(!isEarly)
    }
  }
}
