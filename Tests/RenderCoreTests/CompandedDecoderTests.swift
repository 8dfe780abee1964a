// SPDX-License-Identifier: MIT

import AudioModel
import Testing

@testable import RenderCore

@Suite("A-law and mu-law decoder")
struct CompandedDecoderTests {
  private func values(_ encoding: AudioFormatID, _ codes: [UInt8]) throws -> [Float] {
    let format = AudioStreamBasicDescription.constant(encoding, channels: 1, bytes: 1, frames: 1)
    return try decode(format, [codes], frames: codes.count)[0].samples.map { $0 * 32768 }
  }

  @Test("Extremes and the smallest steps are G.711's")
  func extremes() throws {
    #expect(
      try values(.aLaw, [0xAA, 0x2A, 0xD5, 0x55, 0xD4, 0x54])
        == [32256, -32256, 8, -8, 24, -24])
    #expect(
      try values(.muLaw, [0x80, 0x00, 0xFF, 0x7F, 0xFE, 0x7E]) == [32124, -32124, 0, 0, 8, -8])
  }

  @Test("Every code has its mirror, and magnitudes rise code by code")
  func order() throws {
    let aLaw = try values(.aLaw, (0..<128).map { UInt8($0 | 0x80) ^ 0x55 })
    let muLaw = try values(.muLaw, (0..<128).map { ~UInt8($0) })
    let mirrored = try values(.aLaw, (0..<128).map { UInt8($0) ^ 0x55 })
    #expect(aLaw == mirrored.map { -$0 })
    #expect(try values(.muLaw, (0..<128).map { ~UInt8($0 | 0x80) }) == muLaw.map { -$0 })
    for magnitudes in [aLaw, muLaw] {
      #expect(zip(magnitudes, magnitudes.dropFirst()).allSatisfy { $0 < $1 })
    }
  }

  @Test("Channels are interleaved, and only whole frames and at most one run are decoded")
  func frames() throws {
    let format = AudioStreamBasicDescription.constant(.muLaw, channels: 3, bytes: 3, frames: 1)
    let short: [UInt8] = [0x80, 0, 0xFF, 0xFF, 0]
    let long = [UInt8](repeating: 0, count: 9000)
    let packets = try decode(format, [short, long], frames: 3000)
    let first: [Float] = [32124 / 32768, -32124 / 32768, 0]
    #expect(packets[0].samples == first)
    #expect(packets[1].samples.count == 3 * 1024)
  }

  @Test("Packets of another size are refused")
  func refused() {
    for (bytes, frames) in [(UInt32(1), UInt32(1)), (4, 2), (2, 0), (0, 1)] {
      #expect(throws: AudioConverterError.self) {
        _ = try decode(
          .constant(.aLaw, channels: 2, bytes: bytes, frames: frames), [], frames: 1)
      }
    }
  }
}
