// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser

/// Reads the input as a plan: frames with chosen headers, tags, garbage and cuts, in any order. This
/// reaches legal streams with flaws, not only noise.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMPEGAudio(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let plan = unsafe [UInt8](UnsafeBufferPointer(start: data, count: count))
  guard plan.count > 4 else { return 0 }
  var random = FuzzRandom(state: UInt64(plan[0]) << 8 | UInt64(plan[1]))
  var stream: [UInt8] = []
  var place = 3
  func take(_ count: Int) -> [UInt8] {
    let taken = plan[place..<min(plan.count, place + count)]
    place += count
    return Array(taken)
  }
  while place < plan.count, stream.count < 8_000 {
    let order = take(1)[0]
    switch order & 7 {
    case 0, 1, 2:
      // Some frames with the same header except for the padding.
      let header = take(3)
      guard header.count == 3 else { break }
      let padding = header[1] & 2
      let size = frameBytes(0xFF, 0xE0 | header[0], header[1])
      for index in 0..<Int(order >> 5) + 1 {
        let padded = index % 2 == 0 ? header[1] : header[1] ^ 2
        let change = size == 0 ? 0 : (padded & 2 != padding ? (padding == 0 ? 1 : -1) : 0)
        let slot = header[0] & 6 == 6 ? 4 : 1
        stream += [0xFF, 0xE0 | header[0], padded, header[2]]
        let body = (size == 0 ? Int(header[2]) * 2 + 60 : size) + change * slot - 4
        for _ in 0..<max(0, body) { stream.append(UInt8(random.next(256))) }
      }
    case 3: stream += take(Int(order >> 3))
    case 4:
      stream += [UInt8]("ID3".utf8) + [4, 0, 0, 0, 0, order >> 6, order >> 1 & 0x7F]
      for _ in 0..<Int(order >> 3) { stream.append(UInt8(random.next(256))) }
    case 5:
      let words = [
        "TAG", "APETAGEX", "LYRICSBEGIN", "LYRICS200", "LYRICSEND", "Xing", "Info", "VBRI",
      ]
      stream += [UInt8](words[Int(order >> 3) & 7].utf8)
    case 6: stream.removeLast(min(stream.count, Int(order >> 3)))
    default:
      // Overwrite earlier bytes, so that tags lie inside frames.
      let patch = take(4 + Int(order >> 3))
      let start = max(0, stream.count - 400)
      for (index, byte) in patch.enumerated() where start + index < stream.count {
        stream[start + index] = byte
      }
    }
  }
  fuzzSlicing(stream, hint: fuzzHint(plan[2]), seed: UInt64(plan[0]))
  return 0
}

/// The size in bytes of the frame with this header, by the formula of ISO/IEC 11172-3 section 2.4.3.1;
/// 0 for free format and for an invalid header.
private func frameBytes(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Int {
  let version = Int(second >> 3 & 3)
  let layer = 4 - Int(second >> 1 & 3)
  let index = Int(third >> 4)
  guard version != 1, layer != 4, index != 15, index != 0, third >> 2 & 3 != 3 else { return 0 }
  let tables = [
    [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ]
  let table = version == 3 ? layer - 1 : layer == 1 ? 3 : 4
  let rate = [44_100, 48_000, 32_000][Int(third >> 2 & 3)] / [4, 1, 2, 1][version]
  let padding = Int(third >> 1 & 1)
  if layer == 1 { return (12_000 * tables[table][index] / rate + padding) * 4 }
  let factor = layer == 3 && version != 3 ? 72_000 : 144_000
  return factor * tables[table][index] / rate + padding
}
