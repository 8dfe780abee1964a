// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser

/// Reads the input as a plan: chunks of a Core Audio Format file with sizes that are mostly right,
/// tables that mostly fit, in any order.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCoreAudioFormat(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let plan = unsafe [UInt8](UnsafeBufferPointer(start: data, count: count))
  guard plan.count > 4 else { return 0 }
  var stream = [UInt8]("caff".utf8) + [0, 1, 0, 0]
  var place = 2
  func take(_ count: Int) -> [UInt8] {
    let taken = plan[min(place, plan.count)..<min(plan.count, place + count)]
    place += count
    return Array(taken)
  }
  func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * (byteCount - 1 - $0))) }
  }
  let names = ["desc", "pakt", "data", "kuki", "chan", "info", "free", "pakt"]
  while place < plan.count, stream.count < 10_000 {
    let order = take(1)[0]
    let name = names[Int(order & 7)]
    var content = take(Int(take(1).first ?? 0) >> (order & 16 == 0 ? 2 : 0))
    switch name {
    case "desc" where order & 8 == 0:
      // A legal description: linear PCM, or an encoding with packets of any kind.
      let kind = take(4) + [0, 0, 0, 0]
      let isPCM = kind[0] & 1 == 0
      let formats = ["alac", "aac ", "aach", "ima4"]
      content =
        number(0x40E5_8880_0000_0000, 8)
        + [UInt8]((isPCM ? "lpcm" : formats[Int(kind[0] >> 1 & 3)]).utf8)
        + number(isPCM ? 2 : 0, 4) + number(isPCM ? 4 : Int(kind[1] & 7), 4)
        + number(isPCM ? 1 : Int(kind[2] & 3) << 8, 4) + number(2, 4) + number(isPCM ? 16 : 0, 4)
    case "pakt" where order & 8 == 0:
      let packets = content.count { $0 < 0x80 }
      content = number(packets, 8) + number(packets * 100, 8) + number(3, 8) + content
    case "data": content = [0, 0, 0, 0] + content
    default: break
    }
    var size = content.count
    switch order >> 5 {
    case 6: size = -1
    case 7: size += Int(order & 24) - 12
    default: break
    }
    stream += [UInt8](name.utf8) + number(size, 8) + content
  }
  fuzzSlicing(stream, hint: fuzzHint(plan[1]), seed: UInt64(plan[0]))
  let whole = readFromAnywhere(stream) { _ in stream.count }
  var random = FuzzRandom(state: UInt64(plan[1]))
  let sliced = readFromAnywhere(stream) { _ in 1 + random.next(60) }
  precondition(whole == sliced, "the slicing shows")
  return 0
}

/// Parses an input that can be read from any byte offset, and then seeks to some packets.
private func readFromAnywhere(_ input: [UInt8], _ size: (Int) -> Int) -> [Int64] {
  var options = AudioFileStreamOptions()
  options.canReposition = true
  var stream = AudioFileStream(options: options)
  var listener = FuzzListener(input: input)
  func readOn() throws(AudioFileStreamError) {
    while !stream.isFinished {
      let place = Int(clamping: stream.nextByteOffset)
      guard place < input.count else {
        try stream.finish(listener: &listener)
        continue
      }
      let end = min(input.count, place + size(place))
      try stream.parse(input.span.extracting(place..<end), listener: &listener)
    }
  }
  do throws(AudioFileStreamError) {
    try readOn()
    for packet in [0, 3, 70] {
      guard let target = try? stream.seek(toPacket: Int64(packet)) else { continue }
      precondition(!target.isEstimated && target.leadingPacketCount == 0)
      let byte = try stream.packet(containingByte: target.byteOffset)
      precondition(byte.packet == Int64(packet) && byte.byteOffsetInPacket == 0)
      listener.restart()
      listener.digest.append(target.byteOffset)
      let place = min(input.count, Int(clamping: stream.nextByteOffset))
      try stream.parse(
        input.span.extracting(place..<min(input.count, place + 1)), listener: &listener)
      try readOn()
    }
  } catch {
    listener.digest += [-2, Int64(error.code.fourCharacterCode.rawValue), error.byteOffset]
  }
  return listener.digest
}
