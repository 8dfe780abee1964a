// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser

/// Reads the input as a plan: ADTS frames with chosen headers, tags, garbage, MPEG audio and cuts, in
/// any order. This reaches legal streams with flaws, not only noise.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzADTS(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let plan = unsafe [UInt8](UnsafeBufferPointer(start: data, count: count))
  guard plan.count > 4 else { return 0 }
  var random = FuzzRandom(state: UInt64(plan[0]) << 8 | UInt64(plan[1]))
  var stream: [UInt8] = []
  var place = 3
  func take(_ count: Int) -> [UInt8] {
    let taken = plan[min(place, plan.count)..<min(plan.count, place + count)]
    place += count
    return Array(taken)
  }
  /// Adds bytes without FF, because accidental syncs would spend most of the time on the search for MPEG audio.
  func fill(_ count: Int) {
    for _ in 0..<max(0, count) { stream.append(UInt8(random.next(255))) }
  }
  // Seven of eight inputs begin with ADTS; the others are short, because the search for MPEG audio of
  // free format is slow.
  let isSearched = plan[2] < 32
  if !isSearched {
    for _ in 0..<3 { stream += [0xFF, 0xF1, 0x50, 0x80, 0x01, 0x7F, 0xFC, 1, 2, 3, 4] }
  }
  while place < plan.count, stream.count < (isSearched ? 500 : 1500) {
    let order = take(1)[0]
    switch order & 7 {
    case 0, 1, 2:
      // Some frames with the same header except for their lengths, the first with content of the plan.
      let header = take(4)
      guard header.count == 4 else { break }
      for index in 0..<Int(order >> 5) + 1 {
        let byteCount = 9 + Int(header[3] >> 2) + index * Int(header[3] & 1) * 5
        stream += [0xFF, 0xF0 | header[0] & 0x0F, header[1]]
        stream.append(header[2] & 0xFC | UInt8(byteCount >> 11))
        stream.append(UInt8(byteCount >> 3 & 0xFF))
        stream.append(UInt8(byteCount & 7) << 5 | 0x1F)
        stream.append(0xFC | (order & 8 != 0 ? header[0] >> 4 & 3 : 0))
        let content = index == 0 && order & 16 != 0 ? take(min(20, byteCount - 7)) : []
        stream += content
        fill(byteCount - 7 - content.count)
      }
    case 3: stream += take(Int(order >> 3))
    case 4:
      stream += [UInt8]("ID3".utf8) + [4, 0, 0, 0, 0, order >> 6, order >> 1 & 0x7F]
      fill(Int(order >> 3))
    case 5:
      let words = ["TAG", "APETAGEX", "LYRICSBEGIN", "ID3"]
      stream += [UInt8](words[Int(order >> 3) & 3].utf8)
    case 6: stream.removeLast(min(stream.count, Int(order >> 3)))
    default:
      // MPEG layer III at 64 kbit/s and 48 kHz, for the change of the parser.
      for _ in 0..<Int(order >> 6) + 1 {
        stream += [0xFF, 0xFB, 0x54, 0xC0]
        fill(188)
      }
    }
  }
  fuzzSlicing(stream, hint: fuzzHint(plan[2]), seed: UInt64(plan[0]))
  seekAbout(stream, hint: fuzzHint(plan[2]), packet: Int64(plan[1] & 15))
  return 0
}

/// Seeks to a packet in or near the parsed half and to one further on, and parses from there.
private func seekAbout(_ input: [UInt8], hint: AudioFileTypeID?, packet: Int64) {
  var stream = AudioFileStream(hint: hint)
  var listener = FuzzListener(input: input)
  let half = input.count / 2
  do throws(AudioFileStreamError) {
    try stream.parse(input.span.extracting(0..<half), listener: &listener)
    for wanted in [packet, packet * 9] {
      guard let target = try? stream.seek(toPacket: wanted) else { continue }
      if try stream.fileFormat == .aacADTS { precondition(target.errorBoundInPackets != nil) }
      listener.restart()
      let place = min(input.count, Int(clamping: stream.nextByteOffset))
      try stream.parse(input.span.extracting(place..<input.count), listener: &listener)
    }
    try stream.finish(listener: &listener)
  } catch {
    precondition(!error.message.isEmpty)
  }
}
