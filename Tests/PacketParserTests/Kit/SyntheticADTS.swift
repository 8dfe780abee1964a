// SPDX-License-Identifier: MIT

/// An ADTS frame with a legal header and meaningless content, for tests that depend only on the framing.
struct SyntheticADTS {
  var objectType = 2
  var rateIndex = 4
  var channels = 2
  var isMPEG2 = false
  var hasCRC = false
  var blocks = 1
  /// Bytes, header included.
  var byteCount = 60

  /// Frames of different sizes.
  static func stream(_ count: Int, from first: Int = 0, _ frame: Self = Self()) -> [UInt8] {
    (first..<first + count).flatMap { index in
      var frame = frame
      frame.byteCount += index * 7 % 30
      return frame.bytes(seed: index)
    }
  }

  /// Content without FF and without the letters that tags begin with, so that no sync or tag is found in it.
  func bytes(seed: Int, content: [UInt8] = []) -> [UInt8] {
    var header: [UInt8] = [0xFF, 0xF0 | (isMPEG2 ? 8 : 0) | (hasCRC ? 0 : 1)]
    header.append(
      UInt8(objectType - 1) << 6 | UInt8(rateIndex) << 2 | UInt8(channels) >> 2)
    header.append(UInt8(channels & 3) << 6 | UInt8(byteCount >> 11))
    header.append(UInt8(byteCount >> 3 & 0xFF))
    header.append(UInt8(byteCount & 7) << 5 | 0x1F)
    header.append(0xFC | UInt8(blocks - 1))
    let frame = header + content
    return frame + garbage(byteCount - frame.count, seed: UInt64(seed + byteCount))
  }

  /// A program config element at the beginning of a raw data block: front, side and back elements,
  /// each a pair or not, and channels for low frequencies.
  static func programConfig(
    front: [Bool], side: [Bool] = [], back: [Bool] = [], lowFrequency: Int = 0, comment: String = ""
  ) -> [UInt8] {
    var bits = ""
    func put(_ value: Int, _ count: Int) {
      let text = String(value, radix: 2)
      bits += String(repeating: "0", count: count - text.count) + text
    }
    put(5, 3)
    put(0, 4)
    put(1, 2)
    put(4, 4)
    put(front.count, 4)
    put(side.count, 4)
    put(back.count, 4)
    put(lowFrequency, 2)
    put(0, 3)
    put(0, 4)
    put(0, 3)
    for (index, isPair) in (front + side + back).enumerated() {
      put(isPair ? 1 : 0, 1)
      put(index, 4)
    }
    for index in 0..<lowFrequency { put(index, 4) }
    while bits.count % 8 != 0 { bits += "0" }
    put(comment.utf8.count, 8)
    for byte in comment.utf8 { put(Int(byte), 8) }
    let digits = Array(bits.utf8)
    return stride(from: 0, to: digits.count, by: 8).map { start in
      digits[start..<start + 8].reduce(0) { $0 << 1 | ($1 - 0x30) }
    }
  }
}
