// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser

/// Reads the input as a plan: metadata blocks, then frames with right checksums, tags, garbage, jumps
/// of the numbers and cuts, in any order. This reaches legal streams with flaws, not only noise.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFLAC(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var plan = unsafe FLACPlan(bytes: [UInt8](UnsafeBufferPointer(start: data, count: count)))
  guard plan.bytes.count > 12 else { return 0 }
  let stream = plan.stream()
  fuzzSlicing(stream, hint: nil, seed: UInt64(plan.bytes[0]))
  if plan.tellsTheTruth, plan.bytes[1] & 3 == 0 { fuzzSeeking(stream, seed: UInt64(plan.bytes[1])) }
  return 0
}

private struct FLACPlan {
  let bytes: [UInt8]
  /// Whether the stream has no (arbitrary) seek table, and all frames belong to one stream whose numbers jump
  /// only by a loss.
  var tellsTheTruth: Bool { isTrue && !(mayLose && isMixed) }
  private var isTrue = true
  /// Whether there are other bytes than frames, so that frames may be cut or hidden.
  private var mayLose = false
  /// Whether frames that are numbered by block have several lengths, which FLAC does not allow: their numbers
  /// do not show the length of a loss.
  private var isMixed = false
  private var lengths: Set<Bool> = []
  private var place = 10
  private var out: [UInt8] = []
  private var random = FuzzRandom(state: 1)
  private var number = 0
  private var isVariable = false

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  private mutating func take(_ count: Int) -> [UInt8] {
    let start = min(place, bytes.count)
    place = start + count
    return Array(bytes[start..<min(bytes.count, place)])
  }

  mutating func stream() -> [UInt8] {
    random = FuzzRandom(state: UInt64(bytes[0]) << 8 | UInt64(bytes[1]))
    isVariable = bytes[2] & 1 != 0
    let channels = Int(bytes[3] & 7)
    let bits = [15, 23, 7, 15][Int(bytes[3] >> 3 & 3)]
    // Blocks of 192 frames, or of 192 to 576, and with or without a maximum byte count.
    out = [UInt8]("fLaC".utf8) + [0x00, 0, 0, 34, 0, 192]
    out += bytes[2] & 2 != 0 ? [0, 192] : [2, 64]
    out += [0, 0, 0, 0, bytes[4] >> 6, bytes[4] & 0x3F]
    out += [0x0A, 0xC4, 0x40 | UInt8(channels << 1) | UInt8(bits >> 4), UInt8(bits & 15) << 4]
    out += [0, 0, bytes[5] >> 3, bytes[6]]
    out += [UInt8](repeating: 0, count: 16)
    if bytes[7] & 0xF0 == 0xF0 { out[8 + Int(bytes[7] & 15)] = bytes[8] }
    for _ in 0..<Int(bytes[9] & 3) { addBlock() }
    out += [0x81, 0, 0, 2, 0, 0]
    while place < bytes.count, out.count < 2000 { addPart(channels) }
    return out
  }

  private mutating func addBlock() {
    let header = take(2)
    guard header.count == 2 else { return }
    let type = [1, 3, 4, 6, 5, 2, 4, 6][Int(header[0] & 7)]
    var content = take(Int(header[1] & 0x7F))
    switch type {
    case 3: isTrue = false
    case 4 where header[0] & 8 != 0:
      let names = [
        "TITLE=", "metadata_block_picture=", "=", "WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0x",
      ]
      let name = [UInt8](names[Int(header[0] >> 4 & 3)].utf8)
      let text = name + content
      content = [0, 0, 0, 0, 1, 0, 0, 0, UInt8(truncatingIfNeeded: text.count), 0, 0, 0] + text
    case 6 where header[0] & 8 != 0:
      content =
        [0, 0, 0, 3, 0, 0, 0, 1, 0x61, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 16) + content
    default: break
    }
    let size = header[1] & 0x80 != 0 ? content.count + 1 : content.count
    out += [UInt8(type), 0, UInt8(size >> 8), UInt8(size & 0xFF)] + content
  }

  private mutating func addPart(_ channels: Int) {
    let order = take(1)[0]
    mayLose = mayLose || 4...6 ~= order & 7
    switch order & 7 {
    case 0, 1, 2, 3: for _ in 0...Int(order >> 5) { addFrame(order, channels) }
    case 4:
      out += take(Int(order >> 3))
      // Zeros keep a checksum of 0, so the end of the frame before them depends on its own bits, which are noise here.
      if out.suffix(2) == [0, 0] { isTrue = false }
    case 5:
      let words = ["TAG", "APETAGEX", "ID3\u{4}\0\0\0\0\0\u{2}", "fLaC", "LYRICSBEGIN", "3DI"]
      out += [UInt8](words[Int(order >> 3) % words.count].utf8)
    case 6:
      if order & 8 != 0 { out.removeLast(min(out.count, Int(order >> 4))) }
      if order & 16 != 0 {
        number += Int(order >> 5)
        isTrue = false
      }
    default:
      isTrue = false
      number = Int(order >> 3) << (order & 8 != 0 ? 20 : 0)
      if order & 0x80 != 0 { isVariable.toggle() }
    }
  }

  private mutating func addFrame(_ order: UInt8, _ channels: Int) {
    let isLong = order & 8 != 0
    lengths.insert(isLong)
    isMixed = isMixed || !isVariable && lengths.count > 1
    // A long block is invalid in a stream of short blocks.
    if isLong, bytes[2] & 2 != 0 { isTrue = false }
    var frame: [UInt8] = [0xFF, isVariable ? 0xF9 : 0xF8, isLong ? 0x20 : 0x10]
    frame.append(UInt8(channels == 1 && order & 16 != 0 ? 9 : channels) << 4)
    switch number {
    case ..<0x80: frame.append(UInt8(number))
    case ..<0x800: frame += [0xC0 | UInt8(number >> 6), 0x80 | UInt8(number & 0x3F)]
    default:
      frame += [
        0xF0 | UInt8(number >> 18 & 7), 0x80 | UInt8(number >> 12 & 0x3F),
        0x80 | UInt8(number >> 6 & 0x3F), 0x80 | UInt8(number & 0x3F),
      ]
    }
    number += isVariable ? (isLong ? 576 : 192) : 1
    var crc8: UInt8 = 0
    for byte in frame {
      crc8 ^= byte
      for _ in 0..<8 { crc8 = crc8 << 1 ^ (crc8 >> 7 &* 7) }
    }
    frame.append(crc8)
    for _ in 0..<4 + random.next(order & 16 != 0 ? 300 : 12) {
      frame.append(random.next(8) == 0 ? 0xFF : UInt8(random.next(256)))
    }
    var crc16: UInt16 = 0
    for byte in frame {
      crc16 ^= UInt16(byte) << 8
      for _ in 0..<8 { crc16 = crc16 << 1 ^ (crc16 >> 15 &* 0x8005) }
    }
    out += frame + [UInt8(crc16 >> 8), UInt8(crc16 & 0xFF)]
  }
}
