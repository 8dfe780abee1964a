// SPDX-License-Identifier: MIT

import AudioModel

/// MPEG-4, QuickTime and 3GPP files (ISO/IEC 14496-12): nested boxes. `moov` holds an index of all
/// samples, or each `moof` one of the samples that follow it.
///
/// The first sound track is parsed, and data between its chunks are skipped. Only small boxes are held
/// as a whole; the index is stored in compact tables as it arrives.
struct MPEG4Parser: ContainerParser {
  /// The kind of the next bytes.
  enum Phase {
    /// The header of a box, or a small box.
    case boxes
    /// Entries of a table.
    case table(BoxTable)
    /// The first packet, which may complete the known facts.
    case begin
    /// Packets that the index of `moov` lists.
    case packets
    /// Packets that a fragment lists.
    case fragment
    /// Unknown bytes, with a fragment somewhere ahead.
    case searching
    /// Bytes that are ignored.
    case rest
  }

  /// Bytes of the largest packet that is accepted.
  static let maximumPacketBytes = 4 << 20
  /// The most packets of a stream, so that frames cannot overflow.
  static let maximumPackets = Int64(1) << 40
  /// Bytes of the largest box that is read as a whole.
  static let maximumBoxBytes = 64 << 10
  /// The most packets of one run.
  static let maximumRun = 512

  let canReposition: Bool
  let totalByteCount: Int64?
  var facts = StreamFacts()
  var details: StreamDetails
  var descriptions: [AudioStreamPacketDescription] = []
  var phase = Phase.boxes
  var open: [OpenBox] = []

  // The movie.
  var isQuickTime = true
  var hasMovie = false
  /// The byte offset of media data that preceded their description.
  var unreadMediaData: Int64?
  var movieTimescale: UInt32 = 0
  var draft = TrackDraft()
  /// The first enabled sound track, and the first one that is not.
  var enabledTrack: TrackDraft?
  var disabledTrack: TrackDraft?
  var track: SoundTrack?
  var tagReader = ItemListReader()

  // The packets.
  var nextPacket: Int64 = 0
  /// Whether packets were skipped, so that runs from here on state their frames.
  var hasPassedPackets = false
  /// Steps to return before the next packet.
  var notices: [ParserStep] = []
  /// The byte offset at which the current media data box ends.
  var mediaEnd: Int64 = 0
  var isUnbroken = true
  /// Bytes of a packet cut by the end of the input, and their stream offset.
  var cutPacket: (byteCount: Int64, offset: Int64)?
  var fragments = FragmentState()

  init(_ context: ParserContext) {
    canReposition = context.canReposition
    totalByteCount = context.totalByteCount
    details = StreamDetails(context)
    facts.isDataLast = false
  }

  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    if !notices.isEmpty { return notices.removeFirst() }
    return switch phase {
    case .boxes: try stepBox(bytes, at: offset, isEnd: isEnd)
    case .table(let table): try stepTable(table, bytes, at: offset, isEnd: isEnd)
    case .begin: try stepBegin(bytes, at: offset, isEnd: isEnd)
    case .packets: try stepPackets(bytes, at: offset, isEnd: isEnd)
    case .fragment: try stepFragment(bytes, at: offset, isEnd: isEnd)
    case .searching: stepSearch(bytes, at: offset, isEnd: isEnd)
    case .rest: try stepRest(bytes, at: offset, isEnd: isEnd)
    }
  }

  private mutating func stepRest(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    if !bytes.isEmpty {
      // Nothing need be read on the way to the end.
      if canReposition, !isEnd, let end = totalByteCount, end > offset {
        return .skip(end - offset)
      }
      return .skip(Int64(bytes.count))
    }
    if !isEnd { return .need(1) }
    if let cut = cutPacket {
      cutPacket = nil
      return .skipped(
        AudioFileStreamGap(.cut, byteOffset: cut.offset, byteCount: cut.byteCount))
    }
    if !facts.isReady { return try endOfInput(at: offset) }
    if let step = reportStretch() { return step }
    facts.isWhole = facts.isWhole || isUnbroken
    // The last packet's duration, which may be shorter, is known now.
    if isUnbroken, fragments.endFrame > 0 {
      let frames = max(0, fragments.endFrame - fragments.missingFrames)
      facts.statedFrameCount = frames
      facts.soundFrameCount = fragments.soundFrames.map {
        max(0, frames - cutFrames - $0.lowerBound)
      }
    }
    return .finished
  }

  /// Handles the end of the input where a box was expected.
  mutating func endOfInput(at offset: Int64) throws(AudioFileStreamError) -> ParserStep {
    if facts.isReady {
      phase = .rest
      return .skip(0)
    }
    // A box of size 0 extends to the stream's end, which is here.
    if let first = open.first, first.end == .max {
      for index in open.indices where open[index].end == .max { open[index].end = offset }
      if open.allSatisfy({ $0.end == offset }) {
        phase = .boxes
        return .skip(0)
      }
    }
    let message =
      if hasMovie {
        fragments.missing(table: track?.map.packetCount ?? 0, isWithin: !open.isEmpty)
      } else if open.isEmpty {
        unreadMediaData == nil
          ? "the MPEG-4 file ends before its index (moov)"
          : "the MPEG-4 file has no index (moov): its recording or transfer was not finished"
      } else {
        "the MPEG-4 file ends within its index (moov): its transfer was not finished"
      }
    throw AudioFileStreamError(.invalidFile, at: offset, message)
  }

  /// Moves to a byte offset; returns nil if it is already there.
  ///
  /// - Parameter mayGoBack: whether the offset may precede the present one.
  mutating func approach(
    _ place: Int64, _ shown: Int, at offset: Int64, isEnd: Bool, mayGoBack: Bool
  ) throws(AudioFileStreamError) -> ParserStep? {
    if place > offset {
      let isBeyond = canReposition && place > totalByteCount ?? .max
      if isBeyond || isEnd && Int64(shown) < place - offset {
        phase = .rest
        return .skip(0)
      }
      return .skip(place - offset)
    }
    guard place < offset else { return nil }
    guard mayGoBack, canReposition else { throw outOfOrder(at: place) }
    return .goTo(place)
  }

  /// Moves to the last of the bytes that are skipped. Only if that byte is shown, the input holds all
  /// of them.
  ///
  /// - Parameter end: the byte offset after it.
  /// - Returns: the step that leads there; nil if the byte is shown.
  mutating func approachLastByte(
    before end: Int64, _ shown: Int, at offset: Int64, isEnd: Bool, mayGoBack: Bool
  ) throws(AudioFileStreamError) -> ParserStep? {
    if offset == end, !mayGoBack { return nil }
    if let step = try approach(end - 1, shown, at: offset, isEnd: isEnd, mayGoBack: mayGoBack) {
      return step
    }
    if shown > 0 { return nil }
    if !isEnd { return .need(1) }
    phase = .rest
    return .skip(0)
  }

  func outOfOrder(at offset: Int64) -> AudioFileStreamError {
    AudioFileStreamError(
      .notOptimized, at: offset,
      "the MPEG-4 file's audio is not stored in the order of playing: play it from a file or from a "
        + "server that can send any part, or rewrite it with ffmpeg -c copy -movflags +faststart")
  }

  /// Counts empty packets, which are not delivered but have numbers and take time.
  mutating func pass(_ packets: Int, _ frames: Int64) {
    let isVariable = facts.dataFormat?.framesPerPacket == 0
    count(packets: packets, bytes: 0, frames: isVariable ? frames : 0, largest: 0)
  }

  /// Counts delivered packets, until all packets of the stream were delivered.
  mutating func count(packets: Int, bytes: Int, frames: Int64, largest: Int) {
    if facts.isWhole { return }
    facts.packetsSeen += Int64(packets)
    facts.bytesSeen += Int64(bytes)
    facts.framesSeen += frames
    facts.largestPacketSeen = max(facts.largestPacketSeen, largest)
  }
}
