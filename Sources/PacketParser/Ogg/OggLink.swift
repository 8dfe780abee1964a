// SPDX-License-Identifier: MIT

internal import AudioModel

/// One logical stream of audio and its position in time. Several may be chained.
struct OggLink {
  /// A limit above the frame count of any real stream, at which sums of a few counts cannot overflow.
  private static let frameEnd: Int64 = 1 << 60

  var serial: UInt32
  /// The stream offset of its first page.
  var byteOffset: Int64
  var mapping: any OggMapping
  /// The sequence number of the next page if none is missing.
  var nextSequence: UInt32
  /// Frames per second of the counts below: until the headers are read, those of the previous link.
  private(set) var frameRate: Double
  /// The first frame of this link, counted from the stream's start.
  private(set) var startFrame: Int64
  /// Frames of sound in the links before this one.
  private(set) var pastSoundFrames: Int64
  /// The logical streams that began together.
  var companions: [UInt32] = []
  /// The tags from its comments.
  var tags: TagCollector
  /// Whether its format was reported.
  var isTold = false
  /// The number subtracted from granules to count from the link's start; nil before the first granule.
  private(set) var base: Int64?
  /// The frame at which the sound ends, by the last page's granule.
  private(set) var endFrame: Int64?
  /// Frames of the last page's packets after the end of the sound.
  private(set) var remainderFrames: Int64 = 0
  /// The same number, read from the stream's tail, or from the page when it was parsed before.
  var knownRemainderFrames: Int64?
  /// Whether its last page was parsed.
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
    // Granules are untrusted, and there may be many links.
    self.startFrame = min(startFrame, Self.frameEnd)
    self.pastSoundFrames = min(pastSoundFrames, Self.frameEnd)
    self.tags = tags
  }

  /// Converts the counts to the link's own frame rate, once its headers are read.
  mutating func settleRate() {
    let rate = mapping.dataFormat.sampleRate
    startFrame = min(Self.frames(startFrame, at: rate, from: frameRate), Self.frameEnd)
    pastSoundFrames = min(Self.frames(pastSoundFrames, at: rate, from: frameRate), Self.frameEnd)
    frameRate = rate
  }

  /// Converts frames at rate `other` to frames of the same duration at `rate`.
  static func frames(_ frames: Int64, at rate: Double, from other: Double) -> Int64 {
    guard rate != other, other > 0 else { return frames }
    return Int64(min((Double(frames) / other * rate).rounded(), 0x1p60))
  }

  /// Reads a part of a header packet; returns false if it is audio.
  mutating func readHeader(
    _ part: Span<UInt8>, _ piece: OggPage.Piece, at offset: Int64
  ) throws(AudioFileStreamError) -> Bool {
    try mapping.readHeader(
      part, isStart: piece.isStart, isEnd: piece.isEnd, at: offset, into: &tags)
  }

  /// Priming frames at the link's start: those that the mapping states, and those that the first page's
  /// granule trims.
  var primingFrames: Int64 {
    mapping.primingFrames + (mapping.mayTrimStart ? max(0, -(base ?? 0)) : 0)
  }

  /// Frames of sound, once the last page was parsed.
  var soundFrames: Int64 { max(0, (endFrame ?? startFrame) - startFrame - primingFrames) }

  /// Returns the valid frames by the pages so far. In FLAC all frames are valid, but the last packet
  /// may be shorter than the format states.
  func soundRange(isLast: Bool) -> Range<Int64> {
    let first = startFrame + primingFrames
    return first..<max(first, isLast ? endFrame ?? .max : .max)
  }

  /// Computes the frames of the packets that end on a page.
  ///
  /// - Parameters:
  ///   - page: the page.
  ///   - frames: frames of the packets.
  ///   - expected: the frame that follows the last packet; nil if the packets may be any.
  ///   - duration: frames of each packet, if all have the same number.
  /// - Returns: the first frame of the first packet; nil if unknown.
  mutating func place(
    _ page: OggPage, frames: Int64, expected: Int64?, duration: Int64?
  ) -> Int64? {
    guard let granule = page.granule else { return expected }
    if base == nil {
      let gap = granule - ((expected ?? startFrame) - startFrame) - frames
      // The last page's granule trims the encoder's padding; the first page's may trim priming. If one
      // page is both, it trims the end (RFC 7845 section 4.4, Vorbis I appendix A.2).
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
