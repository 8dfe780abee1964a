// SPDX-License-Identifier: MIT

import AudioModel

/// What is known of a fragmented stream, and of the fragment that is being read.
struct FragmentState {
  /// The index says that fragments follow (`mvex`).
  var isExpected = false
  /// The size of all packets, where they have one.
  var constantPacketBytes: UInt32 = 0
  /// All fragments' duration in the movie's units (`mehd`); 0 when not stated.
  var movieDuration: Int64 = 0
  /// The fragment whose packets come, and the stream's first one.
  var current: MovieFragment?
  var first: MovieFragment?
  /// Where the media data of the first one end.
  var firstMediaEnd: Int64 = 0
  /// Where the media data end that the packets of the movie's own index begin in.
  var tableMediaEnd: Int64 = 0
  var index = FragmentIndex()
  var segments: SegmentIndex?
  /// The frames that are sound, where no count of them is known beforehand.
  var soundFrames: Range<Int64>?
  /// When the stream's first packet is decoded, in the media's units.
  var timeOrigin: Int64?
  /// The number of the current fragment's first packet, and the frame it begins with.
  var firstPacket: Int64 = 0
  var firstFrame: Int64 = 0
  /// The frame that the next fragment begins with if it does not say.
  var nextFrame: Int64 = 0
  /// The frame that the last one's sound ends with.
  var endFrame: Int64 = 0
  /// The frame that the next fragment begins with if nothing is missing; nil behind a seek.
  var expectedFrame: Int64?
  /// Frames between the fragments that are missing, less those by which time goes back.
  var missingFrames: Int64 = 0
  /// Where the data end that fragments list, of all tracks.
  private(set) var dataEnd: Int64 = 0
  /// Bytes behind the last fragment that belong to none.
  var stretch: UnlistedStretch?
  /// The stream was entered at an uncertain place: a fragment's time tells its packets' numbers.
  var needsNumber = false

  /// Nobody knows where in the stream the bytes are from.
  var isPlaceUnknown = false

  /// Fragments that began, and those with packets of the track.
  private var count = 0
  var countWithPackets = 0

  private var defaults: [(track: UInt32, entry: UInt32, duration: UInt32, size: UInt32)] = []
  private var start: Int64 = 0
  private var header: TrackFragmentHeader?
  private var isOurs = false
  /// Where the data of the last track's part end.
  private var lastEnd: Int64 = 0

  /// Tracks whose defaults are kept.
  private static let maximumDefaults = 64
  /// Entries of a fragment's tables.
  private static let maximumSamples = 1 << 20

  /// `trex`: track (32), description (32), duration (32), size (32), flags (32).
  mutating func addDefaults(_ content: Span<UInt8>) {
    guard content.count >= 20, defaults.count < Self.maximumDefaults else { return }
    defaults.append(
      (
        content.bigEndian32(at: 4), content.bigEndian32(at: 8), content.bigEndian32(at: 12),
        content.bigEndian32(at: 16)
      ))
  }

  /// The sample entry of a track's fragments that name none.
  func defaultEntry(of track: UInt32) -> UInt32 {
    defaults.first { $0.track == track }?.entry ?? 1
  }

  /// Why a stream with an index that fragments should follow came to nothing.
  ///
  /// - Parameters:
  ///   - table: packets that the index itself lists.
  ///   - isWithin: the input ended within a box of boxes, a fragment.
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

  /// `tfhd`: flags (24), track (32), then what the flags say.
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
    // Relative to the fragment; without it, tracks' data lie one behind the other.
    if flags & 0x20000 != 0 { new.base = start }
    var place = 8
    func word() -> UInt32? {
      guard content.count >= place + 4 else { return nil }
      defer { place += 4 }
      return content.bigEndian32(at: place)
    }
    if flags & 1 != 0, let high = word(), let low = word() {
      // Most often the fragment's own place; of an unknown place nothing better can be said.
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

  /// `trun`: flags (24), count (32), then a data offset, the first sample's flags, and for each sample
  /// what the flags say (ISO/IEC 14496-12 section 8.8.8).
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
      throw Self.invalid("a run of packets has no possible place", box.start)
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
      // A sample is any number of packets.
      return current!.append(
        MovieFragment.Run(
          byteOffset: run.byteOffset, count: run.byteCount / Int64(constantPacketBytes),
          size: .common(constantPacketBytes), duration: .common(0), entry: header.entry))
    }
    // Samples without a byte are no packets.
    if !run.hasSize, header.defaultSize == 0 { return }
    guard run.hasSize || run.count == 0 || isPossible(header.defaultSize) else {
      throw Self.invalid("packets have \(header.defaultSize) bytes each", fragment.start)
    }
    // Fewer than announced if the box is too small for them.
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

  /// `sidx`: track (32), units per second (32), earliest time, bytes to the first segment (32 or 64
  /// bits each), reserved (16), count (16).
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

  /// A reference: whether it is to another index (1), bytes (31), duration (32), access points (32).
  mutating func addSegment(_ reference: UInt32, duration: UInt32) {
    segments?.append(byteCount: Int64(reference & 0x7FFF_FFFF), duration: Int64(duration))
  }
}
