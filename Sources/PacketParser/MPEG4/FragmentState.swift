// SPDX-License-Identifier: MIT

import AudioModel

/// The state of a fragmented stream and of its current fragment.
struct FragmentState {
  /// Whether the movie's index announces fragments (`mvex`).
  var isExpected = false
  /// The constant size of all packets, if they have one.
  var constantPacketBytes: UInt32 = 0
  /// The duration of all fragments in the movie's units (`mehd`); 0 if not stated.
  var movieDuration: Int64 = 0
  /// The fragment whose packets are delivered, and the stream's first one.
  var current: MovieFragment?
  var first: MovieFragment?
  /// The byte offset at which the media data of the first fragment end.
  var firstMediaEnd: Int64 = 0
  /// The byte offset at which the media data that hold the movie's own indexed packets end.
  var tableMediaEnd: Int64 = 0
  var index = FragmentIndex()
  var segments: SegmentIndex?
  /// The valid frames, if their count is not known beforehand.
  var soundFrames: Range<Int64>?
  /// The decoding time of the stream's first packet, in the media's units.
  var timeOrigin: Int64?
  /// The number of the current fragment's first packet, and its first frame.
  var firstPacket: Int64 = 0
  var firstFrame: Int64 = 0
  /// The first frame of the next fragment, if that fragment states no time.
  var nextFrame: Int64 = 0
  /// The end of the last fragment's sound, as a frame.
  var endFrame: Int64 = 0
  /// The first frame of the next fragment if nothing is missing; nil after a seek.
  var expectedFrame: Int64?
  /// Frames missing between the fragments, minus those by which time goes back.
  var missingFrames: Int64 = 0
  /// The byte offset at which the data listed by fragments, of all tracks, end.
  private(set) var dataEnd: Int64 = 0
  /// Bytes after the last fragment that belong to no fragment.
  var stretch: UnlistedStretch?
  /// Whether the stream was entered at an estimated offset, so that a fragment's time determines its
  /// packets' numbers.
  var needsNumber = false

  /// Whether the stream offset of the bytes is unknown.
  var isPlaceUnknown = false

  /// Fragments that began, and those with packets of the track.
  private var count = 0
  var countWithPackets = 0

  private var defaults: [(track: UInt32, entry: UInt32, duration: UInt32, size: UInt32)] = []
  private var start: Int64 = 0
  private var header: TrackFragmentHeader?
  private var isOurs = false
  /// The byte offset at which the last track's data end.
  private var lastEnd: Int64 = 0

  /// The most tracks whose defaults are kept.
  private static let maximumDefaults = 64
  /// The most entries of a fragment's tables.
  private static let maximumSamples = 1 << 20

  /// Reads `trex`: track (32), description (32), duration (32), size (32), flags (32).
  mutating func addDefaults(_ content: Span<UInt8>) {
    guard content.count >= 20, defaults.count < Self.maximumDefaults else { return }
    defaults.append(
      (
        content.bigEndian32(at: 4), content.bigEndian32(at: 8), content.bigEndian32(at: 12),
        content.bigEndian32(at: 16)
      ))
  }

  /// Returns the sample entry of a track's fragments that name none.
  func defaultEntry(of track: UInt32) -> UInt32 {
    defaults.first { $0.track == track }?.entry ?? 1
  }

  /// Returns the reason why a stream that announces fragments has no packets.
  ///
  /// - Parameters:
  ///   - table: the number of packets that the index itself lists.
  ///   - isWithin: whether the input ended within a box of boxes, that is, a fragment.
  func missing(table: Int64, isWithin: Bool) -> String {
    if isWithin {
      return
        "the fragmented MPEG-4 file ends within a fragment (moof): its transfer or recording was not "
        + "finished"
    }
    if table > 0 || countWithPackets > 0 {
      return
        "the fragmented MPEG-4 file ends before its audio (mdat): its transfer or recording was not "
        + "finished"
    }
    if count > 0 {
      return
        "the fragmented MPEG-4 file has \(count) fragments (moof), and none lists packets of its audio "
        + "track: the file is damaged, or the fragments belong to another file"
    }
    return
      "this is only the initialization segment of a fragmented MPEG-4 stream, and no fragment (moof) "
      + "follows it: its segments are missing, or its transfer was not finished"
  }

  // MARK: One fragment

  mutating func begin(at offset: Int64) throws(AudioFileStreamError) {
    if let current, !current.isDone {
      throw Self.invalid("the packets listed are not in the media data behind it", current.start)
    }
    count += 1
    start = offset
    lastEnd = offset
    current = MovieFragment(start: offset)
  }

  mutating func beginTrack() {
    header = nil
    isOurs = false
  }

  /// Reads `tfhd`: flags (24), track (32), then the fields that the flags select.
  mutating func readHeader(_ content: Span<UInt8>, track: UInt32?) {
    guard content.count >= 8 else { return }
    let flags = content.bigEndian32(at: 0)
    var new = TrackFragmentHeader(
      trackID: content.bigEndian32(at: 4), nextByte: lastEnd, base: lastEnd)
    if let found = defaults.first(where: { $0.track == new.trackID }) {
      new.entry = found.entry
      new.defaultDuration = found.duration
      new.defaultSize = found.size
    }
    // The flag makes offsets relative to the fragment; without it, the tracks' data follow one another.
    if flags & 0x20000 != 0 { new.base = start }
    var place = 8
    func word() -> UInt32? {
      guard content.count >= place + 4 else { return nil }
      defer { place += 4 }
      return content.bigEndian32(at: place)
    }
    if flags & 1 != 0, let high = word(), let low = word() {
      // Usually the fragment's own offset, which also replaces it if offsets are unknown.
      new.base = isPlaceUnknown ? start : Int64(clamping: UInt64(high) << 32 | UInt64(low))
    }
    new.base = min(new.base, 1 << 60)
    new.nextByte = new.base
    if flags & 2 != 0 { new.entry = word() ?? new.entry }
    if flags & 8 != 0 { new.defaultDuration = word() ?? 0 }
    if flags & 0x10 != 0 { new.defaultSize = word() ?? 0 }
    isOurs = new.trackID == track
    header = new
  }

  mutating func readTime(_ content: Span<UInt8>) {
    guard isOurs, content.count >= 8 else { return }
    let isLong = MPEG4Parser.isLong(content) && content.count >= 12
    let time =
      isLong
      ? Int64(clamping: content.bigEndian64(at: 4)) : Int64(content.bigEndian32(at: 4))
    if current?.baseTime == nil { current?.baseTime = min(time, 1 << 60) }
  }

  mutating func endTrack() {
    if let header { lastEnd = header.nextByte }
    header = nil
  }

  /// Reads `trun`: flags (24), count (32), then a data offset, the first sample's flags, and for each
  /// sample the fields that the flags select (ISO/IEC 14496-12 section 8.8.8).
  mutating func beginRun(
    _ box: BoxHeader, _ content: Span<UInt8>
  ) throws(AudioFileStreamError) -> (BoxTable, Int)? {
    guard let header else { return nil }
    let flags = content.bigEndian32(at: 0)
    let count = Int64(content.bigEndian32(at: 4))
    var used = 8
    var byteOffset = header.nextByte
    if flags & 1 != 0, content.count >= used + 4 {
      byteOffset = header.base + Int64(Int32(bitPattern: content.bigEndian32(at: used)))
      used += 4
    }
    if flags & 4 != 0 { used += 4 }
    guard content.count >= used, byteOffset >= 0 else {
      throw Self.invalid("a run of packets has an impossible byte offset", box.start)
    }
    let fields = [0x100, 0x200, 0x400, 0x800] as [UInt32]
    var run = RunDraft(
      byteOffset: byteOffset, count: count, hasDuration: flags & 0x100 != 0,
      hasSize: flags & 0x200 != 0, entryBytes: fields.count { flags & $0 != 0 } * 4,
      firstSize: current?.sizes.count ?? 0, firstDuration: current?.durations.count ?? 0)
    guard run.entryBytes > 0 else {
      run.byteCount = Int64(
        clamping: UInt64(count).multipliedReportingOverflow(by: UInt64(header.defaultSize))
          .partialValue)
      try endRun(run)
      return nil
    }
    guard !isOurs || Int64(run.firstSize) + count <= Self.maximumSamples else {
      throw Self.invalid("a run claims to have \(count) packets", box.start)
    }
    let table = BoxTable(
      kind: .run(run), entryBytes: run.entryBytes, left: count, end: box.end)
    return (table, used)
  }

  mutating func addSamples(_ run: inout RunDraft, _ bytes: Span<UInt8>) {
    var place = 0
    while place < bytes.count {
      if isOurs, run.hasDuration { current?.append(duration: bytes.bigEndian32(at: place)) }
      let size =
        run.hasSize
        ? bytes.bigEndian32(at: place + (run.hasDuration ? 4 : 0)) : header?.defaultSize ?? 0
      if isOurs, run.hasSize { current?.append(size: size) }
      run.byteCount += Int64(size)
      place += run.entryBytes
    }
  }

  mutating func endRun(_ run: RunDraft) throws(AudioFileStreamError) {
    guard let header else { return }
    let (end, overflow) = run.byteOffset.addingReportingOverflow(run.byteCount)
    self.header?.nextByte = overflow ? 1 << 60 : min(end, 1 << 60)
    dataEnd = max(dataEnd, self.header?.nextByte ?? 0)
    guard isOurs, let fragment = current else { return }
    if constantPacketBytes > 0 {
      // A sample can be any number of packets.
      return current!.append(
        MovieFragment.Run(
          byteOffset: run.byteOffset, count: run.byteCount / Int64(constantPacketBytes),
          size: .common(constantPacketBytes), duration: .common(0), entry: header.entry))
    }
    // Empty samples are no packets.
    if !run.hasSize, header.defaultSize == 0 { return }
    guard run.hasSize || run.count == 0 || isPossible(header.defaultSize) else {
      throw Self.invalid("packets have \(header.defaultSize) bytes each", fragment.start)
    }
    // If the box is too small, the packets are fewer than announced.
    var count = run.count
    if run.hasSize { count = min(count, Int64(fragment.sizes.count - run.firstSize)) }
    if run.hasDuration { count = min(count, Int64(fragment.durations.count - run.firstDuration)) }
    current?.append(
      MovieFragment.Run(
        byteOffset: run.byteOffset, count: count,
        size: run.hasSize ? .table(run.firstSize) : .common(header.defaultSize),
        duration: run.hasDuration ? .table(run.firstDuration) : .common(header.defaultDuration),
        entry: header.entry))
  }

  private func isPossible(_ size: UInt32) -> Bool {
    size > 0 && Int64(size) <= Int64(MPEG4Parser.maximumPacketBytes)
  }

  static func invalid(_ text: String, _ offset: Int64) -> AudioFileStreamError {
    AudioFileStreamError(
      .invalidFile, at: offset,
      "the MPEG-4 file is damaged: in one of its fragments (moof) \(text)")
  }

  // MARK: Segments

  /// Reads `sidx`: track (32), units per second (32), earliest time, bytes to the first segment (32 or
  /// 64 bits each), reserved (16), count (16).
  mutating func beginSegments(
    _ box: BoxHeader, _ content: Span<UInt8>, track: SoundTrack?
  ) -> (BoxTable, Int)? {
    let isLong = MPEG4Parser.isLong(content)
    let used = isLong ? 32 : 24
    guard content.count >= used, content.bigEndian32(at: 4) == track?.id, segments == nil,
      box.end < .max
    else { return nil }
    let units = content.bigEndian32(at: 8)
    let distance =
      isLong ? content.bigEndian64(at: 20) : UInt64(content.bigEndian32(at: 16))
    guard units > 0, distance < 1 << 60 else { return nil }
    segments = SegmentIndex(
      unitsPerSecond: Int64(units), firstByte: min(box.end, 1 << 60) + Int64(distance))
    let count = Int64(content.bigEndian16(at: used - 2))
    return (BoxTable(kind: .segments, entryBytes: 12, left: count, end: box.end), used)
  }

  /// Adds a reference: its type (1), bytes (31), duration (32), access points (32).
  mutating func addSegment(_ reference: UInt32, duration: UInt32) {
    segments?.append(byteCount: Int64(reference & 0x7FFF_FFFF), duration: Int64(duration))
  }
}
