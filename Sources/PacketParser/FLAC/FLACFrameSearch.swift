// SPDX-License-Identifier: MIT

/// Finds the beginnings and ends of FLAC frames. A frame does not state its length: it ends where the
/// next header begins and the CRC-16 over all of it, its own checksum included, is zero. Where no
/// header follows, `FLACFrameExtent` finds the end.
///
/// Every byte is examined once, and at most once again after a frame that no header follows. A damaged
/// frame is detected only when a later frame is complete, so several possible starts are followed at a
/// time, each with its own checksum.
struct FLACFrameSearch {
  /// The most starts followed at a time; further headers are ignored.
  private static let maximumStarts = 8

  /// An offset at which a frame may begin.
  private struct Start {
    var offset: Int
    var header: FLACFrameHeader
    /// The most bytes of the frame.
    var bound: Int
    /// The CRC-16 from here to the search's position.
    var checksum: UInt16 = 0
    /// The result of reading the frame's own bits.
    var extent = FLACFrameExtent.Reading.cut
    /// The search reads the extent again at this distance from the start, which keeps the work
    /// proportional.
    var bytesToRead = 0

    /// Returns whether the size of a frame from here to `place` is possible.
    func mayEnd(at place: Int) -> Bool {
      FLACFrameHeader.minimumFrameBytes...max(FLACFrameHeader.minimumFrameBytes, bound)
        ~= place - offset
    }
  }

  /// A frame whose end was not found.
  struct Broken {
    var header: FLACFrameHeader
    /// Whether all bytes present may belong to a frame.
    var isCut: Bool
  }

  /// The result of a search, with offsets from the first byte shown.
  enum Finding {
    /// A complete frame. It is found again until `passFrame` is called.
    case frame(FLACFrameHeader, Range<Int>)
    /// No whole frame begins in this many bytes.
    case garbage(Int)
    /// There is no frame at this offset, where one was expected: perhaps a tag, or the end.
    case boundary(Int)
    case need(Int)
    /// The input has ended, and so has the search.
    case end
  }

  /// The stream information, for values that frames do not state.
  var info: FLACStreamInfo
  private var starts: [Start] = []
  /// Bytes that were examined, counted from the first one shown.
  private var scanned = 0
  /// Whether the offset `scanned` was checked for a header.
  private var isTested = false
  /// The offset at which a frame is expected.
  private var trusted: Int?
  /// The first frame since the last complete one whose end was not found.
  private(set) var broken: Broken?

  /// Creates a search from an offset where a frame is expected, or only possible.
  init(_ info: FLACStreamInfo, isTrusted: Bool) {
    self.info = info
    trusted = isTrusted ? 0 : nil
  }

  /// Continues with the bytes shown, which begin after the last ones passed.
  mutating func next(_ bytes: Span<UInt8>, isEnd: Bool) -> Finding {
    while true {
      if !isTested {
        if scanned == bytes.count, !isEnd { return demand(bytes.count) }
        if scanned > 0, starts.isEmpty, trusted == nil { return .garbage(scanned) }
        switch FLACFrameHeader.read(bytes, at: scanned, isEnd: isEnd) {
        case .need(let byteCount): return .need(scanned + byteCount)
        case .header(let header):
          // The number is ignored: two headers and the checksum between them suffice, and streams are
          // joined from others.
          if let frame = wholeFrame(bytes) ?? earlierFrame(bytes) { return frame }
          follow(header)
        case .none where trusted == scanned:
          return .boundary(scanned)
        case .none: break
        }
        isTested = true
      }
      if scanned == bytes.count, isEnd { return end(bytes) }
      if let first = starts.first, scanned - first.offset >= first.bound {
        readExtent(0, bytes)
        if let frame = frame(starts[0]) { return frame }
        starts[0].extent = .none
        giveUpFirst()
        return .garbage(starts.first?.offset ?? scanned)
      }
      if scanned == bytes.count { return demand(bytes.count) }
      advance(bytes)
    }
  }

  /// Advances to the next possible header.
  private mutating func advance(_ bytes: Span<UInt8>) {
    var stop = bytes.count
    if let first = starts.first { stop = min(stop, first.offset + first.bound) }
    let next = Self.nextCandidate(bytes, scanned + 1..<stop)
    for index in starts.indices {
      starts[index].checksum = FLACChecksum.crc16(starts[index].checksum, bytes, scanned..<next)
    }
    scanned = next
    isTested = false
  }

  /// The first offset in `range` at which a frame header may begin, else the end.
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
    // In the inverse, subtracting 1 from a zero byte sets its highest bit.
    let inverse = ~eight
    return (inverse &- 0x0101_0101_0101_0101) & eight & 0x8080_8080_8080_8080 != 0
  }

  /// Returns the frame that ends here before another header, or an earlier one that foreign bytes
  /// follow.
  private mutating func wholeFrame(_ bytes: Span<UInt8>) -> Finding? {
    let place = starts.firstIndex {
      $0.checksum == 0 && $0.mayEnd(at: scanned)
    }
    guard let place else { return nil }
    let start = starts[place]
    for index in 0..<place {
      readExtent(index, bytes)
      if let frame = frame(starts[index]), case .end(let end) = starts[index].extent,
        end <= start.offset
      {
        return frame
      }
    }
    // Zeros after a correct checksum keep it correct. A frame of another format needs a proof of its
    // own.
    guard bytes.bigEndian16(at: scanned - 2) == 0 || !info.holds(for: start.header) else {
      return .frame(start.header, start.offset..<scanned)
    }
    readExtent(place, bytes)
    return frame(starts[place])
  }

  /// Returns the frame that ended before the header here, with foreign bytes between. Starts without a
  /// frame are removed.
  private mutating func earlierFrame(_ bytes: Span<UInt8>) -> Finding? {
    while let first = starts.first {
      if scanned - first.offset >= first.bytesToRead { readExtent(0, bytes) }
      guard starts[0].extent == .none else { return frame(starts[0]) }
      giveUpFirst()
    }
    return nil
  }

  /// Reads a frame's own bits unless its end is known.
  private mutating func readExtent(_ index: Int, _ bytes: Span<UInt8>) {
    let start = starts[index]
    guard start.extent == .cut else { return }
    starts[index].extent = FLACFrameExtent.read(
      bytes.extracting(0..<scanned), at: start.offset, start.header, info)
    starts[index].bytesToRead = 2 * (scanned - start.offset)
  }

  private mutating func giveUpFirst() {
    let first = starts.removeFirst()
    broken = broken ?? Broken(header: first.header, isCut: first.extent == .cut)
  }

  /// Returns the frame of a start whose end is known.
  private func frame(_ start: Start) -> Finding? {
    guard case .end(let end) = start.extent, start.mayEnd(at: end) else { return nil }
    return .frame(start.header, start.offset..<end)
  }

  private mutating func follow(_ header: FLACFrameHeader) {
    guard starts.count < Self.maximumStarts else { return }
    let bound = max(info.maximumFrameBytes ?? 0, header.byteUpperBound(info))
    starts.append(Start(offset: scanned, header: header, bound: bound))
    trusted = nil
  }

  /// Requests more bytes: about a quarter more of the frame each time.
  private func demand(_ count: Int) -> Finding {
    guard let first = starts.first else { return scanned > 0 ? .garbage(scanned) : .need(1) }
    let quarter = min(4096, max(16, (count - first.offset) / 4))
    let least = min(first.bound, info.minimumFrameBytes ?? 0)
    return .need(max(first.offset + least, count + quarter))
  }

  private mutating func end(_ bytes: Span<UInt8>) -> Finding {
    for index in starts.indices {
      readExtent(index, bytes)
      if let frame = frame(starts[index]) { return frame }
    }
    // The input lacks the zeros at the end of a checksum.
    let whole = starts.first {
      $0.extent == .cut && $0.checksum == 0 && $0.mayEnd(at: scanned)
    }
    if let whole { return .frame(whole.header, whole.offset..<scanned) }
    return scanned > 0 ? .garbage(scanned) : .end
  }

  /// Continues after a frame, where the next one is expected.
  mutating func passFrame(endingAt end: Int) {
    scanned = end
    starts.removeAll(keepingCapacity: true)
    isTested = false
    trusted = end
    broken = nil
  }

  /// Continues where no frame begins although one was expected.
  mutating func passBoundary() {
    trusted = nil
  }

  /// Forgets the first bytes, which will no longer be shown.
  mutating func drop(_ byteCount: Int) {
    scanned -= byteCount
    trusted = trusted.map { $0 - byteCount }
    while let first = starts.first, first.offset < byteCount { giveUpFirst() }
    for index in starts.indices {
      starts[index].offset -= byteCount
      if case .end(let end) = starts[index].extent {
        starts[index].extent = .end(end - byteCount)
      }
    }
  }
}
