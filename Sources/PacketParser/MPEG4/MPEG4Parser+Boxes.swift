// SPDX-License-Identifier: MIT

import AudioModel

/// Parsing of nested boxes.
extension MPEG4Parser {
  /// The treatment of a box.
  enum Treatment {
    /// Its content is boxes, after a prefix of at most this many bytes.
    case enter(OpenBox.Kind, prefix: Int)
    /// The first bytes of its content are read, at most this many.
    case read(Int)
    /// Its content is a table, after a prefix of at most this many bytes.
    case table(prefix: Int)
    case pass
  }

  mutating func stepBox(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    while let box = open.last, offset >= box.end {
      open.removeLast()
      if let step = try close(box, at: offset) { return step }
    }
    let limit = open.last?.end ?? .max
    if limit - offset < 8 {
      // Too few bytes for a box: QuickTime ends some lists with a zero.
      if isEnd, Int64(bytes.count) < limit - offset { return try endOfInput(at: offset) }
      return .skip(limit - offset)
    }
    guard bytes.count >= 8 else { return isEnd ? try endOfInput(at: offset) : .need(8) }
    let headerBytes = BoxHeader.byteCount(bytes)
    guard bytes.count >= headerBytes else {
      return isEnd ? try endOfInput(at: offset) : .need(headerBytes)
    }
    let found =
      limit - offset >= Int64(headerBytes) ? BoxHeader(bytes, at: offset, limit: limit) : nil
    if open.isEmpty, isBetweenFragments, !isPlausible(found) { return beginSearch(at: offset) }
    guard let header = found else {
      if open.isEmpty, !facts.isReady {
        throw AudioFileStreamError(
          .invalidFile, at: offset, "the MPEG-4 file has a box that is smaller than its own header")
      }
      if open.isEmpty { phase = .rest }
      return .skip(open.isEmpty ? 0 : limit - offset)
    }
    if open.isEmpty, let step = try stepMediaData(header) { return step }
    let treatment = open.count < OpenBox.maximumDepth ? treatment(of: header) : .pass
    let wanted: Int
    switch treatment {
    case .enter(_, let prefix): wanted = prefix
    case .read(let byteCount): wanted = byteCount
    case .table(let prefix): wanted = prefix
    case .pass: return pass(header)
    }
    let shown = Int(min(Int64(wanted), header.contentBytes))
    guard bytes.count >= headerBytes + shown else {
      return isEnd ? try endOfInput(at: offset) : .need(headerBytes + shown)
    }
    let content = bytes.extracting(headerBytes..<headerBytes + shown)
    switch treatment {
    case .enter(let kind, _):
      let used = try enter(header, kind, content)
      open.append(OpenBox(kind: kind, end: header.end))
      return .skip(Int64(headerBytes + used))
    case .table:
      guard let (table, used) = try beginTable(header, content) else {
        return pass(header)
      }
      phase = .table(table)
      return .skip(Int64(headerBytes + used))
    default:
      read(header, content)
      return pass(header)
    }
  }

  /// Skips a box; if it extends to the stream's end, only the rest is left.
  private mutating func pass(_ header: BoxHeader) -> ParserStep {
    guard header.end == .max || canReposition && header.end > totalByteCount ?? .max else {
      return .skip(header.end - header.start)
    }
    phase = .rest
    return .skip(0)
  }

  /// Begins a media data box, whose content depends on the boxes before it.
  private mutating func stepMediaData(
    _ header: BoxHeader
  ) throws(AudioFileStreamError) -> ParserStep? {
    if facts.fileFormat == nil, header.type != "ftyp" { facts.fileFormat = .mpeg4 }
    if header.type == "moof", !hasMovie {
      throw AudioFileStreamError(
        .invalidFile, at: header.start,
        "this is a segment of an MPEG-4 stream without its initialization segment (moov): open the "
          + "whole stream, or join the two")
    }
    guard header.type == "mdat" else { return nil }
    guard hasMovie else {
      unreadMediaData = unreadMediaData ?? header.start
      guard canReposition else {
        throw AudioFileStreamError(
          .notOptimized, at: header.start,
          "the MPEG-4 file's index (moov) lies behind its audio: play it from a file or from a server "
            + "that can send any part, or rewrite it with ffmpeg -c copy -movflags +faststart")
      }
      if header.end == .max {
        throw AudioFileStreamError(
          .invalidFile, at: header.start,
          "the MPEG-4 file has no index (moov): its recording was not finished")
      }
      return pass(header)
    }
    guard hasPendingPackets else {
      notice(unlisted: header)
      return nil
    }
    mediaEnd = header.end
    if hasTablePackets { fragments.tableMediaEnd = mediaEnd }
    if fragments.first?.start == fragments.current?.start { fragments.firstMediaEnd = mediaEnd }
    phase = facts.isReady ? (hasTablePackets ? .packets : .fragment) : .begin
    return .skip(Int64(header.byteCount))
  }

  /// Whether listed packets still wait for their media data.
  private var hasPendingPackets: Bool {
    hasTablePackets || fragments.current.map { !$0.isDone } ?? false
  }

  var hasTablePackets: Bool { nextPacket < track?.map.packetCount ?? 0 }

  private mutating func treatment(of header: BoxHeader) -> Treatment {
    let content = Int(min(header.contentBytes, Int64(Self.maximumBoxBytes) + 1))
    let isSmall = content <= Self.maximumBoxBytes
    let whole: Treatment = isSmall ? .read(content) : .pass
    switch (open.last?.kind, header.type) {
    case (nil, "ftyp"): return .read(min(content, 1024))
    case (nil, "moov"): return hasMovie ? .pass : .enter(.movie, prefix: 0)
    case (nil, "moof"): return .enter(.fragment, prefix: 0)
    case (nil, "sidx"): return hasMovie ? .table(prefix: 32) : .pass
    case (.movie, "trak"): return enabledTrack == nil ? .enter(.track, prefix: 0) : .pass
    case (.movie, "mvex"):
      fragments.isExpected = true
      return .enter(.extends, prefix: 0)
    case (.movie, "udta"): return .enter(.userData, prefix: 0)
    case (.movie, "meta"), (.userData, "meta"): return .enter(.metadata, prefix: 8)
    case (.movie, "mvhd"), (.track, "tkhd"), (.media, "mdhd"): return .read(min(content, 32))
    case (.track, "edts"): return .enter(.edits, prefix: 0)
    case (.track, "mdia"): return .enter(.media, prefix: 0)
    case (.edits, "elst"): return .table(prefix: 8)
    case (.media, "hdlr"): return .read(12)
    case (.media, "minf"): return draft.mayBeSound ? .enter(.mediaInformation, prefix: 0) : .pass
    case (.mediaInformation, "stbl"): return .enter(.sampleTable, prefix: 0)
    case (.sampleTable, "stsd"): return .enter(.descriptions, prefix: 8)
    case (.sampleTable, "stts"), (.sampleTable, "stsc"), (.sampleTable, "stco"),
      (.sampleTable, "co64"):
      return .table(prefix: 8)
    case (.sampleTable, "stsz"), (.sampleTable, "stz2"): return .table(prefix: 12)
    case (.descriptions, _):
      return draft.entries.count < TrackDraft.maximumEntries
        ? .enter(.sampleEntry, prefix: SampleEntry.maximumBytes) : .pass
    case (.sampleEntry, "wave"): return .enter(.wave, prefix: 0)
    case (.sampleEntry, "dfLa"), (.wave, "dfLa"): return .read(42)
    case (.sampleEntry, _), (.wave, _): return SampleEntry.isUsed(header.type) ? whole : .pass
    case (.extends, "mehd"), (.extends, "trex"): return .read(24)
    case (.fragment, "traf"): return .enter(.trackFragment, prefix: 0)
    case (.trackFragment, "tfhd"): return .read(32)
    case (.trackFragment, "tfdt"): return .read(12)
    case (.trackFragment, "trun"): return .table(prefix: 16)
    case (.metadata, "keys"): return .enter(.keys, prefix: 8)
    case (.keys, _): return .read(min(content, ItemListReader.maximumNameBytes))
    case (.metadata, "ilst"): return .enter(.itemList, prefix: 0)
    case (.itemList, _): return .enter(.item, prefix: 0)
    case (.item, "data"): return .read(tagReader.wantedBytes(of: header, details.tags))
    case (.item, "mean"), (.item, "name"):
      return .read(min(content, ItemListReader.maximumNameBytes))
    case (.userData, _): return ItemListReader.isText(header.type) ? whole : .pass
    default: return .pass
    }
  }

  /// Begins a box of boxes.
  ///
  /// - Returns: the bytes of its content before the first inner box.
  private mutating func enter(
    _ header: BoxHeader, _ kind: OpenBox.Kind, _ content: Span<UInt8>
  ) throws(AudioFileStreamError) -> Int {
    switch kind {
    case .track: draft = TrackDraft()
    case .descriptions:
      if content.count >= 8 { draft.descriptionVersion = content[0] }
      draft.entryOffset = header.end - header.contentBytes + 8
      return content.count
    case .sampleEntry:
      let hasExtension = draft.descriptionVersion == 0 || isQuickTime
      let entry = SampleEntry(header.type, content, hasExtension: hasExtension)
      draft.entries.append(entry ?? SampleEntry(header.type))
      return entry.map { SampleEntry.fixedBytes + $0.extensionBytes } ?? content.count
    case .metadata:
      // A full box in MPEG-4, a plain one in QuickTime.
      return content.count < 8 || content.has("hdlr", at: 4) ? 0 : 4
    case .keys:
      tagReader.beginKeys()
      return content.count
    case .item: tagReader.begin(header.type)
    case .fragment: try fragments.begin(at: header.start)
    case .trackFragment: fragments.beginTrack()
    default: break
    }
    return 0
  }

  /// Ends a box of boxes.
  private mutating func close(
    _ box: OpenBox, at offset: Int64
  ) throws(AudioFileStreamError) -> ParserStep? {
    switch box.kind {
    case .track:
      guard draft.handler == "soun" else { break }
      if draft.isEnabled {
        enabledTrack = draft
      } else if disabledTrack == nil {
        disabledTrack = draft
      }
      draft = TrackDraft()
    case .movie: return try closeMovie(at: offset)
    case .item: tagReader.end()
    case .fragment: try closeFragment(at: offset)
    case .trackFragment: fragments.endTrack()
    default: break
    }
    return nil
  }
}
