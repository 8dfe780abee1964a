// SPDX-License-Identifier: MIT

import AudioModel

/// An Ogg stream (RFC 3533): pages of one or several logical streams, of which the first one with audio
/// is parsed. Packets, which pages cut up, are joined; a run holds those that end on one page.
///
/// Frames count from the first packet on, and all links of a chained stream after each other, at the rate
/// of the link at hand. A page's granule settles them, so that they are exact again behind a loss or a
/// jump. The size of the audio, pages' headers not counted, is unknown until all of it was parsed. A
/// chained stream has no packet table: each link has priming and remaining frames of its own.
struct OggParser: ContainerParser {
  /// Bytes of a packet at most.
  static let maximumPacketBytes = 4 << 20
  /// Where the search for the beginning of a stream is given up.
  static let searchLimit: Int64 = 1 << 20
  /// Links that are remembered for a jump back; packets of later ones are not indexed.
  static let maximumPastLinks = 16
  /// Logical streams beginning together that are known again.
  static let maximumCompanions = 16

  /// What became of the packet that the last page did not end.
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
  /// Bytes of the gap began as a page does, and were none.
  var hasBrokenPage = false
  /// Lost pages, until a granule says how many frames they held.
  var hole: OggHole?
  /// Frames of all holes, at the first format's rate.
  var missingFrames: Int64 = 0
  /// The link at hand, where it cannot be played.
  var lostLink: OggLostLink?
  /// What the page at hand came to, in order.
  var outbox: [ParserStep] = []
  /// Frames of the run in the outbox.
  var runFrames: Int64 = 0
  var hasEnded = false

  // Links.
  /// First pages come one after the other.
  var isAmongFirstPages = false
  /// The logical streams of the last first pages.
  var companions: [UInt32] = []
  /// Audio that cannot be packetised, among the last first pages.
  var otherAudio: String?
  var link: OggLink?
  var linkCount = 0
  /// Frames of sound in the links that have ended, and their rate, which the next link begins at.
  var pastSoundFrames: Int64 = 0
  var frameRate = 0.0
  /// Earlier links, for a jump back.
  var pastLinks: [OggLink] = []

  // Packets.
  var openPacket = OpenPacket.none
  /// The beginning of a packet that goes on, and where its page begins.
  var partial: [UInt8] = []
  var partialOffset: Int64 = 0
  var nextPacket: Int64 = 0
  /// The frame that the next packet begins with; nil when that is for a granule to tell.
  var nextFrame: Int64? = 0
  /// The last frame that was known.
  var lastFrame: Int64 = 0
  /// The next page need not follow the last one.
  var isAdrift = false
  /// The next packet's number is a guess.
  var isNumberGuessed = false
  /// A jump led to a guessed place, and nothing was met there yet.
  var isPlaceGuessed = false
  /// Frames of each packet so far, if all had as many; 0 otherwise.
  var commonFrames: Int64?

  // Seeking.
  var pages = OggPageIndex()
  var frameIndex = PacketIndex()
  /// All packets before the next one were seen.
  var isCovering = true
  /// The stream was parsed from its beginning without a jump.
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

  /// Moves on to the next place where a page may begin.
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

  /// The run is delivered now.
  private mutating func count(_ run: PacketRun) {
    // What was counted to the end stays.
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
