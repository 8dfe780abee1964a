// SPDX-License-Identifier: MIT

internal import AudioModel

/// Lost pages of the current link.
struct OggHole {
  /// The byte offset of the first lost bytes, and their number.
  var byteOffset: Int64
  var byteCount: Int64
  /// The frame that follows the last packet before the hole; nil if unknown.
  var frame: Int64?
}

/// A link whose audio is lost: damaged or unsupported.
struct OggLostLink {
  var serial: UInt32
  var gap: AudioFileStreamGap
}

extension OggParser {
  /// Ends the bytes before a page that belong to no page. If the page shows that pages are missing, the
  /// bytes become part of the hole.
  mutating func closeGap(before page: OggPage, at offset: Int64) -> ParserStep? {
    defer { hasBrokenPage = false }
    let byteCount = gap.byteCount
    guard byteCount > 0, isHole(before: page) else {
      return gap.close(hasBrokenPage ? .damage : .foreignBytes)
    }
    gap = StreamGap()
    hole = OggHole(byteOffset: offset - byteCount, byteCount: byteCount, frame: nextFrame)
    return nil
  }

  /// Whether pages of the current link are missing before this one.
  func isHole(before page: OggPage) -> Bool {
    guard let link, link.serial == page.serial, !page.isFirst, !isAdrift else { return false }
    return page.sequence != link.nextSequence
  }

  /// Opens a hole for pages missing before the one at an offset. The unfinished packet is part of the
  /// hole.
  mutating func openHole(at offset: Int64) {
    var hole = self.hole ?? OggHole(byteOffset: offset, byteCount: 0, frame: nextFrame)
    if !partial.isEmpty {
      hole.byteOffset = min(hole.byteOffset, partialOffset)
      hole.byteCount += Int64(partial.count)
      partial.removeAll(keepingCapacity: true)
    }
    // A stream that is joined midway sends its headers, then its current page.
    if link?.base == nil { hole.frame = nil }
    self.hole = hole
  }

  /// Reports the hole, once the frame after it is known or will never be.
  mutating func closeHole(before frame: Int64? = nil) {
    guard let hole else { return }
    self.hole = nil
    var frames: Int64?
    if let first = hole.frame, let frame {
      frames = max(0, frame - first)
      let missing = OggLink.frames(
        max(0, frame - first), at: facts.durationFormat?.sampleRate ?? 0,
        from: link?.frameRate ?? frameRate)
      missingFrames = min(missingFrames + missing, 1 << 60)
    }
    let isJoinedMidway = link?.base == nil || hole.frame == nil
    guard hole.byteCount > 0 || !isJoinedMidway && frames != 0 else { return }
    outbox.append(
      .skipped(
        AudioFileStreamGap(
          .damage, byteOffset: hole.byteOffset, byteCount: hole.byteCount, frameCount: frames)))
  }

  /// Discards the beginning of a packet whose end is missing.
  mutating func dropPartial() {
    if !partial.isEmpty {
      outbox.append(
        .skipped(
          AudioFileStreamGap(.cut, byteOffset: partialOffset, byteCount: Int64(partial.count))))
    }
    partial.removeAll(keepingCapacity: true)
  }

  /// Discards a part of a packet; after a jump this is no loss.
  mutating func lose(_ byteCount: Int, at offset: Int64) {
    guard byteCount > 0, !isAdrift else { return }
    if hole != nil, openPacket == .discarded {
      hole?.byteCount += Int64(byteCount)
    } else {
      outbox.append(
        .skipped(AudioFileStreamGap(.damage, byteOffset: offset, byteCount: Int64(byteCount))))
    }
  }

  /// Records a lost link by a page of a stream whose beginning is missing.
  mutating func loseStray(_ page: OggPage, at offset: Int64) {
    let known = link?.companions ?? companions
    guard facts.isReady, !isAdrift, lostLink == nil, known.count < Self.maximumCompanions,
      !known.contains(page.serial)
    else { return }
    lostLink = OggLostLink(
      serial: page.serial,
      gap: AudioFileStreamGap(.damage, byteOffset: offset, byteCount: Int64(page.byteCount)))
  }

  /// Records a link that cannot be played.
  mutating func lose(
    _ page: OggPage, _ cause: AudioFileStreamGap.Cause, at offset: Int64
  ) {
    let byteOffset = link?.serial == page.serial ? link?.byteOffset ?? offset : offset
    lostLink = OggLostLink(
      serial: page.serial,
      gap: AudioFileStreamGap(
        cause, byteOffset: byteOffset, byteCount: offset - byteOffset + Int64(page.byteCount)))
    partial.removeAll(keepingCapacity: true)
    openPacket = .none
    hole = nil
  }

  /// Reports the lost link when another one begins or the stream ends.
  mutating func closeLostLink() {
    if let lostLink { outbox.append(.skipped(lostLink.gap)) }
    lostLink = nil
  }
}
