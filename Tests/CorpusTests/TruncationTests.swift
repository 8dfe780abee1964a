// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import Testing

/// Files cut anywhere, which deliver the whole packets before the cut.
@Suite struct TruncationTests {
  @Test(
    "Cut at sixty-four byte offsets, each file delivers its packets up to the cut",
    arguments: CorpusFile.readable)
  func cuts(_ file: CorpusFile) {
    let bytes = file.bytes
    let whole = parse(bytes, Feed(looksAtBytes: false))
    if whole.error != nil { return }
    let index = indexEnd(bytes, file.group)
    for cut in places(bytes, whole) {
      let outcome = parse(bytes.span.extracting(0..<cut), Feed(looksAtBytes: false))
      #expect(!outcome.isEndless, "cut at \(cut): the parser does not end")
      #expect(outcome.log.failures == [], "cut at \(cut)")
      if let error = outcome.error {
        expectReason(error, outcome, whole, bytes, cut, index, file)
      } else {
        expectPackets(outcome, whole, bytes, cut, file)
      }
    }
  }

  /// Sixty-four byte offsets: spread evenly, behind the header, around the first packets, and at the end.
  private func places(_ bytes: [UInt8], _ whole: Outcome) -> [Int] {
    let count = bytes.count
    var places = Set((0..<40).map { 1 + $0 * (count - 1) / 40 })
    let first = whole.log.packets.first.map { ($0.offset, $0.end) }
    let start = Int(whole.atEnd.dataOffset ?? 0)
    places.formUnion([start - 1, start, start + 1, start + 4, start + 9])
    if let first { places.formUnion([first.0, first.1 - 1, first.1, first.1 + 1].map(Int.init)) }
    if let second = whole.log.packets.dropFirst().first {
      places.formUnion([second.end - 1, second.end, second.end + 1].map(Int.init))
    }
    places.formUnion((1...12).map { count - $0 })
    return places.filter { $0 > 0 && $0 < count }.sorted()
  }

  /// Expects an error that a cut explains, before any packet.
  private func expectReason(
    _ error: AudioFileStreamError, _ outcome: Outcome, _ whole: Outcome, _ bytes: [UInt8],
    _ cut: Int, _ indexEnd: Int, _ file: CorpusFile
  ) {
    #expect(
      outcome.log.packets == [] && outcome.log.extents == [],
      "cut at \(cut): an error after packets: \(error)")
    let codes: [AudioFileStreamError.Code] = [.invalidFile, .unsupportedFileType, .notOptimized]
    #expect(codes.contains(error.code), "cut at \(cut): \(error)")
    let firstEnd =
      whole.log.packets.first.map { Int($0.end) } ?? Int(whole.log.extents.first?.lowerBound ?? 0)
    // A bare stream is recognised by a few consecutive frames.
    let proof = whole.log.packets.dropFirst(3).first.map { Int($0.end) } ?? bytesOfAll(whole)
    let isBare =
      file.group == "mpeg-audio" || file.group == "adts"
      || file.group == "wave" && file.mode == .packets
    let size = Int64(whole.atEnd.dataFormat?.bytesPerPacket ?? 0)
    let isBeforePackets =
      size > 0
      ? Int64(cut) < size + (whole.log.extents.map(\.lowerBound).min() ?? 0)
      : wantedCount(whole.log.packets, bytes, cut, file) == 0
    #expect(
      isBeforePackets || cut <= max(isBare ? proof : firstEnd, indexEnd),
      "cut at \(cut), behind the first packet: \(error)")
  }

  /// Whether the cut may yield a packet that the whole file does not have: a short block of ADPCM, or
  /// silence for the missing FLAC frame.
  private func mayEndShort(_ whole: Outcome) -> Bool {
    switch whole.atEnd.dataFormat?.formatID {
    case .waveIMAADPCM, .microsoftADPCM, .appleIMA4, .flac: true
    default: false
    }
  }

  private func bytesOfAll(_ whole: Outcome) -> Int { Int(whole.log.packets.last?.end ?? 0) }

  private func expectPackets(
    _ outcome: Outcome, _ whole: Outcome, _ bytes: [UInt8], _ cut: Int, _ file: CorpusFile
  ) {
    let (ours, all) = (outcome.log.packets, whole.log.packets)
    let same = zip(ours, all).prefix {
      isSame($0, $1) || file.group == "flac" && lacksOnlyZero($0, $1, bytes, cut)
    }.count
    #expect(
      same == ours.count || same == ours.count - 1 && mayEndShort(whole),
      "cut at \(cut): packet \(same) is \(ours[same]), uncut \(same < all.count ? "\(all[same])" : "none")"
    )
    let wanted = wantedCount(all, bytes, cut, file)
    #expect(ours.count >= wanted, "cut at \(cut): \(ours.count) packets of \(wanted)")
    let size = Int64(whole.atEnd.dataFormat?.bytesPerPacket ?? 0)
    guard size > 0 else { return }
    var left: Int64 = 0
    for extent in whole.log.extents {
      left += max(0, min(Int64(cut), extent.upperBound) - extent.lowerBound)
    }
    for part in outcome.log.extents {
      let isPart = whole.log.extents.contains {
        $0.contains(part.lowerBound) && part.upperBound <= $0.upperBound
      }
      #expect(isPart && part.upperBound <= cut, "cut at \(cut): bytes \(part) are no packets")
    }
    let count = outcome.log.dataByteCount
    #expect(count <= whole.log.dataByteCount, "cut at \(cut)")
    #expect(count >= left - left % size, "cut at \(cut): \(count) bytes of \(left)")
  }

  /// Whether two packets are equal except for their duration, which bytes behind the last one may shorten.
  private func isSame(_ one: StreamLog.Packet, _ other: StreamLog.Packet) -> Bool {
    one.offset == other.offset && one.size == other.size && one.index == other.index
  }

  /// Whether a FLAC frame lacks only the final zero of its checksum. Its checksum is right without that byte,
  /// too, and nothing else marks the frame's end.
  private func lacksOnlyZero(
    _ ours: StreamLog.Packet, _ whole: StreamLog.Packet, _ bytes: [UInt8], _ cut: Int
  ) -> Bool {
    ours.offset == whole.offset && ours.index == whole.index && ours.end == Int64(cut)
      && whole.end == Int64(cut) + 1 && bytes[cut] == 0
  }

  /// The number of packets that lie wholly before the cut and whose end is known.
  private func wantedCount(
    _ all: [StreamLog.Packet], _ bytes: [UInt8], _ cut: Int, _ file: CorpusFile
  ) -> Int {
    if file.mode == .sizes {
      // A page counts only if its check word is right, so the whole page is needed.
      let headers = oggPacketCount(bytes, before: bytes.count) - all.count
      return max(0, oggPacketCount(bytes, before: cut) - headers)
    }
    let whole = all.filter { $0.end <= cut }.count
    // A FLAC frame does not state its length: its end is known once the next frame's header is whole.
    if file.group == "flac" { return all.filter { $0.end + 16 <= cut }.count }
    return whole
  }

  /// The number of packets that end on pages before a byte offset, headers included (RFC 3533 section 6),
  /// in the first of several logical streams.
  private func oggPacketCount(_ bytes: [UInt8], before end: Int) -> Int {
    var place = 0
    var count = 0
    while let start = bytes[place..<end].firstRange(of: [UInt8]("OggS".utf8))?.lowerBound,
      start + 27 <= end
    {
      let segments = start + 27..<start + 27 + Int(bytes[start + 26])
      guard segments.upperBound <= end else { break }
      place = segments.upperBound + bytes[segments].reduce(0) { $0 + Int($1) }
      guard place <= end else { break }
      // scripts/handmade-corpus marks the second of two streams with 99.
      if bytes[start + 14] != 99 { count += bytes[segments].count { $0 < 255 } }
    }
    return count
  }

  /// The end of the index, which is needed to find any packet.
  private func indexEnd(_ bytes: [UInt8], _ group: String) -> Int {
    var place = group == "caf" ? 8 : group == "aiff" ? 12 : 0
    let isWide = group == "caf"
    let names: [String] =
      switch group {
      case "mpeg4": ["moov"]
      case "caf": ["pakt"]
      case "aiff": ["COMM"]
      default: []
      }
    if names.isEmpty { return 0 }
    while place + 16 <= bytes.count {
      let at = isWide || group == "aiff" ? place : place + 4
      let name = String(decoding: bytes[at..<at + 4], as: UTF8.self)
      let size: Int
      switch group {
      case "caf": size = 12 + number(bytes, place + 4, 8)
      case "aiff": size = 8 + (number(bytes, place + 4, 4) + 1) / 2 * 2
      default:
        let short = number(bytes, place, 4)
        size = short == 1 ? number(bytes, place + 8, 8) : short == 0 ? bytes.count : short
      }
      if names.contains(name) { return place + size }
      if size <= 0 { return 0 }
      place += size
    }
    return 0
  }

  private func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
    bytes[place..<place + count].reduce(0) { $0 &<< 8 | Int($1) }
  }
}
