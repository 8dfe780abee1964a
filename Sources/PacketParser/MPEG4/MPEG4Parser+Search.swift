// SPDX-License-Identifier: MIT

import AudioModel

/// Bytes of a fragmented stream that belong to no fragment: foreign, damaged, or media data of a
/// damaged fragment.
struct UnlistedStretch {
  var start: Int64
  /// The end of those bytes that the input certainly has.
  var end: Int64
  /// The end of the last box among them, by its own size.
  var claimedEnd: Int64 = 0
  /// Whether media data are among them.
  var hasMediaData = false

  /// Extends the stretch because the input has bytes at this offset.
  mutating func extend(at offset: Int64) {
    if claimedEnd <= offset { end = max(end, claimedEnd) }
  }
}

/// The search for the next fragment across damaged bytes.
extension MPEG4Parser {
  /// The largest box of an unknown type that is accepted in a stream of unknown length.
  private static let maximumUnknownBox: Int64 = 1 << 20

  /// Whether the next top-level box should belong to a fragment.
  var isBetweenFragments: Bool { hasMovie && fragments.isExpected }

  /// Returns whether a top-level box may begin here: a known type, or any type of printable characters
  /// with a possible size.
  func isPlausible(_ box: BoxHeader?) -> Bool {
    guard let box else { return false }
    switch box.type {
    case "moof", "mdat", "sidx", "mfra", "styp", "ssix", "emsg", "prft", "free", "skip", "uuid",
      "meta", "moov", "ftyp":
      return true
    default: break
    }
    let characters = (0..<4).map { UInt8(truncatingIfNeeded: box.type.rawValue >> (24 - 8 * $0)) }
    guard characters.allSatisfy({ (0x20...0x7E).contains($0) }) else { return false }
    if let totalByteCount { return box.end <= totalByteCount }
    return box.end - box.start <= Self.maximumUnknownBox
  }

  /// Starts a search that skips foreign or damaged bytes up to the next fragment.
  mutating func beginSearch(at offset: Int64) -> ParserStep {
    extendStretch(offset..<offset, claimedEnd: offset)
    // If bytes were inserted, absolute offsets do not apply to the bytes that follow.
    fragments.isPlaceUnknown = true
    phase = .searching
    return .skip(0)
  }

  /// Notes media data whose packets no fragment lists.
  mutating func notice(unlisted box: BoxHeader) {
    guard isBetweenFragments, box.start >= fragments.dataEnd else { return }
    extendStretch(
      box.start..<box.start + Int64(box.byteCount), claimedEnd: box.end, hasMediaData: true)
  }

  private mutating func extendStretch(
    _ bytes: Range<Int64>, claimedEnd: Int64, hasMediaData: Bool = false
  ) {
    var stretch = fragments.stretch ?? UnlistedStretch(start: bytes.lowerBound, end: 0)
    stretch.extend(at: bytes.lowerBound)
    stretch.end = max(stretch.end, bytes.upperBound)
    stretch.claimedEnd = claimedEnd
    stretch.hasMediaData = stretch.hasMediaData || hasMediaData
    fragments.stretch = stretch
  }

  /// Searches for a fragment, which begins with its own header: 16 bytes, `mfhd`.
  mutating func stepSearch(_ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool) -> ParserStep {
    guard bytes.count >= 16 else {
      if !isEnd { return .need(16) }
      fragments.stretch?.end = offset + Int64(bytes.count)
      phase = .rest
      return .skip(0)
    }
    for place in 0...bytes.count - 16 where bytes[place + 4] == UInt8(ascii: "m") {
      if bytes.has("moof\0\0\0\u{10}mfhd", at: place + 4) {
        fragments.stretch?.end = offset + Int64(place)
        phase = .boxes
        return .skip(Int64(place))
      }
      if bytes.has("mdat", at: place + 4) { fragments.stretch?.hasMediaData = true }
    }
    return .skip(Int64(bytes.count - 15))
  }

  /// Reports the frames missing before a fragment, by its time. Without a time, bytes of half a packet
  /// or more count as damage.
  mutating func reportStretch(before fragment: MovieFragment, firstFrame: Int64) {
    var stretch = fragments.stretch
    stretch?.extend(at: fragment.start)
    fragments.stretch = nil
    guard let track, let expected = fragments.expectedFrame, fragment.packetCount > 0 else {
      if let stretch { reportStart(stretch, before: fragment) }
      return
    }
    // Times are rounded to the media's units, and ffmpeg's may be a packet late near the end.
    let packetFrames = frameCount(of: fragment) / fragment.packetCount
    let slack = max(
      stretch == nil ? packetFrames * 3 / 2 : packetFrames * 3 / 4, track.scale.frames(2), 1)
    let missing = fragment.baseTime.map { _ in firstFrame - expected }
    // Time goes back where streams were joined.
    if let missing, abs(missing) >= slack {
      fragments.missingFrames = max(-1 << 60, min(fragments.missingFrames + missing, 1 << 60))
    }
    if let missing, missing >= slack {
      let place = UnlistedStretch(start: fragment.start, end: fragment.start)
      notices.append(gap(.damage, stretch ?? place, frameCount: missing))
    } else if let stretch {
      let halfPacket = Int64((facts.averageBytesPerPacket ?? 0) / 2)
      let isLoss =
        missing == nil && (stretch.hasMediaData || stretch.end - stretch.start >= halfPacket)
      notices.append(gap(isLoss ? .damage : .foreignBytes, stretch))
    }
  }

  /// Reports bytes before the first fragment. If media data are among them and this fragment's time is
  /// not the stream's start, they belong to a damaged fragment; otherwise to other tracks, whose index
  /// is not read.
  private mutating func reportStart(_ stretch: UnlistedStretch, before fragment: MovieFragment) {
    guard stretch.hasMediaData else { return notices.append(gap(.foreignBytes, stretch)) }
    guard let track, isUnbroken, fragment.packetCount > 0, let time = fragment.baseTime else {
      return
    }
    let missing = track.scale.frames(time)
    let packetFrames = frameCount(of: fragment) / fragment.packetCount
    if missing >= max(packetFrames * 3 / 4, 1) {
      notices.append(gap(.damage, stretch, frameCount: missing))
    }
  }

  /// Reports bytes after the last fragment: a loss if media data are among them.
  mutating func reportStretch() -> ParserStep? {
    guard var stretch = fragments.stretch else { return nil }
    fragments.stretch = nil
    if let totalByteCount { stretch.extend(at: totalByteCount) }
    guard stretch.end > stretch.start else { return nil }
    return gap(stretch.hasMediaData ? .damage : .foreignBytes, stretch)
  }

  private func gap(
    _ cause: AudioFileStreamGap.Cause, _ stretch: UnlistedStretch, frameCount: Int64? = nil
  ) -> ParserStep {
    .skipped(
      AudioFileStreamGap(
        cause, byteOffset: stretch.start, byteCount: stretch.end - stretch.start,
        frameCount: frameCount))
  }
}
