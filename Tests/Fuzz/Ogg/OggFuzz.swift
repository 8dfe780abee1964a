// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser

/// Reads the input as a plan: logical streams with right headers, pages with right checksums and any
/// packets, flags, granules and numbers, garbage and cuts, in any order.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOgg(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var plan = unsafe OggPlan(bytes: [UInt8](UnsafeBufferPointer(start: data, count: count)))
  guard plan.bytes.count > 4 else { return 0 }
  let stream = plan.stream()
  fuzzSlicing(stream, hint: nil, seed: UInt64(plan.bytes[0]))
  if plan.canSeek, plan.bytes[1] & 3 == 0 { fuzzSeeking(stream, seed: UInt64(plan.bytes[1])) }
  return 0
}

private struct OggPlan {
  let bytes: [UInt8]
  /// Whether there is one link only, so that a jump cannot reach packets that need another link's headers.
  var canSeek: Bool { linkCount == 1 }
  private var linkCount = 0
  private var place = 2
  private var out: [UInt8] = []
  private var random = FuzzRandom(state: 1)
  private var serial: UInt8 = 1
  private var sequence: UInt32 = 0
  private var granule: Int64 = 0
  private var isOpen = false

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
    while place < bytes.count, out.count < 2000 {
      let order = take(1)[0]
      switch order & 7 {
      case 0, 1, 2, 3: addPage(order)
      case 4: begin(order)
      case 5: out += take(Int(order >> 3))
      case 6:
        if order & 8 != 0 { out.removeLast(min(out.count, Int(order >> 3))) }
        if order & 16 != 0 { sequence &+= UInt32(order >> 5) }
        if order & 0x80 != 0 { isOpen.toggle() }
      default:
        granule = order & 8 != 0 ? granule &+ Int64(order) * 50 : Int64(order >> 4)
        if order == 0xFF { granule = .max }
        if order & 0xC0 == 0x80 { serial = order >> 4 & 3 }
      }
    }
    return out
  }

  /// Begins a logical stream with its headers.
  private mutating func begin(_ order: UInt8) {
    serial = order >> 3 & 3
    sequence = 0
    granule = 0
    isOpen = false
    linkCount += 1
    let comments: [UInt8] = [0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0x61, 0x3D, 0x62]
    switch order >> 5 {
    case 0, 1:
      let channels = order >> 5 == 0 ? 2 : 1
      addPage(
        [[UInt8]("OpusHead".utf8) + [1, UInt8(channels), 0x38, 1, 0x80, 0xBB, 0, 0, 0, 0, 0]],
        flags: 2)
      addPage([[UInt8]("OpusTags".utf8) + comments], flags: 0)
    case 2, 3:
      let head: [UInt8] =
        [1] + Array("vorbis".utf8) + [0, 0, 0, 0, 1, 0x44, 0xAC, 0, 0]
        + [UInt8](repeating: 0, count: 12) + [0xB8, 1]
      addPage([head], flags: 2)
      addPage([[3] + Array("vorbis".utf8) + comments + [1], Self.vorbisSetup], flags: 0)
    case 4, 5:
      let info: [UInt8] =
        [0, 192, order >> 5 == 4 ? 0 : 2, order >> 5 == 4 ? 192 : 64, 0, 0, 0, 0, 0, 0]
        + [0x0A, 0xC4, 0x40, 0xF0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 16)
      addPage(
        [[0x7F] + Array("FLAC".utf8) + [1, 0, 0, 1] + Array("fLaC".utf8) + [0, 0, 0, 34] + info],
        flags: 2)
      addPage([[0x84, 0, 0, UInt8(comments.count)] + comments], flags: 0)
    case 6: addPage([[UInt8]("Speex   ".utf8)], flags: 2)
    default: addPage([take(30)], flags: 2)
    }
  }

  /// One codebook, floor, residue and mapping; two modes, short and long.
  private static let vorbisSetup: [UInt8] = {
    var bits: [UInt8] = []
    func put(_ value: Int, _ count: Int) {
      for bit in 0..<count { bits.append(UInt8(value >> bit & 1)) }
    }
    for field in [
      (0, 8), (0x564342, 24), (1, 16), (2, 24), (0, 1), (0, 1), (0, 5), (0, 5), (0, 4), (0, 6),
      (0, 16), (0, 6), (1, 16), (0, 5), (0, 2), (0, 4), (0, 6), (0, 16), (0, 24), (0, 24), (0, 24),
      (0, 6), (0, 8), (0, 3), (0, 1), (0, 6), (0, 16), (0, 1), (0, 1), (0, 2), (0, 24), (1, 6),
      (0, 1), (0, 40), (1, 1), (0, 40), (1, 1),
    ] {
      put(field.0, field.1)
    }
    while bits.count % 8 != 0 { bits.append(0) }
    return [5] + Array("vorbis".utf8)
      + stride(from: 0, to: bits.count, by: 8).map { start in
        (0..<8).reduce(0) { $0 | bits[start + $1] << UInt8($1) }
      }
  }()

  private mutating func addPage(_ order: UInt8) {
    let header = take(2)
    guard header.count == 2 else { return }
    var packets: [[UInt8]] = []
    for _ in 0...Int(header[0] & 7) {
      let kind = random.next(8)
      let length = kind == 0 ? 255 * random.next(3) : kind == 1 ? random.next(900) : random.next(40)
      var packet = (0..<length).map { _ in UInt8(random.next(256)) }
      if length > 6, header[1] & 1 != 0 {
        // The head of a FLAC frame of 192 samples, or a Vorbis packet.
        let start: [UInt8] = header[1] & 2 != 0 ? [0xFF, 0xF8, 0x10, 0x00, 0x00, 0x97] : [0x00]
        packet.replaceSubrange(0..<start.count, with: start)
      }
      packets.append(packet)
    }
    granule &+= Int64(header[1] >> 3) * 120
    let flags = UInt8(isOpen ? 1 : 0) | (order & 0xF8 == 0xF8 ? 4 : 0)
    addPage(
      packets, flags: flags, isLastOpen: order & 8 != 0, isGranuleHidden: order & 0x30 == 0x30)
    if order & 0xC0 == 0xC0 { out[out.count - 1 - random.next(20)] ^= 1 }
  }

  private mutating func addPage(
    _ packets: [[UInt8]], flags: UInt8, isLastOpen: Bool = false, isGranuleHidden: Bool = false
  ) {
    var lacing: [UInt8] = []
    var body: [UInt8] = []
    for (index, packet) in packets.enumerated() {
      var packet = packet
      let goesOn = isLastOpen && index == packets.count - 1
      if goesOn { packet += [UInt8](repeating: 7, count: (255 - packet.count % 255) % 255) }
      for _ in 0..<packet.count / 255 { lacing.append(255) }
      if !goesOn { lacing.append(UInt8(packet.count % 255)) }
      body += packet
    }
    isOpen = isLastOpen
    let shown = isGranuleHidden ? -1 : granule
    var page = [UInt8]("OggS".utf8) + [0, flags]
    page += (0..<8).map { UInt8(truncatingIfNeeded: shown >> (8 * Int64($0))) }
    page += [serial, 0, 0, 0] + (0..<4).map { UInt8(truncatingIfNeeded: sequence >> (8 * $0)) }
    page += [0, 0, 0, 0, UInt8(truncatingIfNeeded: lacing.count)] + lacing.prefix(255) + body
    sequence &+= 1
    var crc: UInt32 = 0
    for byte in page {
      crc ^= UInt32(byte) << 24
      for _ in 0..<8 { crc = crc << 1 ^ (crc >> 31 &* 0x04C1_1DB7) }
    }
    for index in 0..<4 { page[22 + index] = UInt8(truncatingIfNeeded: crc >> (8 * UInt32(index))) }
    out += page
  }
}
