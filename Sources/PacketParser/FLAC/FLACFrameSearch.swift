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
    /// Where the checksum was right, and a tag began, or a header that was damaged or cut. The frame
    /// ends there if no better end is found.
    var weakEnd: Int?
    var hasTagBehind = false
    /// A tag was looked for.
    var isSearched = false
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
  /// Bytes that are no longer shown.
  private var dropped = 0
  /// Bytes that were looked at a second time, behind a tag that was found late: no more than have
  /// been passed, and one frame, so that the work stays in proportion.
  private var repeated = 0

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
          if let frame = wholeFrame(bytes) { return frame }
          follow(header)
        case .none where trusted == scanned:
          return .boundary(scanned)
        case .none:
          noteWeakEnd(bytes)
        }
        isTested = true
      }
      if scanned == bytes.count, isEnd { return end(bytes) }
      if let first = starts.first, scanned - first.offset >= frameByteUpperBound {
        findTag(bytes, behind: 0)
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

  /// The first place in `range` where a frame's header may begin, else the end.
  private static func nextCandidate(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
    var place = range.lowerBound
    while place < range.upperBound {
      while range.upperBound - place >= 8, !hasFF(bytes.bigEndian64(at: place)) { place += 8 }
      let stop = min(place + 8, range.upperBound)
      while place < stop {
        if bytes[place] == 0xFF {
          if place + 1 == bytes.count || bytes[place + 1] & 0xFE == 0xF8 { return place }
        }
        place += 1
      }
    }
    return place
  }

  /// Whether one of eight bytes is FF.
  @inline(__always)
  private static func hasFF(_ eight: UInt64) -> Bool {
    // Of the inverse a byte that is zero borrows from its highest bit.
    let inverse = ~eight
    return (inverse &- 0x0101_0101_0101_0101) & eight & 0x8080_8080_8080_8080 != 0
  }

  /// The first place from which on the bytes up to here may be a frame.
  private var wholeStart: Start? {
    starts.first {
      $0.checksum == 0 && scanned - $0.offset >= FLACFrameHeader.minimumFrameBytes
    }
  }

  /// The frame that ends here, or one before it that ends with a tag or a damaged header.
  private mutating func wholeFrame(_ bytes: Span<UInt8>) -> Finding? {
    guard let start = wholeStart else { return nil }
    for index in starts.indices where starts[index].offset < start.offset {
      findTag(bytes, behind: index)
    }
    return weakFrame(before: start.offset) ?? .frame(start.header, start.offset..<scanned)
  }

  /// Looks for a tag, or another FLAC stream, where the frame that may begin at a place may end.
  private mutating func findTag(_ bytes: Span<UInt8>, behind index: Int) {
    let start = starts[index]
    guard !start.isSearched, start.weakEnd == nil else { return }
    starts[index].isSearched = true
    let bytes = bytes.extracting(0..<scanned)
    var checksum: UInt16 = 0
    var checked = start.offset
    for place in start.offset..<scanned {
      guard AudioTag.isSignature(bytes, at: place) || bytes.has("fLaC", at: place) else { continue }
      checksum = FLACChecksum.crc16(checksum, bytes, checked..<place)
      checked = place
      if checksum == 0, place - start.offset >= FLACFrameHeader.minimumFrameBytes {
        starts[index].weakEnd = place
        starts[index].hasTagBehind = true
        return
      }
    }
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

  /// How many bytes to wait for: about a quarter more of the frame each time.
  private func demand(_ count: Int) -> Finding {
    guard let first = starts.first else { return scanned > 0 ? .garbage(scanned) : .need(1) }
    let quarter = min(4096, max(16, (count - first.offset) / 4))
    let least = min(frameByteUpperBound, info.minimumFrameBytes ?? 0)
    return .need(max(first.offset + least, count + quarter))
  }

  private mutating func end(_ bytes: Span<UInt8>) -> Finding {
    if let frame = wholeFrame(bytes) { return frame }
    for index in starts.indices { findTag(bytes, behind: index) }
    return weakFrame(before: scanned) ?? (scanned > 0 ? .garbage(scanned) : .end)
  }

  /// Goes on behind a frame, where the next one has to begin.
  mutating func passFrame(endingAt end: Int) {
    if end < scanned {
      let isTag = starts.contains { $0.weakEnd == end && $0.hasTagBehind }
      guard isTag, repeated + scanned - end <= dropped + end + frameByteUpperBound else {
        starts.removeAll { $0.offset < end }
        trusted = nil
        return
      }
      repeated += scanned - end
      scanned = end
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
    dropped += byteCount
    scanned -= byteCount
    trusted = trusted.map { $0 - byteCount }
    for index in starts.indices {
      starts[index].offset -= byteCount
      starts[index].weakEnd = starts[index].weakEnd.map { $0 - byteCount }
    }
  }
}
