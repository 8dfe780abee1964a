// SPDX-License-Identifier: MIT

internal import RenderCore

/// The accounts of the tracks that were read and not yet rendered to their end.
struct PendingAccounts {
  /// Tracks whose reader was closed, in the order of reading.
  private var closed: [(track: Int, account: TrackAccount)] = []
  /// The losses of the rendered track that the decoder reported.
  private var undecodable = TrackAccount()
  /// Nanoseconds rendered of that track before `firstFrame`.
  private var deliveredNanoseconds: UInt64 = 0
  /// Frames rendered by the output before that track, or before its rate changed.
  private var firstFrame: UInt64 = 0
  /// The last stream that was put into the ring before a skip dropped the accounts of its track.
  private var lastDroppedStream: UInt32 = 0
  /// The account of the rendered track was dropped: its start was reported after the skip that ended it. The
  /// closed accounts of the same track are those of another playback.
  private var isRenderedDropped = false
  /// A seek or skip was made, so not every packet is rendered once.
  var isRepositioned = false
  /// A resampler's delay may carry this much of a track's end into the next track.
  private static let toleranceNanoseconds: UInt64 = 50_000_000

  mutating func close(_ account: TrackAccount, of track: Int) {
    closed.append((track, account))
  }

  /// Withdraws the closed account of a track: the same reader reads on, and its account continues.
  mutating func reopen(_ track: Int) {
    if let last = closed.lastIndex(where: { $0.track == track }) { closed.remove(at: last) }
  }

  /// Drops the accounts of tracks that were read ahead and will not be rendered.
  ///
  /// - Parameters:
  ///   - track: the rendered track. It may have been read ahead as well, to be repeated.
  ///   - stream: the last stream that was put into the ring.
  mutating func removeAll(but track: Int?, upTo stream: UInt32) {
    let rendered = isRenderedDropped ? nil : closed.first { $0.track == track }
    closed = rendered.map { [$0] } ?? []
    lastDroppedStream = stream
  }

  /// Notes the stream that the rendered track begins with.
  mutating func begin(stream: UInt32) {
    isRenderedDropped = stream <= lastDroppedStream
  }

  mutating func addUndecodable(at byteOffset: Int64) {
    undecodable.add(SoundLoss(.undecodable, byteOffset: byteOffset))
  }

  /// Notes that the output leaves this rate at a frame.
  mutating func changeRate(from rate: Double, at outputFrame: UInt64) {
    deliveredNanoseconds &+= Self.nanoseconds(outputFrame &- firstFrame, at: rate)
    firstFrame = outputFrame
  }

  /// Ends the rendered track before a frame of the output, and begins the next one there.
  ///
  /// - Parameters:
  ///   - track: the rendered track; nil before the first.
  ///   - present: the account of the reader at work, if it reads that track.
  ///   - rate: frames per second of the output.
  /// - Returns: the accounts of that track and of those before it, none of which will change.
  mutating func take(
    upTo track: Int?, present: TrackAccount?, at outputFrame: UInt64, rate: Double
  ) -> [(track: Int, account: TrackAccount)] {
    defer {
      (undecodable, deliveredNanoseconds) = (TrackAccount(), 0)
      firstFrame = outputFrame
    }
    // The first track may have been skipped before the start of its sound was reported.
    guard let track else { return [] }
    defer { isRepositioned = false }
    var taken: [(track: Int, account: TrackAccount)] = []
    if !isRenderedDropped, let index = closed.firstIndex(where: { $0.track == track }) {
      taken = Array(closed[...index])
      closed.removeFirst(index + 1)
    } else if let present {
      taken = [(track, present)]
    } else {
      return []
    }
    let isWhole = !isRepositioned && present == nil
    finish(&taken[taken.count - 1].account, at: outputFrame, rate: rate, isWhole: isWhole)
    return taken
  }

  /// Removes and returns the accounts of tracks that were not rendered at all.
  mutating func takeUnheard() -> [(track: Int, account: TrackAccount)] {
    defer { closed.removeAll() }
    return closed
  }

  private func finish(
    _ account: inout TrackAccount, at outputFrame: UInt64, rate: Double, isWhole: Bool
  ) {
    account.add(lossesOf: undecodable)
    account.deliveredNanoseconds =
      deliveredNanoseconds &+ Self.nanoseconds(outputFrame &- firstFrame, at: rate)
    // A stream's last packet may hold fewer frames than the format states.
    let tolerance =
      Self.toleranceNanoseconds &+ account.longestPacketNanoseconds &* max(1, account.streamCount)
    let least = account.parsedNanoseconds - min(account.parsedNanoseconds, tolerance)
    if isWhole, account.deliveredNanoseconds < least {
      account.add(
        SoundLoss(
          .undelivered, byteOffset: nil,
          nanoseconds: account.parsedNanoseconds - account.deliveredNanoseconds))
    }
  }

  private static func nanoseconds(_ frames: UInt64, at rate: Double) -> UInt64 {
    UInt64(min(Double(frames) / max(1, rate) * 1e9, 0x1p60))
  }
}

extension SteppedPlayer {
  /// Reports the account of the rendered track, which ends before a frame of the output.
  ///
  /// - Parameter isPartial: the track's reader may still be at work.
  func reportAccount(ofTrack track: Int?, at outputFrame: UInt64, isPartial: Bool = false) {
    if configuration.followsTransport { accounts.isRepositioned = true }
    let present = isPartial && feeder.trackIndex == track ? feeder.reader?.account : nil
    let taken = accounts.take(
      upTo: track, present: present, at: outputFrame, rate: timeline.outputRate)
    for (track, account) in taken { tell(.account(index: track, account)) }
  }

  /// Reports the remaining accounts, at the end of the list or after a stop. A stop drops those of tracks that were
  /// read ahead.
  func reportAccounts(isStop: Bool) {
    if isStop {
      accounts.removeAll(but: startedTrack, upTo: lastBegunStream)
      accounts.isRepositioned = true
    }
    let end = max(control.position.outputFrames, lastEndFrame)
    reportAccount(ofTrack: startedTrack, at: end, isPartial: isStop)
    startedTrack = nil
    for (track, account) in accounts.takeUnheard() { tell(.account(index: track, account)) }
  }
}
