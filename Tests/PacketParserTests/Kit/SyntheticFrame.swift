// SPDX-License-Identifier: MIT

import TestKit

/// A frame with a legal header and meaningless content, for tests that depend only on the framing.
struct SyntheticFrame {
  /// 3 is MPEG 1, 2 is MPEG 2, 0 is MPEG 2.5.
  var version = 3
  /// 3 is layer I, 2 is layer II, 1 is layer III.
  var layer = 1
  var bitRateIndex = 9
  var rateIndex = 0
  var isPadded = false
  /// 0 is stereo, 3 is mono.
  var mode = 0
  /// Bytes, header included.
  var byteCount = 417

  /// 128 kbit/s at 44.1 kHz, as encoders write it: padded often enough to keep the rate.
  static func stream(_ count: Int, from first: Int = 0) -> [UInt8] {
    (first..<first + count).flatMap { index in
      let isPadded = (index + 1) * 42300 / 44100 > index * 42300 / 44100
      return SyntheticFrame(isPadded: isPadded, byteCount: isPadded ? 418 : 417).bytes(seed: index)
    }
  }

  var header: UInt32 {
    var word: UInt32 = 0xFFE0_0001
    word |= UInt32(version) << 19 | UInt32(layer) << 17 | UInt32(bitRateIndex) << 12
    return word | UInt32(rateIndex) << 10 | (isPadded ? 0x200 : 0) | UInt32(mode) << 6
  }

  /// Content without FF, so that no sync can be found in it.
  func bytes(seed: Int) -> [UInt8] {
    var random = SplitMix(state: UInt64(seed) &+ UInt64(header))
    var bytes = (0..<4).map { UInt8(truncatingIfNeeded: header >> UInt32(24 - 8 * $0)) }
    while bytes.count < byteCount { bytes.append(UInt8(random.next() % 255)) }
    return bytes
  }
}

/// Bytes with no FF in them, and none of the letters that tags begin with.
func garbage(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var random = SplitMix(state: seed)
  return (0..<count).map { _ in UInt8(0x80 + random.next() % 0x70) }
}

func bigEndian(_ value: Int, _ byteCount: Int) -> [UInt8] {
  (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * (byteCount - 1 - $0))) }
}

func littleEndian(_ value: Int, _ byteCount: Int) -> [UInt8] {
  bigEndian(value, byteCount).reversed()
}

/// Tags around and between frames.
enum SyntheticTag {
  static func id3v2(_ contentBytes: Int, hasFooter: Bool = false, fill: UInt8 = 0x20) -> [UInt8] {
    let version: [UInt8] = [4, 0, hasFooter ? 0x10 : 0]
    let rest = version + SyntheticID3.synchsafe(contentBytes)
    let content = [UInt8](repeating: fill, count: contentBytes)
    let tag = [UInt8]("ID3".utf8) + rest + content
    return hasFooter ? tag + [UInt8]("3DI".utf8) + rest : tag
  }

  static let id3v1 = [UInt8]("TAG".utf8) + [UInt8](repeating: 0x41, count: 125)

  static func apeV2(_ contentBytes: Int) -> [UInt8] {
    func block(_ flags: Int) -> [UInt8] {
      [UInt8]("APETAGEX".utf8) + littleEndian(2000, 4) + littleEndian(contentBytes + 32, 4)
        + littleEndian(1, 4) + littleEndian(flags, 4) + [UInt8](repeating: 0, count: 8)
    }
    return block(0xA000_0000) + [UInt8](repeating: 0x42, count: contentBytes) + block(0x8000_0000)
  }

  static let lyrics3v2: [UInt8] = {
    let content = [UInt8]("LYRICSBEGININD0000200LYR00030[00:01]Let the sound through. ".utf8)
    return content + [UInt8](String("\(1_000_000 + content.count)".dropFirst()).utf8)
      + [UInt8]("LYRICS200".utf8)
  }()

  /// Fraunhofer's tag in a frame of 128 kbit/s at 44.1 kHz.
  static func vbri(
    frames: Int, bytes: Int, entries: [Int], scale: Int = 1, packetsPerEntry: Int
  ) -> [UInt8] {
    var frame = Array(SyntheticFrame().bytes(seed: 0)[..<4]) + [UInt8](repeating: 0, count: 413)
    let content =
      [UInt8]("VBRI".utf8) + bigEndian(1, 2) + bigEndian(0x0E31, 2) + bigEndian(75, 2)
      + bigEndian(bytes, 4) + bigEndian(frames, 4) + bigEndian(entries.count, 2)
      + bigEndian(scale, 2) + bigEndian(2, 2) + bigEndian(packetsPerEntry, 2)
      + entries.flatMap { bigEndian($0, 2) }
    frame.replaceSubrange(36..<36 + content.count, with: content)
    return frame
  }
}
