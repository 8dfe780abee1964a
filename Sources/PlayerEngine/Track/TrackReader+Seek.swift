// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
internal import PacketParser

/// The requested and the reached frame of a seek.
public struct TrackSeek: Hashable, Sendable {
  /// The requested frame of the track's sound, at its stated rate.
  public var askedFrame: Int64
  /// The frame that sounds next; the one after the last if there is none.
  public var reachedFrame: Int64
  /// Whether the reached frame is an estimate: nothing in the stream identifies it.
  public var isEstimated: Bool
  /// Largest error in frames, if the stream's own statements are true; 0 if exact, nil if unbounded.
  public var errorBoundFrames: Int64?
}

/// The purpose of a seek, which limits the decoding before its target. It matters for AAC, whose decoders generate
/// noise that depends on everything decoded before.
public enum SeekPurpose: Hashable, Sendable {
  /// One of many short pieces: only the pre-roll that the decoder requires.
  case scanning
  /// A listener waits for the sound: at most a quarter of a second of processor time. In a local AAC file the noise
  /// equals a straight decode's for five minutes, and after that has the same level.
  case listening
  /// No listener waits: local AAC is decoded from its start on, 0.8 ms of processor time for each second before the
  /// target, and every sample equals a straight decode's.
  case rendering
}

/// A seek whose first frame has not come yet.
struct SeekUnderWay {
  let askedFrame: Int64
  /// Nil if the reader only reads on.
  let target: AudioFileStreamSeekTarget?
  let sampleRate: Double
  /// 0 if packets differ in length.
  let framesPerPacket: Int64
  /// The decoded frame to start decoding at.
  let firstFrame: Int64
  let purpose: SeekPurpose
  /// The reader reads and counts all packets from the first one on.
  let readsThrough: Bool

  /// Returns the time of a frame in the track, by the stated rate.
  func nanoseconds(ofFrame frame: Int64) -> UInt64 {
    UInt64(min(Double(max(0, frame)) / sampleRate * 1_000_000_000, 0x1p60))
  }

  /// Largest error of the target in frames; nil if unbounded.
  var errorBoundFrames: Int64? {
    guard let target else { return 0 }
    guard let packets = target.errorBoundInPackets else { return nil }
    if packets == 0 { return 0 }
    let (frames, isTooMany) = packets.multipliedReportingOverflow(by: framesPerPacket)
    return framesPerPacket == 0 || isTooMany ? nil : frames
  }
}

extension TrackReader {
  /// Seeks to a frame of the track's sound. The reader reads the decoder's pre-roll too, which is decoded and cut.
  ///
  /// Exact in a local file: if neither the container nor the reader knows the byte offset, the reader reads all packets
  /// up to the frame. Over HTTP the container's table or the best estimate determines the offset. If the source cannot
  /// be repositioned, only forward, and back as far as it is spooled. Waits for the source. Drops the packets so far.
  ///
  /// - Parameters:
  ///   - frame: counted from the first frame that is sound, at the stated rate; clamped to 0 to 2^60.
  ///   - flushSerial: the flush serial of the packets after it.
  ///   - purpose: the required accuracy.
  @discardableResult
  func seek(
    toFrame frame: Int64, flushSerial: UInt32, purpose: SeekPurpose = .listening
  ) throws(PlayerError) -> TrackSeek {
    try readInformation()
    try beginSeek(toFrame: frame, flushSerial: flushSerial, purpose: purpose)
    if purpose == .rendering, let seek = leaveToDecoder() { return seek }
    var hasEnded = false
    while true {
      if let seek = finishSeek(hasEnded: &hasEnded) { return seek }
      hasEnded = try cancellableStep() == .ended
    }
  }

  /// Ends a seek that decodes the whole track up to its frame: memory may not hold all the packets to cut, so they are
  /// not collected before the first is decoded.
  ///
  /// - Returns: nil if the seek has to find its frame.
  private func leaveToDecoder() -> TrackSeek? {
    guard let seek = seekUnderWay, seek.firstFrame == 0 else { return nil }
    seekUnderWay = nil
    let reached = min(seek.askedFrame, end ?? .max)
    startNanoseconds = seek.nanoseconds(ofFrame: reached)
    return TrackSeek(
      askedFrame: seek.askedFrame, reachedFrame: reached, isEstimated: false, errorBoundFrames: 0)
  }

  /// Starts a seek to a frame of the track's sound; further steps complete it. Does not wait. Call it once the track's
  /// format is known.
  ///
  /// - Parameter readsThrough: reads and counts all packets from the first one on.
  /// - Throws: the failure; the reader then continues where it was.
  func beginSeek(
    toFrame frame: Int64, flushSerial: UInt32, purpose: SeekPurpose = .listening,
    readsThrough: Bool = false
  ) throws(PlayerError) {
    guard let format = output.information?.dataFormat else { return }
    let asked = min(max(0, frame), Self.farthestFrame)
    let wanted = driver.listener.decodedFrame(ofSound: asked)
    let first = firstFrame(before: wanted, format, purpose: purpose)
    let target =
      readsThrough ? try seek(toPacket: 0) : try move(toFrame: first, format: format)
    driver.listener.jump(
      toSound: asked, preRoll: first > 0 ? wanted &- first : nil, flushSerial: flushSerial)
    seekUnderWay = SeekUnderWay(
      askedFrame: asked, target: target, sampleRate: format.sampleRate,
      framesPerPacket: Int64(format.framesPerPacket), firstFrame: first,
      purpose: purpose, readsThrough: readsThrough)
  }

  /// Returns the frame to decode from, by the packets parsed so far.
  private func firstFrame(
    before wanted: Int64, _ format: AudioStreamBasicDescription, purpose: SeekPurpose
  ) -> Int64 {
    PreRoll.firstFrame(
      before: wanted, format, isLocal: driver.source.information.isLocal,
      substitutesNoise: driver.listener.substitutesNoise, purpose: purpose)
  }

  /// Returns the result of the seek in progress; nil while it needs further steps.
  ///
  /// - Parameter hasEnded: whether the last step has ended the track. Set to false if packets on the way restart the
  ///   seek at an earlier frame.
  func finishSeek(hasEnded: inout Bool) -> TrackSeek? {
    guard let seek = seekUnderWay else { return nil }
    let first = driver.listener.firstSoundFrame
    guard hasEnded || first != nil else { return nil }
    let isPlaced = driver.listener.isJumpPlaced
    let wanted = driver.listener.decodedFrame(ofSound: seek.askedFrame)
    if let format = output.information?.dataFormat, driver.source.information.isLocal,
      !isPlaced && !seek.readsThrough
        || firstFrame(before: wanted, format, purpose: seek.purpose) < seek.firstFrame
    {
      // A file that turned out to be broken behind the target cannot seek again: the result so far must do. After a
      // jump into another format, a packet's number does not determine its frames.
      let isBegun =
        (try? beginSeek(
          toFrame: seek.askedFrame, flushSerial: driver.listener.flushSerial,
          purpose: seek.purpose, readsThrough: !isPlaced)) != nil
      if isBegun {
        hasEnded = false
        return nil
      }
    }
    seekUnderWay = nil
    let reached = first ?? end ?? min(seek.askedFrame, endRead ?? .max)
    startNanoseconds = seek.nanoseconds(ofFrame: reached)
    guard isPlaced else {
      // In another format the time is known, but not the frame.
      return TrackSeek(
        askedFrame: seek.askedFrame, reachedFrame: reached, isEstimated: true,
        errorBoundFrames: nil)
    }
    return TrackSeek(
      askedFrame: seek.askedFrame, reachedFrame: reached,
      isEstimated: seek.target?.isEstimated ?? false, errorBoundFrames: seek.errorBoundFrames)
  }

  /// Whether the reader can seek back to bytes that it has read.
  var canTurnBack: Bool {
    driver.source.information.isRepositionable
      || driver.spooledByteRanges.first?.lowerBound == 0
  }

  /// Seeks to a frame of a track that is open and has not been played yet.
  ///
  /// - Parameters:
  ///   - frame: counted from the first frame that is sound, at the stated rate; clamped to 0 to 2^60.
  ///   - purpose: the required accuracy.
  /// - Returns: the result. With ``SeekPurpose/rendering`` and decoding from the track's start, it does not wait: the
  ///   reached frame is the requested one, or the track's known length if that is less.
  /// - Throws: the failure; a source that cannot be repositioned seeks only forward.
  @discardableResult
  public func seek(
    toFrame frame: Int64, purpose: SeekPurpose = .listening
  ) throws(PlayerError) -> TrackSeek {
    try seek(toFrame: frame, flushSerial: 0, purpose: purpose)
  }

  /// A frame behind any track's end; sums with it do not overflow.
  private static var farthestFrame: Int64 { 1 << 60 }

  /// All frames of sound, if their number is known.
  private var end: Int64? {
    guard let duration = try? driver.stream.duration, duration.isExact else { return nil }
    return duration.frames
  }

  /// Frames of sound up to the last packet read, if the reader counts them.
  private var endRead: Int64? {
    driver.listener.nextDecodedFrame.map { driver.listener.soundFrame(ofDecoded: $0) }
  }

  /// Moves the driver to a packet at or before a decoded frame.
  ///
  /// - Returns: the target; nil if the driver reads on from its present byte offset.
  private func move(
    toFrame frame: Int64, format: AudioStreamBasicDescription
  ) throws(PlayerError) -> AudioFileStreamSeekTarget? {
    let information = driver.source.information
    // The first packet may hold no frame: Vorbis' first only sounds with the next one.
    let packet = frame == 0 ? 0 : packet(atFrame: frame, format)
    if !information.isRepositionable {
      if let next = driver.listener.nextDecodedFrame, next <= frame { return nil }
      return try moveInSpool(toPacket: packet)
    }
    if let packet, let target = try? driver.stream.seekTarget(packet: packet),
      !target.isEstimated || !information.isLocal
    {
      return try seek(toPacket: packet)
    }
    if information.isLocal { return try seek(toPacket: lastKnownPacket(before: frame)) }
    return try seek(toPacket: guessedPacket(atFrame: frame, format))
  }

  /// Returns the packet that holds a frame of the first format, even if the parser is in another format now.
  private func packet(atFrame frame: Int64, _ format: AudioStreamBasicDescription) -> Int64? {
    if driver.listener.isFirstFormat {
      return try? driver.stream.packet(containingFrame: frame).packet
    }
    return format.framesPerPacket > 0 ? frame / Int64(format.framesPerPacket) : nil
  }

  /// Moves the driver back to a packet that is spooled: the driver does not reposition itself if the source is not
  /// repositionable.
  private func moveInSpool(
    toPacket packet: Int64?
  ) throws(PlayerError) -> AudioFileStreamSeekTarget {
    guard let packet, let target = try? driver.stream.seekTarget(packet: packet),
      let dataOffset = try? driver.stream.dataOffset
    else {
      throw PlayerError(
        location: name, reason: .source(ByteSourceError(.notRepositionable, at: name)))
    }
    do throws(ByteSourceError) {
      try driver.turnBack(toByte: dataOffset + target.byteOffset)
    } catch {
      throw PlayerError(location: name, reason: .source(error))
    }
    return try seek(toPacket: packet)
  }

  /// Returns the last packet before a frame whose byte offset is certain; the stream's first if there is no other.
  private func lastKnownPacket(before frame: Int64) -> Int64 {
    guard driver.listener.isFirstFormat, let seen = driver.listener.lastPacketSeen,
      let first = try? driver.stream.firstFrame(ofPacket: seen), first <= frame,
      let target = try? driver.stream.seekTarget(packet: seen), !target.isEstimated
    else { return 0 }
    return seen
  }

  /// Estimates the packet that holds a frame, as if the sound were spread evenly over the packets or bytes.
  private func guessedPacket(
    atFrame frame: Int64, _ format: AudioStreamBasicDescription
  ) -> Int64 {
    guard let duration = try? driver.stream.duration, duration.frames > 0 else { return 0 }
    let part = min(1, Double(frame) / format.sampleRate / duration.seconds)
    if let count = try? driver.stream.audioDataPacketCount {
      return Int64(part * Double(max(0, count - 1)))
    }
    guard let byteCount = try? driver.stream.audioDataByteCount,
      let place = try? driver.stream.packet(
        containingByte: Int64(part * Double(max(0, byteCount - 1))))
    else { return 0 }
    return place.packet
  }

  private func seek(toPacket packet: Int64) throws(PlayerError) -> AudioFileStreamSeekTarget {
    do throws(AudioFileStreamError) {
      return try driver.seek(toPacket: packet)
    } catch {
      throw PlayerError(location: name, reason: .parser(error))
    }
  }
}
