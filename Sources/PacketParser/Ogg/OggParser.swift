// SPDX-License-Identifier: MIT

import AudioModel

/// An Ogg stream (RFC 3533): pages of one or several logical streams, of which the first one with audio
/// is parsed. Packets that span pages are joined; a run holds the packets that end on one page.
///
/// Frames count from the first packet on, through all links of a chained stream, at the rate of the
/// current link. A page's granule states the frame, so frames are exact again after a loss or a jump.
/// The size of the audio without page headers is unknown until all of it was parsed. A chained stream
/// has no packet table: each link has its own priming and remainder frames.
struct OggParser: ContainerParser {
  /// The most bytes of a packet.
  static let maximumPacketBytes = 4 << 20
  /// The most bytes of the search for the beginning of a stream.
  static let searchLimit: Int64 = 1 << 20
  /// The most links kept for a jump back; packets of later links are not indexed.
  static let maximumPastLinks = 16
  /// The most logical streams that are recognised among those that begin together.
  static let maximumCompanions = 16

  /// The kind of packet that the last page left unfinished.
  enum OpenPacket {
    case none
    case header
    case audio
    /// Its beginning is missing.
    case discarded
  }

  var facts = StreamFacts()
  var details: StreamDetails
  var descriptions: [AudioStreamPacketDescription] = []
  var assembled: [UInt8] = []

  let start: Int64
  let totalByteCount: Int64?
  private let canReposition: Bool
  var tail: [UInt8]
  var gap = StreamGap()
  /// Whether bytes of the gap began like a page but were none.
  var hasBrokenPage = false
  /// Lost pages, until a granule states their frames.
  var hole: OggHole?
  /// Frames of all holes, at the first format's rate.
  var missingFrames: Int64 = 0
  /// The current link, if it cannot be played.
  var lostLink: OggLostLink?
  /// The steps that follow from the current page, in order.
  var outbox: [ParserStep] = []
  /// Frames of the run in the outbox.
  var runFrames: Int64 = 0
  var hasEnded = false

  // Links.
  /// Whether the last page was a first page, so that others may follow.
  var isAmongFirstPages = false
  /// The logical streams of the last first pages.
  var companions: [UInt32] = []
  /// The name of unsupported audio among the last first pages.
  var otherAudio: String?
  var link: OggLink?
  var linkCount = 0
  /// Frames of sound in the links that have ended, and their frame rate, with which the next link
  /// begins.
  var pastSoundFrames: Int64 = 0
  var frameRate = 0.0
  /// Earlier links, for a jump back.
  var pastLinks: [OggLink] = []

  // Packets.
  var openPacket = OpenPacket.none
  /// The beginning of an unfinished packet, and the stream offset of its page.
  var partial: [UInt8] = []
  var partialOffset: Int64 = 0
  var nextPacket: Int64 = 0
  /// The first frame of the next packet; nil until a granule states it.
  var nextFrame: Int64? = 0
  /// The last known frame.
  var lastFrame: Int64 = 0
  /// Whether the next page need not follow the last one.
  var isAdrift = false
  /// Whether the next packet's number is an estimate.
  var isNumberGuessed = false
  /// Whether a jump led to an estimated offset at which no page was parsed yet.
  var isPlaceGuessed = false
  /// Frames of each packet so far, if all had the same number; otherwise 0. Nil before the first
  /// packet.
  var commonFrames: Int64?

  // Seeking.
  var pages = OggPageIndex()
  var frameIndex = PacketIndex()
  /// Whether all packets before the next one were seen.
  var isCovering = true
  /// Whether the stream was parsed from its beginning without a jump.
  var isUnbroken = true

  init(_ context: ParserContext) {
    start = context.start
    totalByteCount = context.totalByteCount
    canReposition = context.canReposition
    tail = context.tail
    details = StreamDetails(context)
    facts.isDataLast = false
  }

  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    if !outbox.isEmpty { return nextStep() }
    if isEnd, bytes.isEmpty { return try endOfInput(at: offset) }
    switch OggPage.read(bytes, at: 0, isEnd: isEnd) {
    case .need(let byteCount): return .need(byteCount)
    case .none:
      if bytes.isEmpty { return .need(1) }
      return try passGarbage(bytes, at: offset)
    case .page(let page):
      if canReposition, let target = wayBack(from: page, at: offset) {
        reposition(to: target)
        return .goTo((facts.dataOffset ?? 0) + target.byteOffset)
      }
      if let notice = closeGap(before: page, at: offset) { return notice }
      try read(page, bytes.extracting(0..<page.byteCount), at: offset)
      outbox.append(.skip(Int64(page.byteCount)))
      return nextStep()
    }
  }

  /// Skips to the next possible page.
  private mutating func passGarbage(
    _ bytes: Span<UInt8>, at offset: Int64
  ) throws(AudioFileStreamError) -> ParserStep {
    if bytes.count >= 4, OggPage.hasCapture(bytes, at: 0) { hasBrokenPage = true }
    var place = 1
    while place < bytes.count, !OggPage.hasCapture(bytes, at: place) { place += 1 }
    return gap.pass(place, at: offset)
  }

  private mutating func nextStep() -> ParserStep {
    let step = outbox.removeFirst()
    if case .packets(let run) = step { count(run) }
    return step
  }

  /// Counts a run that is delivered now.
  private mutating func count(_ run: PacketRun) {
    // Totals that were counted to the end stay.
    if !facts.isWhole {
      facts.packetsSeen += Int64(run.count)
      facts.bytesSeen += Int64(assembled.count)
      if facts.dataFormat?.framesPerPacket == 0 { facts.framesSeen += runFrames }
    }
    for description in descriptions {
      facts.largestPacketSeen = max(facts.largestPacketSeen, Int(description.dataByteSize))
    }
  }

  private mutating func endOfInput(at offset: Int64) throws(AudioFileStreamError) -> ParserStep {
    if let notice = gap.close(hasBrokenPage ? .cut : .foreignBytes) { return notice }
    closeHole()
    closeLostLink()
    dropPartial()
    openPacket = .none
    if !hasEnded {
      hasEnded = true
      try tellEnd(at: offset)
    }
    outbox.append(.finished)
    return nextStep()
  }

}
