// SPDX-License-Identifier: MIT

/// Reads an ID3v2 tag (versions 2.2 to 2.4) frame by frame. A tag may be larger than memory: only texts
/// up to a size limit and requested pictures are held.
struct ID3v2Reader {
  /// Bytes of a tag's header.
  static let headerBytes = 10
  /// The bytes of a picture's frame within which the picture must begin.
  static let maximumPictureHeaderBytes = 4 << 10

  private enum State {
    case tagHeader
    case extendedHeader
    case frameHeader
    /// Looking for a frame after this one, which decides the number format of the size.
    case sizing(ID3v2Frame)
    /// The same for a frame too large to hold, whose bytes were skipped.
    case sizingBehind(ID3v2Frame, picture: AudioFilePicture?, dataStart: Int64)
    case text(ID3v2Frame)
    case picture(ID3v2Frame)
    /// Counting a picture's bytes without those that unsynchronisation added.
    case counting(AudioFilePicture, countedBefore: Int)
    case ended
  }

  private let version: UInt8
  private let isUnsynchronised: Bool
  private let hasExtendedHeader: Bool
  private let footerBytes: Int64
  private let isReadable: Bool
  private var bytes: TagBytes
  private var content = ID3v2Content()
  private var state = State.tagHeader
  /// Bytes that must be held for the next step.
  private var wanted = 0
  /// Whether the sizes of version 2.4 have eight bits a byte, once a frame has shown it.
  private var hasPlainSizes: Bool?
  /// Whether the tag's end was handled.
  private var hasFinished = false

  /// Creates a reader of the tag whose header is at the start of `bytes`; nil if there is none.
  init?(_ bytes: Span<UInt8>) {
    guard bytes.count >= Self.headerBytes, AudioTag.isID3v2(bytes, at: 0) else { return nil }
    version = bytes[3]
    let flags = bytes[5]
    isUnsynchronised = flags & 0x80 != 0
    hasExtendedHeader = version > 2 && flags & 0x40 != 0
    footerBytes = flags & 0x10 != 0 ? 10 : 0
    self.bytes = TagBytes(
      Int64(synchsafe: bytes.bigEndian32(at: 6)),
      isUnsynchronised: isUnsynchronised && version < 4)
    // Version 2.2 has a flag for a compression that was never defined.
    isReadable = (2...4).contains(version) && !(version == 2 && flags & 0x40 != 0)
  }

  /// Reads the tag's next bytes, which begin with its header.
  mutating func step(
    _ shown: Span<UInt8>, isEnd: Bool, into tags: inout TagCollector
  ) -> TagStep {
    if case .tagHeader = state {
      enter(!isReadable ? .ended : hasExtendedHeader ? .extendedHeader : .frameHeader)
      return .skip(Int64(Self.headerBytes))
    }
    var used: Int64 = 0
    while true {
      if case .ended = state {
        if hasFinished { return used > 0 ? .skip(used) : .finished }
        hasFinished = true
        content.finish(&tags)
        used += bytes.end() + footerBytes
        continue
      }
      let place = Int(min(used, Int64(shown.count)))
      switch bytes.take(shown.extracting(place..<shown.count), wanted: wanted) {
      case .needsMore(let byteCount):
        used += byteCount
        if used > 0 { return .skip(used) }
        guard isEnd else { return .need(1) }
        content.finish(&tags)
        return .finished
      case .holds(let byteCount):
        used += byteCount
        advance(&tags)
      }
    }
  }

  private mutating func enter(_ next: State) {
    state = next
    let headerBytes = ID3v2Frame.headerBytes(version: version)
    switch next {
    case .tagHeader, .ended: wanted = 0
    case .extendedHeader: wanted = 4
    case .frameHeader, .sizingBehind: wanted = headerBytes
    case .sizing(let frame): wanted = headerBytes * 2 + Int(frame.byteCount)
    case .text(let frame): wanted = headerBytes + Int(frame.byteCount)
    case .picture(let frame): wanted = headerBytes + Int(frame.byteCount)
    case .counting: wanted = 0
    }
  }

  /// Makes a step with the bytes held.
  private mutating func advance(_ tags: inout TagCollector) {
    switch state {
    case .tagHeader, .ended: break
    case .extendedHeader: passExtendedHeader()
    case .frameHeader:
      let held = bytes.held
      guard
        let frame = ID3v2Frame(
          held.span, version: version, isTagUnsynchronised: isUnsynchronised),
        frame.byteCount <= bytes.remaining - Int64(ID3v2Frame.headerBytes(version: version))
      else { return enter(.ended) }
      begin(frame, tags)
    case .sizing(let frame): settleSize(frame, tags)
    case .sizingBehind(let frame, let picture, let dataStart):
      let held = bytes.held
      let isPlain = !ID3v2Frame.mayFollow(held.span, at: 0, version: version)
      hasPlainSizes = isPlain
      let byteCount = isPlain ? frame.plainByteCount ?? frame.byteCount : frame.byteCount
      if var picture {
        picture.byteCount = Int(byteCount - dataStart)
        tags.add(picture)
      }
      bytes.pass(byteCount - frame.byteCount)
      enter(.frameHeader)
    case .text(let frame):
      if let text = expanded(body(frame), frame, limit: TagCollector.maximumTextBytes + 1),
        text.count <= TagCollector.maximumTextBytes
      {
        content.addText(frame.id, text[...], to: &tags)
      }
      leave(frame)
    case .picture(let frame): readPicture(frame, &tags)
    case .counting(var picture, let countedBefore):
      picture.byteCount = countedBefore + Int(bytes.counted)
      tags.add(picture)
      enter(.frameHeader)
    }
  }

  /// Skips the extended header. Its size includes itself in version 2.4 only (sections 3.2 of both).
  private mutating func passExtendedHeader() {
    let held = bytes.held
    guard held.count >= 4 else { return enter(.ended) }
    let size = held.span.bigEndian32(at: 0)
    bytes.pass(version == 4 ? max(4, Int64(synchsafe: size)) : 4 + Int64(size))
    enter(.frameHeader)
  }

  /// Returns the most bytes of a frame that are held.
  private func heldLimit(_ tags: TagCollector) -> Int64 {
    let pictureBytes = Int64(min(tags.pictureByteLimit, 1 << 30))
    return max(
      Int64(TagCollector.maximumTextBytes), pictureBytes + Int64(Self.maximumPictureHeaderBytes))
  }

  /// Decides how to read a frame whose header is held.
  private mutating func begin(_ frame: ID3v2Frame, _ tags: TagCollector) {
    guard let plain = frame.plainByteCount, hasPlainSizes != false,
      plain <= bytes.remaining - Int64(ID3v2Frame.headerBytes(version: version))
    else { return read(frame.withSynchsafeSize, tags) }
    if hasPlainSizes == true { return read(frame.withPlainSize, tags) }
    guard frame.byteCount <= heldLimit(tags) else { return read(frame, tags) }
    enter(.sizing(frame))
  }

  private mutating func settleSize(_ frame: ID3v2Frame, _ tags: TagCollector) {
    let held = bytes.held
    let end = ID3v2Frame.headerBytes(version: version) + Int(frame.byteCount)
    let isPlain = !ID3v2Frame.mayFollow(held.span, at: end, version: version)
    hasPlainSizes = isPlain
    read(isPlain ? frame.withPlainSize : frame.withSynchsafeSize, tags)
  }

  /// Enters the state in which a frame is read or skipped.
  private mutating func read(_ frame: ID3v2Frame, _ tags: TagCollector) {
    let isUnsettled = frame.plainByteCount != nil
    switch frame.interest {
    case .text where frame.byteCount <= Int64(TagCollector.maximumTextBytes) && !isUnsettled:
      enter(.text(frame))
    case .picture:
      enter(.picture(frame))
      let headerBytes = ID3v2Frame.headerBytes(version: version)
      if isUnsettled || frame.byteCount > heldLimit(tags) {
        wanted = headerBytes + min(Int(frame.byteCount), Self.maximumPictureHeaderBytes)
      }
    default:
      leave(frame)
    }
  }

  /// Skips the frame whose header is held.
  private mutating func leave(
    _ frame: ID3v2Frame, picture: AudioFilePicture? = nil, dataStart: Int64 = 0
  ) {
    bytes.pass(Int64(ID3v2Frame.headerBytes(version: version)) + frame.byteCount)
    enter(
      frame.plainByteCount == nil
        ? .frameHeader : .sizingBehind(frame, picture: picture, dataStart: dataStart))
  }

  /// Returns the held part of a frame's content, with unsynchronisation undone.
  private func body(_ frame: ID3v2Frame) -> [UInt8] {
    let start = ID3v2Frame.headerBytes(version: version)
    let end = min(bytes.held.count, start + Int(frame.byteCount))
    var body = start < end ? Array(bytes.held[start..<end]) : []
    if frame.isUnsynchronised { body = TagBytes.resynchronised(body[...]) }
    body.removeFirst(min(body.count, frame.prefixByteCount))
    return body
  }

  /// Returns a frame's body with at most `limit` bytes of its zlib data expanded; nil if the data are
  /// damaged.
  private func expanded(_ body: [UInt8], _ frame: ID3v2Frame, limit: Int) -> [UInt8]? {
    frame.isCompressed ? ZlibData(body[...], limit: limit)?.expanded : body
  }

  private mutating func readPicture(_ frame: ID3v2Frame, _ tags: inout TagCollector) {
    if frame.isCompressed { return readCompressedPicture(frame, &tags) }
    let body = body(frame)
    guard let found = ID3v2Content.picture(body[...], isOldStyle: version == 2) else {
      return leave(frame)
    }
    var picture = found.picture
    let start = found.dataStart
    picture.takeType(of: body[start...])
    let held = Int64(bytes.held.count - ID3v2Frame.headerBytes(version: version))
    if held < frame.byteCount, frame.isUnsynchronised {
      enter(.counting(picture, countedBefore: body.count - start))
      return bytes.count(frame.byteCount - held)
    }
    let dataStart = Int64(frame.prefixByteCount + start)
    if frame.plainByteCount != nil {
      return leave(frame, picture: picture, dataStart: dataStart)
    }
    picture.byteCount =
      held < frame.byteCount ? Int(frame.byteCount - dataStart) : body.count - start
    if picture.byteCount <= tags.pictureByteLimit, body.count - start == picture.byteCount {
      picture.bytes = Array(body[start...])
    }
    tags.add(picture)
    leave(frame)
  }

  /// Reads the held and wanted part of a compressed picture. Its size is that of the expanded data if
  /// they are complete, else the stated one.
  private mutating func readCompressedPicture(_ frame: ID3v2Frame, _ tags: inout TagCollector) {
    defer { leave(frame) }
    let limit = min(tags.pictureByteLimit, 1 << 30) + Self.maximumPictureHeaderBytes
    guard let data = ZlibData(body(frame)[...], limit: limit),
      let found = ID3v2Content.picture(data.expanded[...], isOldStyle: version == 2)
    else { return }
    var picture = found.picture
    picture.takeType(of: data.expanded[found.dataStart...])
    picture.byteCount =
      (data.isWhole ? data.expanded.count : expandedByteCount(frame) ?? data.expanded.count)
      - found.dataStart
    guard picture.byteCount >= 0 else { return }
    if data.isWhole, picture.byteCount <= tags.pictureByteLimit {
      picture.bytes = Array(data.expanded[found.dataStart...])
    }
    tags.add(picture)
  }

  /// Returns the expanded size that a frame states: in version 2.3 the first bytes of the content, in
  /// version 2.4 the last ones before the data.
  private func expandedByteCount(_ frame: ID3v2Frame) -> Int? {
    let start =
      ID3v2Frame.headerBytes(version: version) + (version == 3 ? 0 : frame.prefixByteCount - 4)
    let held = bytes.held
    guard frame.prefixByteCount >= 4, held.count >= start + 4 else { return nil }
    let word = held.span.bigEndian32(at: start)
    return Int(version == 3 ? Int64(word) : Int64(synchsafe: word))
  }
}
