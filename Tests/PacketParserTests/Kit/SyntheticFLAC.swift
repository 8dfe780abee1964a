// SPDX-License-Identifier: MIT

import TestKit

/// FLAC of one channel of 16 bits at 44.1 kHz, whose frames store their samples uncompressed.
struct SyntheticFLAC {
  var blockSizes = [64, 64, 64, 64, 64]
  /// Whether frames are numbered by their first sample instead of by frame.
  var isVariable = false
  var firstNumber = 0
  var totalFrames: Int?
  /// Metadata blocks behind the stream information.
  var blocks: [(type: UInt8, content: [UInt8])] = []

  var metadata: [UInt8] {
    // The last block does not count for the minimum, unless it is the only one.
    let minimum = blockSizes.dropLast().min() ?? blockSizes[0]
    let maximum = blockSizes.max()!
    let total = totalFrames ?? blockSizes.reduce(0, +)
    var bytes: [UInt8] = [UInt8]("fLaC".utf8) + [blocks.isEmpty ? 0x80 : 0, 0, 0, 34]
    bytes += bigEndian(minimum, 2) + bigEndian(maximum, 2) + bigEndian(0, 6)
    bytes += [0x0A, 0xC4, 0x40, 0xF0] + bigEndian(total, 4) + bigEndian(0, 16)
    for (index, block) in blocks.enumerated() {
      bytes += [index == blocks.count - 1 ? 0x80 | block.type : block.type]
      bytes += bigEndian(block.content.count, 3) + block.content
    }
    return bytes
  }

  var frames: [[UInt8]] {
    var sample = 0
    return blockSizes.enumerated().map { index, size in
      defer { sample += size }
      return frame(number: firstNumber + (isVariable ? sample : index), blockSize: size)
    }
  }

  var bytes: [UInt8] { metadata + frames.flatMap { $0 } }

  func frame(number: Int, blockSize: Int) -> [UInt8] {
    var bytes: [UInt8] = [0xFF, isVariable ? 0xF9 : 0xF8, 0x79, 0x08]
    if number < 0x80 {
      bytes.append(UInt8(number))
    } else if number < 0x800 {
      bytes += [0xC0 | UInt8(number >> 6), 0x80 | UInt8(number & 0x3F)]
    } else {
      bytes += [
        0xE0 | UInt8(number >> 12), 0x80 | UInt8(number >> 6 & 0x3F), 0x80 | UInt8(number & 0x3F),
      ]
    }
    bytes += bigEndian(blockSize - 1, 2)
    bytes.append(UInt8(Self.crc(bytes, bits: 8, polynomial: 0x07)))
    var random = SplitMix(state: UInt64(number))
    bytes.append(0x02)
    for _ in 0..<blockSize { bytes += bigEndian(Int(random.next() % 2000), 2) }
    return bytes + bigEndian(Int(Self.crc(bytes, bits: 16, polynomial: 0x8005)), 2)
  }

  /// The remainder, most significant bit first, from zero.
  static func crc(_ bytes: some Sequence<UInt8>, bits: UInt32, polynomial: UInt32) -> UInt32 {
    var crc: UInt32 = 0
    for byte in bytes {
      crc ^= UInt32(byte) << (bits - 8)
      for _ in 0..<8 {
        let carry = crc >> (bits - 1) & 1
        crc = crc << 1 ^ (carry == 1 ? polynomial : 0)
      }
      if bits < 32 { crc &= 1 << bits - 1 }
    }
    return crc
  }
}
