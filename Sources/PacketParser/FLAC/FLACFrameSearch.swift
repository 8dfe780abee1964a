// SPDX-License-Identifier: MIT

/// Finds where FLAC frames begin and end. A frame does not tell its length: it ends where the next
/// header is, and where the CRC-16 over all of it, its own checksum included, is zero.
///
/// Every byte is looked at once, whatever happens. A frame that a damage broke is found out when the
/// frame behind it has proved whole, so a few places where frames may begin are followed at a time,
/// each with a checksum of its own.
struct FLACFrameSearch {
  /// Places that are followed at a time at most; headers beyond them are not looked at.
  private static let maximumStarts = 8

  /// A place where a frame may begin.
  private struct Start {
    var offset: Int
    var header: FLACFrameHeader
    /// The CRC-16 from here to where the search has come.
    var checksum: UInt16 = 0
    /// Where the checksum was right, and a header began that was damaged or cut. The frame ends there
    /// if no better end is found.
    var weakEnd: Int?
  }

  /// What was found, with offsets from the first byte shown.
  enum Finding {
    /// A whole frame. It is found again until `pass` was called.
    case frame(FLACFrameHeader, Range<Int>)
    /// No frame begins in this many bytes.
    case garbage(Int)
    /// Where a frame had to begin, at this offset, there is none: perhaps a tag, or the end.
    case boundary(Int)
    case need(Int)
    /// The input has ended, and so has the search.
    case end
  }

  private let info: FLACStreamInfo
  private let frameByteUpperBound: Int
  private var starts: [Start] = []
  /// Bytes that were looked at, counted from the first one shown.
  private var scanned = 0
  /// Whether a header at `scanned` was looked for.
  private var isTested = false
  /// Where a frame has to begin.
  private var trusted: Int?

  /// A search from a place where a frame has to begin, or only may.
  init(_ info: FLACStreamInfo, isTrusted: Bool) {
    self.info = info
    trusted = isTrusted ? 0 : nil
    frameByteUpperBound = info.frameByteUpperBound
  }

  /// Goes on with the bytes shown, of which the first are those after the last ones passed.
  mutating func next(_ bytes: Span<UInt8>, isEnd: Bool) -> Finding {
    while true {
      if !isTested {
        if scanned == bytes.count, !isEnd { return demand(bytes.count) }
        if scanned > 0, starts.isEmpty, trusted == nil { return .garbage(scanned) }
        switch FLACFrameHeader.read(bytes, at: scanned, info, isEnd: isEnd) {
        case .need(let byteCount): return .need(scanned + byteCount)
        case .header(let header):
          // Its number is not looked at: two headers and the checksum between them leave no doubt, and
          // streams are put together from others.
          if let frame = wholeFrame { return frame }
          follow(header)
        case .none where trusted == scanned:
          return .boundary(scanned)
        case .none:
          if let finding = frameBeforeTag(bytes, isEnd: isEnd) { return finding }
          noteWeakEnd(bytes)
        }
        isTested = true
      }
      if scanned == bytes.count, isEnd { return end(bytes.count) }
      if let first = starts.first, scanned - first.offset >= frameByteUpperBound {
        if let frame = weakFrame(before: scanned) { return frame }
        starts.removeFirst()
        return .garbage(starts.first?.offset ?? scanned)
      }
      if scanned == bytes.count { return demand(bytes.count) }
      advance(bytes)
    }
  }

  /// Goes on to the next place where something may begin.
  private mutating func advance(_ bytes: Span<UInt8>) {
    var stop = bytes.count
    if let first = starts.first { stop = min(stop, first.offset + frameByteUpperBound) }
    let next = Self.nextCandidate(bytes, scanned + 1..<stop)
    for index in starts.indices {
      starts[index].checksum = FLACChecksum.crc16(starts[index].checksum, bytes, scanned..<next)
    }
    scanned = next
    isTested = false
  }

  /// The first place in `range` where a frame's header or a tag may begin, else the end.
  private static func nextCandidate(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
    var place = range.lowerBound
    let last = bytes.count - 1
    while place < range.upperBound {
      let byte = bytes[place]
      if byte >= 0xFF || (0x41...0x66).contains(byte) {
        if place == last { return place }
        let next = bytes[place + 1]
        switch byte {
        case 0xFF where next & 0xFE == 0xF8: return place
        case UInt8(ascii: "T") where next == UInt8(ascii: "A"): return place
        case UInt8(ascii: "A") where next == UInt8(ascii: "P"): return place
        case UInt8(ascii: "I") where next == UInt8(ascii: "D"): return place
        case UInt8(ascii: "L") where next == UInt8(ascii: "Y"): return place
        case UInt8(ascii: "f") where next == UInt8(ascii: "L"): return place
        default: break
        }
      }
      place += 1
    }
    return range.upperBound
  }

  /// The first place from which on the bytes up to here may be a frame.
  private var wholeStart: Start? {
    starts.first {
      $0.checksum == 0 && scanned - $0.offset >= FLACFrameHeader.minimumFrameBytes
    }
  }

  /// The frame that ends here, or one before it whose next header is damaged.
  private var wholeFrame: Finding? {
    guard let start = wholeStart else { return nil }
    return weakFrame(before: start.offset) ?? .frame(start.header, start.offset..<scanned)
  }

  private func weakFrame(before place: Int) -> Finding? {
    for start in starts {
      if let end = start.weakEnd, end <= place { return .frame(start.header, start.offset..<end) }
    }
    return nil
  }

  private mutating func noteWeakEnd(_ bytes: Span<UInt8>) {
    guard scanned < bytes.count, bytes[scanned] == 0xFF,
      scanned + 1 == bytes.count || bytes[scanned + 1] & 0xFE == 0xF8
    else { return }
    for index in starts.indices where starts[index].checksum == 0 && starts[index].weakEnd == nil {
      if scanned - starts[index].offset >= FLACFrameHeader.minimumFrameBytes {
        starts[index].weakEnd = scanned
      }
    }
  }

  private mutating func follow(_ header: FLACFrameHeader) {
    guard starts.count < Self.maximumStarts else { return }
    starts.append(Start(offset: scanned, header: header))
    trusted = nil
  }

  /// The frame that ends where a tag, or another FLAC stream, begins.
  private func frameBeforeTag(_ bytes: Span<UInt8>, isEnd: Bool) -> Finding? {
    guard wholeStart != nil else { return nil }
    if bytes.count - scanned < AudioTag.signatureBytes, !isEnd {
      return .need(scanned + AudioTag.signatureBytes)
    }
    guard scanned < bytes.count,
      AudioTag.isSignature(bytes, at: scanned) || bytes.has("fLaC", at: scanned)
    else { return nil }
    return wholeFrame
  }

  /// How many bytes to wait for: about a quarter more of the frame each time.
  private func demand(_ count: Int) -> Finding {
    guard let first = starts.first else { return scanned > 0 ? .garbage(scanned) : .need(1) }
    let quarter = min(4096, max(16, (count - first.offset) / 4))
    let least = min(frameByteUpperBound, info.minimumFrameBytes ?? 0)
    return .need(max(first.offset + least, count + quarter))
  }

  private func end(_ count: Int) -> Finding {
    wholeFrame ?? weakFrame(before: count) ?? (count > 0 ? .garbage(count) : .end)
  }

  /// Goes on behind a frame, where the next one has to begin.
  mutating func passFrame(endingAt end: Int) {
    if end < scanned {
      starts.removeAll { $0.offset < end }
      trusted = nil
      return
    }
    starts.removeAll(keepingCapacity: true)
    isTested = false
    trusted = end
  }

  /// Goes on where no frame begins although one had to.
  mutating func passBoundary() {
    trusted = nil
  }

  /// The first bytes are no longer shown.
  mutating func drop(_ byteCount: Int) {
    scanned -= byteCount
    trusted = trusted.map { $0 - byteCount }
    for index in starts.indices {
      starts[index].offset -= byteCount
      starts[index].weakEnd = starts[index].weakEnd.map { $0 - byteCount }
    }
  }
}
