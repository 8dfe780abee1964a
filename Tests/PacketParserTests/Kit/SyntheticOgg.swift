// SPDX-License-Identifier: MIT

/// Makes Ogg pages, and changes those of a file.
struct SyntheticOgg {
  var serial = 7
  private(set) var bytes: [UInt8] = []
  var sequence = 0

  init(serial: Int = 7) {
    self.serial = serial
  }

  /// Adds a page. If `isOpen`, the last packet continues on the next page and must have a multiple of 255 bytes.
  mutating func page(
    _ packets: [[UInt8]], granule: Int, flags: UInt8 = 0, isOpen: Bool = false
  ) {
    var lacing: [UInt8] = []
    for (index, packet) in packets.enumerated() {
      lacing += [UInt8](repeating: 255, count: packet.count / 255)
      if !isOpen || index < packets.count - 1 { lacing.append(UInt8(packet.count % 255)) }
    }
    var page = [UInt8]("OggS".utf8) + [0, flags] + littleEndian(granule, 8)
    page += littleEndian(serial, 4) + littleEndian(sequence, 4) + [0, 0, 0, 0]
    page += [UInt8(lacing.count)] + lacing + packets.flatMap { $0 }
    sequence += 1
    bytes += Self.sealed(page)
  }

  /// The headers of an Opus stream of two channels with a pre-skip of 312.
  mutating func beginOpus(preSkip: Int = 312) {
    let head = [UInt8]("OpusHead".utf8) + [1, 2] + littleEndian(preSkip, 2)
    page([head + littleEndian(48_000, 4) + [0, 0, 0]], granule: 0, flags: 2)
    page([[UInt8]("OpusTags".utf8) + [0, 0, 0, 0, 0, 0, 0, 0]], granule: 0)
  }

  /// An Opus packet of 20 ms with this many bytes.
  static func opusPacket(_ byteCount: Int, seed: Int = 0) -> [UInt8] {
    [0x78] + garbage(byteCount - 1, seed: UInt64(seed + 1))
  }

  /// The page with its checksum.
  static func sealed(_ page: [UInt8]) -> [UInt8] {
    var page = page
    page.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    let crc = SyntheticFLAC.crc(page, bits: 32, polynomial: 0x04C1_1DB7)
    page.replaceSubrange(22..<26, with: littleEndian(Int(crc), 4))
    return page
  }

  /// The pages of a stream.
  static func pages(_ stream: [UInt8]) -> [[UInt8]] {
    var pages: [[UInt8]] = []
    var place = 0
    while place + 27 <= stream.count {
      let lacing = stream[place + 27..<place + 27 + Int(stream[place + 26])]
      let end = place + 27 + lacing.count + lacing.reduce(0) { $0 + Int($1) }
      pages.append(Array(stream[place..<end]))
      place = end
    }
    return pages
  }

  /// Returns the page with its granule moved, and with the checksum to match.
  static func moved(_ page: [UInt8], by frames: Int) -> [UInt8] {
    let granule = page[6..<14].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard granule != 0, granule != .max else { return page }
    var page = page
    page.replaceSubrange(6..<14, with: littleEndian(Int(granule) + frames, 8))
    return sealed(page)
  }
}
