// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser

/// Reads the input as a plan for a file whose boxes are mostly right, or as the boxes themselves: in one
/// pass, with repositions, and with seeks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMPEG4(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe [UInt8](UnsafeBufferPointer(start: data, count: count))
  guard input.count > 4 else { return 0 }
  let rest = Array(input[3...])
  var plan = MPEG4Plan(rest)
  let stream = input[2] & 7 == 7 ? [0, 0, 0, 8] + [UInt8]("ftyp".utf8) + rest : plan.file()
  if input[2] & 16 == 0 {
    fuzzSlicing(stream, hint: fuzzHint(input[1]), seed: UInt64(input[0]))
    return 0
  }
  let knowsLength = input[2] & 8 == 0
  let seed = UInt64(input[1])
  let whole = readFromAnywhere(stream, knowsLength: knowsLength, seed: seed) { _ in stream.count }
  var random = FuzzRandom(state: UInt64(input[1]))
  let longest = max(60, stream.count / 200)
  let sliced = readFromAnywhere(stream, knowsLength: knowsLength, seed: seed) { _ in
    1 + random.next(longest)
  }
  guard whole == sliced else {
    let place = zip(whole, sliced).prefix { $0 == $1 }.count
    fatalError(
      "read from anywhere, the slicing shows from the digest's place \(place) on: "
        + "\(whole.dropFirst(place).prefix(8)) whole, \(sliced.dropFirst(place).prefix(8)) sliced")
  }
  return 0
}

/// Parses an input that can be read from any byte offset, and then seeks to some packets.
private func readFromAnywhere(
  _ input: [UInt8], knowsLength: Bool, seed: UInt64, _ size: (Int) -> Int
) -> [Int64] {
  var options = AudioFileStreamOptions()
  options.canReposition = true
  options.pictureByteLimit = 20
  var stream = AudioFileStream(options: options)
  if knowsLength { stream.tell(totalByteCount: Int64(input.count)) }
  var listener = FuzzListener(input: input)
  var end = 0
  // The limit of reads: every byte at most once, and one jump for each chunk and box.
  var left = 2 * input.count + 1000
  func readOn() throws(AudioFileStreamError) {
    while !stream.isFinished {
      left -= 1
      guard left > 0 else { fatalError("the parser goes to and fro without end") }
      let place = Int(clamping: stream.nextByteOffset)
      if place < end { listener.isElsewhere() }
      guard place < input.count else {
        // A reader that repositions learns the length at the end.
        stream.tell(totalByteCount: Int64(input.count))
        try stream.finish(listener: &listener)
        continue
      }
      end = min(input.count, place + size(place))
      try stream.parse(input.span.extracting(place..<end), listener: &listener)
    }
  }
  var random = FuzzRandom(state: seed)
  let hasFragments = input.indices.contains { input[$0...].starts(with: "moof".utf8) }
  do throws(AudioFileStreamError) {
    try readOn()
    for _ in 0..<4 {
      let packet = Int64(random.next(40))
      guard let target = try? stream.seek(toPacket: packet) else { continue }
      precondition(target.byteOffset >= 0 && target.packet == packet)
      _ = try? stream.firstFrame(ofPacket: packet)
      _ = try? stream.packet(containingFrame: packet * 700)
      // A seek to a fragment uses the fragment's byte offset, which a flawed index may also assign to a packet.
      if !hasFragments, !target.isEstimated,
        let found = try? stream.packet(containingByte: target.byteOffset), !found.isEstimated
      {
        // An empty packet has the byte offset of the next one.
        let following = found.packet > packet ? try? stream.seek(toPacket: found.packet) : target
        guard found.packet >= packet, found.byteOffsetInPacket == 0,
          following?.byteOffset == target.byteOffset
        else {
          fatalError("packet \(packet) is sought at \(target), where \(found) is")
        }
        _ = try? stream.seek(toPacket: packet)
      }
      listener.restart()
      listener.digest.append(target.byteOffset)
      end = min(input.count, Int(clamping: stream.nextByteOffset))
      left += input.count + 100
      // A seek lets an ended stream continue.
      let start = end
      end = min(input.count, start + 1)
      try stream.parse(input.span.extracting(start..<end), listener: &listener)
      try readOn()
    }
  } catch {
    listener.digest += [-2, Int64(error.code.fourCharacterCode.rawValue), error.byteOffset]
  }
  return listener.digest
}
