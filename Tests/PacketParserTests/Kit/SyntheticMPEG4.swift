// SPDX-License-Identifier: MIT

/// An MPEG-4 file with one sound track, right or wrong in any part.
struct SyntheticMPEG4 {
  /// The sizes of the packets in each chunk.
  var chunks: [[Int]] = [[10, 20, 30], [7], [1, 2, 3, 4]]
  /// The order of the chunks in the file.
  var order: [Int]?
  /// The number of foreign bytes before each chunk.
  var gap = 5
  var isIndexLast = false
  /// Whether offsets and sizes have 64 bits.
  var isWide = false
  /// Whether the media data's size is stated as 0, which means up to the end.
  var isOpenEnded = false
  var entry = Self.entry("mp4a", rate: 44_100, inside: Self.esds([0x12, 0x10]))
  /// Sample entries behind that one, and the number of each chunk's entry.
  var otherEntries: [[UInt8]] = []
  var chunkEntries: [Int]?
  var timescale = 44_100
  var movieTimescale = 1000
  /// Runs of packets with the same duration; the default is 1024 for all.
  var durations: [(count: Int, duration: Int)]?
  /// Edits: the duration in the movie's units, by default of 1 ms, and the media time.
  var edits: [(duration: Int, mediaTime: Int)] = []
  var handler = "soun"
  var isEnabled = true
  /// Boxes at the end of `moov`, and behind `ftyp`.
  var movieBoxes: [UInt8] = []
  var before: [UInt8] = []
  var brand = "M4A "
  /// The common packet size in `stsz`; the sizes in `chunks` then only shape the media data.
  var uniformSize: Int?
  /// The field width of `stz2`, which then replaces `stsz`.
  var compactBits: Int?

  static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    bigEndian(content.count + 8, 4) + type.unicodeScalars.map { UInt8($0.value) } + content
  }

  /// A box with version and flags.
  static func full(_ type: String, _ content: [UInt8], flags: Int = 0) -> [UInt8] {
    box(type, bigEndian(flags, 4) + content)
  }

  static func wideBox(_ type: String, _ content: [UInt8]) -> [UInt8] {
    bigEndian(1, 4) + [UInt8](type.utf8) + bigEndian(content.count + 16, 8) + content
  }

  static func entry(
    _ type: String, rate: Int = 44_100, channels: Int = 2, bits: Int = 16, inside: [UInt8] = []
  ) -> [UInt8] {
    box(
      type,
      bigEndian(1, 8) + bigEndian(0, 8) + bigEndian(channels, 2) + bigEndian(bits, 2)
        + bigEndian(0, 4) + bigEndian(rate, 2) + [0, 0] + inside)
  }

  /// A descriptor around an AudioSpecificConfig.
  static func esds(_ config: [UInt8], objectType: UInt8 = 0x40, bitRate: Int = 0) -> [UInt8] {
    full("esds", descriptor(config, objectType: objectType, bitRate: bitRate))
  }

  static func descriptor(
    _ config: [UInt8], objectType: UInt8 = 0x40, bitRate: Int = 0
  ) -> [UInt8] {
    let info = [5, UInt8(config.count)] + config
    let decoder =
      [objectType, 0x15, 0, 0, 0] + bigEndian(bitRate, 4) + bigEndian(bitRate, 4) + info
    let stream = [0, 1, 0, 4, UInt8(decoder.count)] + decoder + [6, 1, 2]
    return [3, 0x80, 0x80, 0x80, UInt8(stream.count)] + stream
  }

  static func bytes(_ count: Int, seed: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed &* 17 &+ 1) }
  }

  var sizes: [Int] { chunks.flatMap { $0 } }

  /// The media data with its header, and the chunks' offsets in it.
  private var mediaData: (bytes: [UInt8], offsets: [Int]) {
    var content: [UInt8] = []
    var offsets = [Int](repeating: 0, count: chunks.count)
    let headerBytes = isWide ? 16 : 8
    for chunk in order ?? Array(chunks.indices) {
      content += [UInt8](repeating: 0xEE, count: gap)
      offsets[chunk] = content.count + headerBytes
      for (index, size) in chunks[chunk].enumerated() {
        content +=
          size > 1 << 20
          ? [UInt8](repeating: 0xDD, count: size) : Self.bytes(size, seed: chunk * 100 + index)
      }
    }
    var bytes = isWide ? Self.wideBox("mdat", content) : Self.box("mdat", content)
    if isOpenEnded { bytes.replaceSubrange(0..<4, with: [0, 0, 0, 0]) }
    return (bytes, offsets)
  }

  /// The index, for media data that begin at this offset.
  func index(mediaOffset: Int) -> [UInt8] {
    let offsets = mediaData.offsets.map { $0 + mediaOffset }
    let durations = durations ?? [(sizes.count, 1024)]
    let runs = chunks.enumerated().flatMap { index, chunk in
      bigEndian(index + 1, 4) + bigEndian(chunk.count, 4)
        + bigEndian(chunkEntries?[index] ?? 1, 4)
    }
    let table =
      Self.full(
        "stsd", bigEndian(1 + otherEntries.count, 4) + entry + otherEntries.flatMap { $0 })
      + Self.full(
        "stts",
        bigEndian(durations.count, 4)
          + durations.flatMap { bigEndian($0.count, 4) + bigEndian($0.duration, 4) })
      + Self.full("stsc", bigEndian(chunks.count, 4) + runs) + sizeTable
      + Self.full(
        isWide ? "co64" : "stco",
        bigEndian(offsets.count, 4) + offsets.flatMap { bigEndian($0, isWide ? 8 : 4) })
    let media = Self.box(
      "mdia",
      Self.full("mdhd", bigEndian(0, 8) + bigEndian(timescale, 4) + bigEndian(0, 8))
        + Self.full("hdlr", bigEndian(0, 4) + [UInt8](handler.utf8) + bigEndian(0, 13))
        + Self.box("minf", Self.box("stbl", table)))
    let list = Self.full(
      "elst",
      bigEndian(edits.count, 4)
        + edits.flatMap { bigEndian($0.duration, 4) + bigEndian($0.mediaTime, 4) + [0, 1, 0, 0] })
    let track =
      Self.full(
        "tkhd", bigEndian(0, 8) + bigEndian(1, 4) + bigEndian(0, 68), flags: isEnabled ? 3 : 2)
      + (edits.isEmpty ? [] : Self.box("edts", list)) + media
    return Self.box(
      "moov",
      Self.full("mvhd", bigEndian(0, 8) + bigEndian(movieTimescale, 4) + bigEndian(0, 84))
        + Self.box("trak", track) + movieBoxes)
  }

  private var sizeTable: [UInt8] {
    if let uniformSize {
      return Self.full("stsz", bigEndian(uniformSize, 4) + bigEndian(sizes.count, 4))
    }
    switch compactBits {
    case 4:
      let pairs = stride(from: 0, to: sizes.count, by: 2).map { index in
        UInt8(sizes[index] << 4 | (index + 1 < sizes.count ? sizes[index + 1] : 9))
      }
      return Self.full("stz2", [0, 0, 0, 4] + bigEndian(sizes.count, 4) + pairs)
    case .some(let bits):
      return Self.full(
        "stz2",
        bigEndian(bits, 4) + bigEndian(sizes.count, 4) + sizes.flatMap { bigEndian($0, bits / 8) })
    case nil:
      return Self.full(
        "stsz", bigEndian(0, 4) + bigEndian(sizes.count, 4) + sizes.flatMap { bigEndian($0, 4) })
    }
  }

  private var head: [UInt8] {
    Self.box("ftyp", [UInt8](brand.utf8) + bigEndian(0, 4) + [UInt8](brand.utf8)) + before
  }

  /// The byte offset of the media data.
  private var mediaOffset: Int {
    head.count + (isIndexLast ? 0 : index(mediaOffset: 0).count)
  }

  var bytes: [UInt8] {
    let index = index(mediaOffset: mediaOffset)
    return head + (isIndexLast ? mediaData.bytes + index : index + mediaData.bytes)
  }

  /// The packets in their order.
  var packets: [PlacedPacket] {
    zip(chunks, mediaData.offsets).flatMap { chunk, offset in
      var place = Int64(offset + mediaOffset)
      return chunk.map { size in
        defer { place += Int64(size) }
        return PlacedPacket(offset: place, byteCount: size)
      }
    }
  }
}
