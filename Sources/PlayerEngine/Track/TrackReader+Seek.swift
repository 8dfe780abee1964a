// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
internal import PacketParser

/// What a seek was asked for and where it led.
public struct TrackSeek: Hashable, Sendable {
  /// The frame of the track's sound that was asked for, at its stated rate.
  public var askedFrame: Int64
  /// The frame that sounds next. The last one's successor when there is no such frame.
  public var reachedFrame: Int64
  /// The frame reached is a guess, because nothing in the stream says which one it is.
  public var isEstimated: Bool
  /// How many frames it may be off, at most, if the stream's own statements are true; 0 when exact,
  /// nil when nothing bounds it.
  public var errorBoundFrames: Int64?
}

/// What a seek is for: how much may be decoded before its place so that the sound there is the straight
/// decode's. It matters for AAC, in which decoders make noise up that depends on all they have decoded.
public enum SeekPurpose: Hashable, Sendable {
  /// One place of many that go by: no longer than a decoder needs to find its feet.
  case scanning
  /// Somebody waits for the sound: at most a quarter of a second of processor time, so that in a local file
  /// of AAC the noise is the straight decode's for five minutes, and from then on another of the same level.
  case listening
  /// Nobody waits: local AAC is decoded from its start on, 0.8 ms of processor time for each second before the
  /// place, and every sample is the straight decode's.
  case rendering
}

/// A seek whose first frame has not come yet.
struct SeekUnderWay {
  let askedFrame: Int64
  /// Nil where the reader only reads on.
  let target: AudioFileStreamSeekTarget?
  let sampleRate: Double
  /// 0 where they vary.
  let framesPerPacket: Int64
  /// The decoded frame that packets were wanted from.
  let firstFrame: Int64
  let purpose: SeekPurpose
  /// All packets from the first one on are read and counted.
  let readsThrough: Bool

  /// Where a frame is in the track, by the stated rate.
  func nanoseconds(ofFrame frame: Int64) -> UInt64 {
    UInt64(min(Double(max(0, frame)) / sampleRate * 1_000_000_000, 0x1p60))
  }

  /// How many frames the target may be off, at most; nil when nothing bounds it.
  var errorBoundFrames: Int64? {
    guard let target else { return 0 }
    guard let packets = target.errorBoundInPackets else { return nil }
    if packets == 0 { return 0 }
    let (frames, isTooMany) = packets.multipliedReportingOverflow(by: framesPerPacket)
    return framesPerPacket == 0 || isTooMany ? nil : frames
  }
}

extension TrackReader {
  /// Goes on with a frame of the track's sound: what a decoder needs to have heard before it is read,
  /// too, to be decoded and cut away.
  ///
  /// Exact in a local file: where neither container nor memory knows the place, the file is read
  /// through up to it, which takes as long as reading it does. Over HTTP the place is the container's
  /// where that has a table, else the best guess. Where the bytes cannot be had from another place,
  /// only forward, and back as far as they are spooled. Waits for the source. The packets so far are dropped.
  ///
  /// - Parameters:
  ///   - frame: counted from the first frame that is sound, at the stated rate; brought to 0 to 2^60.
  ///   - generation: what the packets after it carry.
  ///   - purpose: how exact it has to be.
  @discardableResult
  func seek(
    toFrame frame: Int64, generation: UInt32, purpose: SeekPurpose = .listening
  ) throws(PlayerError) -> TrackSeek {
    try readInformation()
    try beginSeek(toFrame: frame, generation: generation, purpose: purpose)
    if purpose == .rendering, let seek = leaveToDecoder() { return seek }
    var hasEnded = false
    while true {
      if let seek = finishSeek(hasEnded: &hasEnded) { return seek }
      hasEnded = try cancellableStep() == .ended
    }
  }

  /// Ends a seek that has all of the track decoded up to its frame: what is to be cut away may be more than memory
  /// holds, and is not to be collected before the first of it is decoded.
  ///
  /// - Returns: nil where the seek has to find its place.
  private func leaveToDecoder() -> TrackSeek? {
    guard let seek = seekUnderWay, seek.firstFrame == 0 else { return nil }
    seekUnderWay = nil
    let reached = min(seek.askedFrame, end ?? .max)
    startNanoseconds = seek.nanoseconds(ofFrame: reached)
    return TrackSeek(
      askedFrame: seek.askedFrame, reachedFrame: reached, isEstimated: false, errorBoundFrames: 0)
  }

  /// Turns to a frame of the track's sound; steps then lead there. Waits for nothing. To be called when
  /// the track's format is known.
  ///
  /// - Parameter readsThrough: reads and counts all packets from the first one on.
  /// - Throws: what stands in the way; the reader then goes on where it was.
  func beginSeek(
    toFrame frame: Int64, generation: UInt32, purpose: SeekPurpose = .listening,
    readsThrough: Bool = false
  ) throws(PlayerError) {
    guard let format = output.information?.dataFormat else { return }
    let asked = min(max(0, frame), Self.farthestFrame)
    let wanted = driver.listener.decodedFrame(ofSound: asked)
    let first = firstFrame(before: wanted, format, purpose: purpose)
    let target =
      readsThrough ? try seek(toPacket: 0) : try move(toFrame: first, format: format)
    driver.listener.jump(
      toSound: asked, preRoll: first > 0 ? wanted &- first : nil, generation: generation)
    seekUnderWay = SeekUnderWay(
      askedFrame: asked, target: target, sampleRate: format.sampleRate,
      framesPerPacket: Int64(format.framesPerPacket), firstFrame: first,
      purpose: purpose, readsThrough: readsThrough)
  }

  /// The frame to decode from, by what is known of the packets now.
  private func firstFrame(
    before wanted: Int64, _ format: AudioStreamBasicDescription, purpose: SeekPurpose
  ) -> Int64 {
    PreRoll.firstFrame(
      before: wanted, format, isLocal: driver.source.information.isLocal,
      substitutesNoise: driver.listener.substitutesNoise, purpose: purpose)
  }

  /// Where the seek that was begun has led; nil while steps are still needed to tell.
  ///
  /// - Parameter hasEnded: whether the last step has ended the track. False again where what was met on
  ///   the way has the seek begin anew, from farther before.
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
      // Where the file was found to be broken behind the place, it cannot be turned: what was found has to do.
      // Where the jump has led into another format, frames do not follow from a packet's number.
      let isBegun =
        (try? beginSeek(
          toFrame: seek.askedFrame, generation: driver.listener.generation,
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
      // In another format the time is known, and not the frame.
      return TrackSeek(
        askedFrame: seek.askedFrame, reachedFrame: reached, isEstimated: true,
        errorBoundFrames: nil)
    }
    return TrackSeek(
      askedFrame: seek.askedFrame, reachedFrame: reached,
      isEstimated: seek.target?.isEstimated ?? false, errorBoundFrames: seek.errorBoundFrames)
  }

  /// Whether the reader can be turned back to what it has read.
  var canTurnBack: Bool {
    driver.source.information.isRepositionable
      || driver.spooledByteRanges.first?.lowerBound == 0
  }

  /// Goes on with a frame of a track that was opened and has not been played yet.
  ///
  /// - Parameters:
  ///   - frame: counted from the first frame that is sound, at the stated rate; brought to 0 to 2^60.
  ///   - purpose: how exact it has to be.
  /// - Returns: where it led. Where all of the track is decoded from its start on (``SeekPurpose/rendering``), that
  ///   is not waited for: what is reached is then the frame asked for, or a length that is known.
  /// - Throws: what stands in the way: what can only be read from start to end goes only forward.
  @discardableResult
  public func seek(
    toFrame frame: Int64, purpose: SeekPurpose = .listening
  ) throws(PlayerError) -> TrackSeek {
    try seek(toFrame: frame, generation: 0, purpose: purpose)
  }

  /// Behind all that there can be; others can be added to it.
  private static var farthestFrame: Int64 { 1 << 60 }

  /// Frames of sound in all, if that is known.
  private var end: Int64? {
    guard let duration = try? driver.stream.duration, duration.isExact else { return nil }
    return duration.frames
  }

  /// Frames of sound up to where reading has ended, where that is counted.
  private var endRead: Int64? {
    driver.listener.nextDecodedFrame.map { driver.listener.soundFrame(ofDecoded: $0) }
  }

  /// Has the driver read on from a packet at or before a decoded frame.
  ///
  /// - Returns: where that is; nil where it reads on from where it is.
  private func move(
    toFrame frame: Int64, format: AudioStreamBasicDescription
  ) throws(PlayerError) -> AudioFileStreamSeekTarget? {
    let information = driver.source.information
    // The first packet may hold no frame: Vorbis' is only heard with the next one.
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

  /// The packet that holds a frame of the first format, which the parser may have left for another.
  private func packet(atFrame frame: Int64, _ format: AudioStreamBasicDescription) -> Int64? {
    if driver.listener.isFirstFormat {
      return try? driver.stream.packet(containingFrame: frame).packet
    }
    return format.framesPerPacket > 0 ? frame / Int64(format.framesPerPacket) : nil
  }

  /// Has the driver read on from a packet that was read before, if it is spooled: the driver never
  /// goes elsewhere by itself where the source is not repositionable.
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

  /// The last packet before a frame whose place is known for certain: the stream's first if no other.
  private func lastKnownPacket(before frame: Int64) -> Int64 {
    guard driver.listener.isFirstFormat, let seen = driver.listener.lastPacketSeen,
      let first = try? driver.stream.firstFrame(ofPacket: seen), first <= frame,
      let target = try? driver.stream.seekTarget(packet: seen), !target.isEstimated
    else { return 0 }
    return seen
  }

  /// The packet that holds a frame if all packets sound equally long.
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
