// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser

/// Reads the input as a plan: tags in front of some frames of sound, and tags behind them, with
/// frames, sizes and flags that are nearly right. The tags' content must not depend on the slicing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzID3(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe [UInt8](UnsafeBufferPointer(start: data, count: count))
  guard input.count > 4 else { return 0 }
  var plan = Plan(bytes: input, place: 4)
  var stream: [UInt8] = []
  while plan.hasMore, plan.next() & 3 != 0, stream.count < 3000 { stream += plan.tag() }
  for index in 0..<4 {
    // 32 kbit/s at 48 kHz: frames of 96 bytes.
    stream += [0xFF, 0xFB, 0x14, 0] + [UInt8](repeating: UInt8(index), count: 92)
  }
  while plan.hasMore, stream.count < 4000 { stream += plan.tag() }
  compare(
    stream, seed: UInt64(input[0]) << 8 | UInt64(input[1]), tailBytes: Int(input[2]) * 16,
    limit: Int(input[3]))
  return 0
}

/// Makes tags from the bytes of the input.
private struct Plan {
  let bytes: [UInt8]
  var place: Int
  /// Whether a frame too large to be held was made; one is enough.
  private var hasLargeFrame = false

  init(bytes: [UInt8], place: Int) {
    self.bytes = bytes
    self.place = place
  }

  var hasMore: Bool { place < bytes.count }

  mutating func next() -> UInt8 {
    guard hasMore else { return 0 }
    defer { place += 1 }
    return bytes[place]
  }

  mutating func take(_ count: Int) -> [UInt8] {
    let taken = bytes[min(place, bytes.count)..<min(bytes.count, place + count)]
    place += count
    return Array(taken)
  }

  mutating func tag() -> [UInt8] {
    let order = next()
    switch order & 7 {
    case 0, 1, 2, 3, 4: return id3v2(order)
    case 5, 6: return ape(order)
    default: return [UInt8]((order & 8 == 0 ? "TAG" : "TAG+").utf8) + take(125)
    }
  }

  private static let ids = [
    "TIT2", "TXXX", "COMM", "USLT", "APIC", "TCON", "TYER", "TDAT", "TIME", "PRIV", "TPE1", "TT2",
    "PIC", "COM", "TXX", "ULT",
  ]

  /// Makes a tag whose version is in the order's high bits; finally a flaw may change the tag's size.
  private mutating func id3v2(_ order: UInt8) -> [UInt8] {
    let version = [3, 4, 2, 4, 3, 5, 4, 2][Int(order >> 5)]
    let flags = next()
    var content: [UInt8] = []
    if flags & 0x40 != 0 { content += take(Int(next() & 15)) }
    while hasMore {
      let kind = next()
      if kind & 0x80 != 0 { break }
      let id = Array(Self.ids[Int(kind & 15)].utf8) + (kind & 0x40 != 0 ? [0x20] : [])
      var body = take(Int(next()))
      if kind & 0x20 != 0, !hasLargeFrame, next() == 0x4C {
        hasLargeFrame = true
        body += [UInt8](repeating: kind, count: 60_000 + Int(next()) << 5)
      }
      let size = body.count + (kind & 0x10 != 0 ? Int(next()) - 128 : 0)
      content += id.prefix(version == 2 ? 3 : 4)
      for index in (0..<(version == 2 ? 3 : 4)).reversed() {
        let isPlain = version != 4 || flags & 1 != 0
        content.append(
          UInt8(truncatingIfNeeded: isPlain ? size >> (8 * index) : size >> (7 * index) & 0x7F))
      }
      if version != 2 { content += [0, next()] }
      content += body
    }
    content += [UInt8](repeating: 0, count: Int(next() & 31))
    if flags & 0x80 != 0, flags & 2 == 0 {
      content = content.flatMap { $0 == 0xFF ? [0xFF, 0] : [$0] }
    }
    let size = max(0, content.count + (flags & 4 != 0 ? Int(next()) - 128 : 0))
    let rest =
      [UInt8(version), 0, flags & 0xF0]
      + (0..<4).reversed().map { UInt8(size >> (7 * $0) & 0x7F) }
    return [UInt8]("ID3".utf8) + rest + content
      + (flags & 0x10 != 0 ? [UInt8]("3DI".utf8) + rest : [])
  }

  private mutating func ape(_ order: UInt8) -> [UInt8] {
    var items: [UInt8] = []
    let count = Int(order >> 3 & 7)
    for _ in 0..<count {
      let kind = next()
      let value = take(Int(next()))
      let size = value.count + (kind & 0x10 != 0 ? Int(next()) - 128 : 0)
      items += littleEndian(size) + littleEndian(Int(kind & 6))
      items += [UInt8]((kind & 1 == 0 ? "Title" : "Cover Art (Front)").utf8)
      if kind & 0x20 == 0 { items.append(0) }
      items += value
    }
    let size = items.count + 32 + (order & 0x40 != 0 ? Int(next()) - 128 : 0)
    func block(_ flags: Int) -> [UInt8] {
      [UInt8]("APETAGEX".utf8) + littleEndian(2000) + littleEndian(size) + littleEndian(count)
        + littleEndian(flags) + [UInt8](repeating: 0, count: 8)
    }
    return (order & 0x80 != 0 ? [] : block(0xA000_0000)) + items + block(0x8000_0000)
  }

  private func littleEndian(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}

/// Requires the same packets and tags in any slices, with and without a known tail, within the bounds.
private func compare(_ input: [UInt8], seed: UInt64, tailBytes: Int, limit: Int) {
  func run(_ size: (Int) -> Int) -> (digest: [Int64], info: AudioFileInfo?) {
    var options = AudioFileStreamOptions()
    options.pictureByteLimit = limit
    var stream = AudioFileStream(hint: .mpegLayer3, options: options)
    if tailBytes > 0 {
      let start = max(0, input.count - tailBytes)
      stream.tell(
        totalByteCount: Int64(input.count), tail: input.span.extracting(start..<input.count))
    }
    var listener = FuzzListener(input: input)
    var place = 0
    do throws(AudioFileStreamError) {
      while place < input.count {
        let count = min(size(place), input.count - place)
        try stream.parse(input.span.extracting(place..<place + count), listener: &listener)
        place += count
      }
      try stream.finish(listener: &listener)
    } catch {
      listener.digest += [-2, Int64(error.code.fourCharacterCode.rawValue), error.byteOffset]
    }
    return (listener.digest, try? stream.infoDictionary)
  }
  let whole = run { _ in input.count }
  var random = FuzzRandom(state: seed)
  // Many small slices of a large frame would only cost time.
  let longest = [3, 60, 700][random.next(3)] + (input.count > 10_000 ? 5000 : 0)
  let sliced = run { _ in 1 + random.next(longest) }
  precondition(whole.digest == sliced.digest, "the slicing shows in what is told")
  precondition(whole.info == sliced.info, "the slicing shows in the tags")
  for picture in whole.info?.pictures ?? [] {
    precondition(picture.byteCount >= 0 && picture.byteCount <= input.count)
    precondition(picture.bytes.isEmpty || picture.bytes.count == picture.byteCount)
    precondition(picture.bytes.count <= limit)
  }
}
