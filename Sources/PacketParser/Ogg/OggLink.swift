// SPDX-License-Identifier: MIT

internal import AudioModel

/// One logical stream of audio, and where it lies in time. Several may be chained.
struct OggLink {
  /// No count of frames that a stream has in earnest comes near it, and sums of a few stay in bounds.
  private static let frameEnd: Int64 = 1 << 60

  var serial: UInt32
  /// Where its first page begins in the stream.
  var byteOffset: Int64
  var mapping: any OggMapping
  /// The number that the next page has if none is missing.
  var nextSequence: UInt32
  /// Frames per second of the counts below: until the headers are read, those of the link before.
  private(set) var frameRate: Double
  /// The frame, counted from the stream's start, that this link begins with.
  private(set) var startFrame: Int64
  /// Frames of sound in the links before it.
  private(set) var pastSoundFrames: Int64
  /// The logical streams that began together.
  var companions: [UInt32] = []
  /// What its comments say.
  var tags: TagCollector
  /// Its format was told.
  var isTold = false
  /// What granules have to be lessened by to count from the link's start; nil before the first.
  private(set) var base: Int64?
  /// The frame where the sound ends by the last page's granule.
  private(set) var endFrame: Int64?
  /// Frames of the last page's packets behind that.
  private(set) var remainderFrames: Int64 = 0
  /// The same, as the stream's tail tells it or the page did when the one before was seen.
  var knownRemainderFrames: Int64?
  /// Its last page was met.
  var hasEnded = false

  init(
    serial: UInt32, byteOffset: Int64, mapping: any OggMapping, nextSequence: UInt32,
    frameRate: Double, startFrame: Int64, pastSoundFrames: Int64, tags: TagCollector
  ) {
    self.serial = serial
    self.byteOffset = byteOffset
    self.mapping = mapping
    self.nextSequence = nextSequence
    self.frameRate = frameRate
    // Granules may claim anything, and links are many.
    self.startFrame = min(startFrame, Self.frameEnd)
    self.pastSoundFrames = min(pastSoundFrames, Self.frameEnd)
    self.tags = tags
  }

  /// Counts in the link's own frames from now on, once its headers are read.
  mutating func settleRate() {
    let rate = mapping.dataFormat.sampleRate
    startFrame = min(Self.frames(startFrame, at: rate, from: frameRate), Self.frameEnd)
    pastSoundFrames = min(Self.frames(pastSoundFrames, at: rate, from: frameRate), Self.frameEnd)
    frameRate = rate
  }

  /// Frames at one rate that last as long as those at another.
  static func frames(_ frames: Int64, at rate: Double, from other: Double) -> Int64 {
    guard rate != other, other > 0 else { return frames }
    return Int64(min((Double(frames) / other * rate).rounded(), 0x1p60))
  }

  /// Reads a part of a header packet; false if it is audio.
  mutating func readHeader(
    _ part: Span<UInt8>, _ piece: OggPage.Piece, at offset: Int64
  ) throws(AudioFileStreamError) -> Bool {
    try mapping.readHeader(
      part, isStart: piece.isStart, isEnd: piece.isEnd, at: offset, into: &tags)
  }

  /// Frames at the link's start that are not sound: those that the mapping states, and those that the
  /// first page's granule leaves out.
  var primingFrames: Int64 {
    mapping.primingFrames + (mapping.mayTrimStart ? max(0, -(base ?? 0)) : 0)
  }

  /// Frames of sound, once the last page was met.
  var soundFrames: Int64 { max(0, (endFrame ?? startFrame) - startFrame - primingFrames) }

  /// The frames that are sound, as far as the pages have told. FLAC has no others, but its last packet
  /// fewer than the format says.
  func soundRange(isLast: Bool) -> Range<Int64> {
    let first = startFrame + primingFrames
    return first..<max(first, isLast ? endFrame ?? .max : .max)
  }

  /// The place in time of the packets that end on a page.
  ///
  /// - Parameters:
  ///   - page: the page.
  ///   - frames: frames of the packets.
  ///   - expected: the frame that follows the last packet; nil when the packets may be any.
  ///   - duration: frames of each packet, if all have as many.
  /// - Returns: the frame that the first packet begins with; nil when nothing tells.
  mutating func place(
    _ page: OggPage, frames: Int64, expected: Int64?, duration: Int64?
  ) -> Int64? {
    guard let granule = page.granule else { return expected }
    if base == nil {
      let gap = granule - ((expected ?? startFrame) - startFrame) - frames
      // The last page's granule leaves out what the encoder added, the first one's may, too; of
      // one page that is both the end is meant (RFC 7845 section 4.4, Vorbis I appendix A.2).
      base = page.isLast ? max(0, gap) : gap
    }
    let end = max(startFrame, granule - (base ?? 0) + startFrame)
    var first = max(startFrame, end - frames)
    if page.isLast {
      if let expected {
        if end <= expected + frames { first = expected }
      } else if let knownRemainderFrames {
        first += knownRemainderFrames
      } else if let duration, duration > 0 {
        first += (duration - (first - startFrame) % duration) % duration
      }
    }
    endFrame = end
    remainderFrames = max(0, first + frames - end)
    if page.isLast, expected != nil { knownRemainderFrames = remainderFrames }
    return first
  }
}
