// SPDX-License-Identifier: MIT

import AudioModel
import Testing

@testable import RenderCore

@Suite("ADPCM decoders")
struct ADPCMDecoderTests {
  private static let ima4 = AudioStreamBasicDescription.constant(
    .appleIMA4, channels: 1, bytes: 34, frames: 64)

  /// Returns a packet of IMA 4:1 in which all codes are equal.
  private func ima4(_ preamble: UInt16, code: UInt8) -> [UInt8] {
    [UInt8(preamble >> 8), UInt8(preamble & 0xFF)] + .init(repeating: code << 4 | code, count: 32)
  }

  private func words(_ values: Int16...) -> [UInt8] {
    values.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
  }

  @Test("IMA 4:1 decodes the low half of a byte first, with the recommendation's step sizes")
  func steps() throws {
    // Step 7: code 7 is 0 + 7 + 3 + 1 and goes to the step of 16: code 8 is -16/8.
    let packet = [UInt8(0x01), 0x00, 0x87] + [UInt8](repeating: 0, count: 31)
    let samples = try decode(Self.ima4, [packet], frames: 64)[0].samples
    #expect(samples.prefix(2).map { $0 * 32768 } == [267, 265])
    #expect(samples.count == 64)
  }

  @Test("IMA 4:1 stops at both ends of 16 bits")
  func clamped() throws {
    let packets = try decode(
      Self.ima4, [ima4(0x7F80 | 88, code: 7), ima4(0x8000 | 88, code: 15)], frames: 64)
    #expect(packets[0].samples.allSatisfy { $0 == 32767.0 / 32768 })
    #expect(packets[1].samples.allSatisfy { $0 == -1 })
    #expect(packets.allSatisfy { $0.isDecoded })
  }

  @Test("A preamble equal to the previous packet's rounded end keeps the full predictor")
  func carried() throws {
    // Sixty-four times code 0 from step 7 adds nothing but leaves the step index at 0.
    let first = [UInt8(0x01), 0x00, 0x07] + [UInt8](repeating: 0, count: 31)
    let packets = try decode(
      Self.ima4, [first, ima4(0x0100, code: 0), ima4(0x0180, code: 0), ima4(0x0400, code: 0)],
      frames: 64)
    let end = packets[0].samples[63] * 32768
    #expect(end > 256 && end < 384)
    #expect(packets[1].samples[0] * 32768 == end)
    #expect(packets[2].samples[0] * 32768 == end)
    #expect(packets[3].samples[0] * 32768 == 1024)
  }

  @Test("IMA 4:1 stores one channel after the other, and a run holds several packets")
  func run() throws {
    let format = AudioStreamBasicDescription.constant(
      .appleIMA4, channels: 2, bytes: 68, frames: 64)
    let packet = ima4(0x1000, code: 0) + ima4(0x2000, code: 0)
    let run = packet + ima4(0x3000, code: 0) + ima4(0x4000, code: 0)
    let samples = try decode(format, [run], frames: 128)[0].samples.map { $0 * 32768 }
    #expect(samples.count == 256)
    #expect(Array(samples[0..<2]) == [0x1000, 0x2000])
    #expect(Array(samples[128..<130]) == [0x3000, 0x4000])
  }

  @Test("An impossible step index yields silence of the packet's length and is reported")
  func badIndex() throws {
    let packets = try decode(
      Self.ima4, [ima4(0x4000, code: 3), ima4(0x4000 | 89, code: 3), ima4(0x4000, code: 3)],
      frames: 64)
    #expect(packets.map(\.isDecoded) == [true, false, true])
    #expect(packets[1].samples == .init(repeating: 0, count: 64))
    let format = AudioStreamBasicDescription.constant(
      .waveIMAADPCM, channels: 1, bytes: 8, frames: 9)
    for index in [Int16(89), -1, .min, .max] {
      let block = words(100, index) + [0x77, 0x77, 0x77, 0x77]
      let packet = try decode(format, [block], frames: 9)[0]
      #expect(!packet.isDecoded)
      #expect(packet.samples == .init(repeating: 0, count: 9))
    }
  }

  @Test("WAVE's IMA begins with the header's sample and alternates eight codes of each channel")
  func waveIMA() throws {
    let format = AudioStreamBasicDescription.constant(
      .waveIMAADPCM, channels: 2, bytes: 16, frames: 9)
    let block = words(1000, 88, -1000, 88) + [7, 0, 0, 0] + [15, 0, 0, 0]
    let samples = try decode(format, [block + block], frames: 18)[0].samples.map { $0 * 32768 }
    #expect(samples.count == 36)
    #expect(Array(samples[0..<4]) == [1000, -1000, 32767, -32768])
    #expect(Array(samples[18..<22]) == [1000, -1000, 32767, -32768])
  }

  @Test("Microsoft's ADPCM has the second sample before the first, and the high half first")
  func microsoft() throws {
    let format = AudioStreamBasicDescription.constant(
      .microsoftADPCM, channels: 1, bytes: 9, frames: 6)
    // Pair 1 is a straight line: 2 · 30 - 10 = 50, and one step of 16.
    let rest: [UInt8] = words(16, 30, 10) + [0x10, 0xF0]
    let samples = try decode(format, [[1] + rest], frames: 6)[0].samples.map { $0 * 32768 }
    #expect(samples == [10, 30, 66, 102, 122, 142])
    let loud: [UInt8] = [1] + words(.max, .max, .min) + [0x77, 0x88]
    let clipped: [Float] = [-1, 32767 / 32768, 32767 / 32768, 32767 / 32768]
    #expect(try Array(decode(format, [loud], frames: 6)[0].samples.prefix(4)) == clipped)
    let bad = try decode(format, [[7] + rest], frames: 6)[0]
    #expect(!bad.isDecoded)
    #expect(bad.samples == .init(repeating: 0, count: 6))
  }

  @Test("A short last block yields the frames that it holds, and is reported if it holds none")
  func shortBlock() throws {
    func check(
      _ format: AudioStreamBasicDescription, _ packet: [UInt8],
      _ lengths: [(bytes: Int, frames: Int)]
    ) throws {
      let channels = Int(format.channelsPerFrame)
      let frames = Int(format.framesPerPacket)
      let whole = try decode(format, [packet], frames: frames)[0].samples
      #expect(whole.count == frames * channels)
      for length in lengths {
        let short = try decode(format, [Array(packet.prefix(length.bytes))], frames: frames)[0]
        #expect(short.samples == Array(whole.prefix(length.frames * channels)), "\(length)")
        #expect(short.isDecoded == (length.frames > 0))
        // The short block is the last one of a run.
        let run = packet + packet.prefix(length.bytes)
        let both = try decode(format, [run], frames: 2 * frames)[0].samples
        #expect(both.count == whole.count + length.frames * channels)
      }
    }
    try check(
      .constant(.waveIMAADPCM, channels: 2, bytes: 24, frames: 17),
      words(1000, 8, -1000, 8) + [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
      [(23, 9), (16, 9), (15, 1), (8, 1), (7, 0)])
    try check(
      .constant(.microsoftADPCM, channels: 2, bytes: 18, frames: 6),
      [1, 1] + words(16, 16, 30, 30, 10, 10) + [0x10, 0xF0, 0x12, 0x34],
      [(17, 5), (15, 3), (14, 2), (13, 0)])
    try check(
      .constant(.appleIMA4, channels: 2, bytes: 68, frames: 64),
      ima4(0x1000, code: 3) + ima4(0x2000, code: 5), [(67, 62), (37, 2), (36, 0), (20, 0)])
  }

  @Test("Blocks that cannot hold four bits per sample, or are too large, are refused")
  func refused() {
    let formats: [AudioStreamBasicDescription] = [
      .constant(.appleIMA4, channels: 2, bytes: 34, frames: 64),
      .constant(.appleIMA4, channels: 1, bytes: 34, frames: 0),
      .constant(.waveIMAADPCM, channels: 1, bytes: 3, frames: 1),
      .constant(.waveIMAADPCM, channels: 1, bytes: 256, frames: 506),
      .constant(.waveIMAADPCM, channels: 1, bytes: 256, frames: 404),
      .constant(.waveIMAADPCM, channels: 1, bytes: 256, frames: 0),
      .constant(.waveIMAADPCM, channels: 1, bytes: 32 << 10, frames: 65529),
      .constant(.microsoftADPCM, channels: 3, bytes: 1024, frames: 670),
      .constant(.microsoftADPCM, channels: 1, bytes: 6, frames: 1),
      .constant(.microsoftADPCM, channels: 1, bytes: 0, frames: 0),
    ]
    for format in formats {
      #expect(throws: AudioConverterError.self) { _ = try decode(format, [], frames: 1) }
    }
  }
}
