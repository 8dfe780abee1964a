// SPDX-License-Identifier: MIT

import AudioModel
import Testing

@testable import PacketParser

@Suite struct MPEGAudioHeaderTests {
  @Test("Every legal header has the frame size of the standard's formula, also when locked")
  func frameSizes() throws {
    var legal = 0
    for word in stride(from: UInt32(0xFFE0_0000), through: 0xFFFF_FE00, by: 0x200) {
      let isLegal =
        (word >> 19) & 3 != 1 && (word >> 17) & 3 != 0 && (word >> 12) & 15 != 15
        && (word >> 10) & 3 != 3
      guard let header = MPEGAudioHeader(word) else {
        #expect(!isLegal)
        continue
      }
      legal += 1
      #expect(isLegal)
      guard let bytes = header.frameBytes else {
        #expect(header.isFreeFormat)
        continue
      }
      let slots = header.framesPerPacket / 8 / header.slotBytes * header.bitRate / header.sampleRate
      #expect(bytes == (slots + (header.isPadded ? 1 : 0)) * header.slotBytes)
      let lock = MPEGAudioFormatLock(header, freeFormatFrameByteCount: nil)
      #expect(lock.frameBytes(word) == bytes)
      #expect(lock.frameByteUpperBound > bytes)
      #expect(lock.frameBytes(word ^ 0x400) == 0 || (word >> 10) & 3 == 2)
      #expect(lock.frameBytes(word | 0xC0) == 0, "mono does not belong to a stereo stream")
      #expect(lock.frameBytes(word & ~0xF000) == 0, "nor does free format")
    }
    #expect(legal == 3 * 3 * 2 * 15 * 3 * 2)
  }

  @Test("Known frames have their known sizes")
  func knownSizes() {
    let known: [(UInt32, Int)] = [
      (0xFFFB_9000, 417), (0xFFFB_9200, 418), (0xFFFB_E000, 1044), (0xFFF3_4000, 104),
      (0xFFE3_1400, 48), (0xFFFD_A000, 626), (0xFFFF_C400, 384), (0xFFFB_1800, 144),
    ]
    for (word, size) in known { #expect(MPEGAudioHeader(word)?.frameBytes == size) }
  }

  @Test("A position by constant bit rate is exact only when no other phase fits")
  func phases() throws {
    let header = try #require(MPEGAudioHeader(0xFFFB_9000))
    for phase in [0, 1, 20_000, 44_099] {
      var map = try #require(ConstantBitRateMap(header))
      var places: [Int64] = [0]
      for index in 0..<400 {
        let isPadded =
          ((index + 1) * 42_300 + phase) / 44_100 > (index * 42_300 + phase) / 44_100
        map.add(bitRateIndex: 9, isPadded: isPadded)
        places.append(places[index] + (isPadded ? 418 : 417))
        #expect(map.holds)
        let here = map.byteOffset(packet: Int64(index + 1))
        #expect(here.bytes == places[index + 1])
        #expect(here.isExact, "the place of the next packet is always known")
      }
      for (index, place) in places.enumerated() {
        #expect(map.byteOffset(packet: Int64(index)) == (place, true))
      }
    }
  }
}
