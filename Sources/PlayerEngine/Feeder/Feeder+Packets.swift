// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
internal import PacketDecoders
internal import RenderCore

extension Feeder {
  /// The most packets decoded ahead in one step, so that neither a command nor the start waits long.
  private static let packetsAheadInStep = 20

  /// Whether the source is local and its packets are decoded ahead.
  var decodesLocalAhead: Bool {
    ahead != nil && reader?.driver.source.information.isLocal == true
  }

  /// Moves the reader's packets into the ring, directly or through the decoder that runs ahead.
  func pass(_ item: PendingPackets.Item, of reader: TrackReader) throws(PlayerError) -> Step {
    if item.startsStream != nil, !hasBegunFrontStream {
      try chooseDecoder(for: item, of: reader)
    }
    if let ahead { return try pass(through: ahead, of: reader) }
    // Frames of an earlier stream that was decoded ahead come first.
    aheadOutput.finish()
    if aheadOutput.packets.first != nil { return try drain(&aheadOutput.packets, of: reader) }
    return try drain(&reader.output.packets, of: reader)
  }

  /// Decodes packets until enough sound is buffered or the ring is full: several in a row, while the decoder and its
  /// tables are in the cache.
  private func pass(
    through ahead: AheadStage, of reader: TrackReader
  ) throws(PlayerError) -> Step {
    var passed = 0
    while passed < Self.packetsAheadInStep, !rests, let item = reader.output.packets.first {
      // Another decoder may be needed from here on.
      if passed > 0, item.startsStream != nil { break }
      let start = monotonicNanoseconds()
      var failure: AudioConverterError?
      reader.output.packets.withSpan(of: item) { packet in
        do throws(AudioConverterError) {
          try ahead.decode(
            packet, metadata: item.metadata, said: item.said, into: aheadOutput,
            outputRate: feed.outputRate)
        } catch {
          failure = error
        }
      }
      times.note(decoder: monotonicNanoseconds() &- start)
      if let failure {
        reader.output.packets.removeAll()
        throw PlayerError(location: reader.name, reason: .converter(failure))
      }
      reader.output.packets.removeFirst()
      passed += 1
      if try drain(&aheadOutput.packets, of: reader) == .waitingForRing { break }
    }
    return .progressed
  }

  private func chooseDecoder(
    for item: PendingPackets.Item, of reader: TrackReader
  ) throws(PlayerError) {
    guard let stream = item.startsStream else { return }
    ahead = nil
    let format = stream.format.formatID
    var choice = DecoderChoice(format, on: buffering.decoderThread)
    var reason: PlayerError.Reason?
    if let wanted = buffering.decoderThread, choice == nil {
      reason = .decoderThreadNotAvailable(format, wanted)
    } else if choice == nil, let missing = CallbackCodec.missingLibrary(for: format) {
      // Of two possible libraries, the error names the one that decodes in the callback.
      reason = .converter(missing)
    } else {
      do throws(AudioConverterError) {
        if choice?.reason == .noDeadline { try chooseThread(&choice, for: stream, of: reader) }
        if choice?.thread != .callback { reason = decodeAhead(stream, from: item, of: reader) }
      } catch {
        reason = .converter(error)
      }
    }
    if let reason {
      reader.output.packets.removeAll()
      throw PlayerError(location: reader.name, reason: reason)
    }
    if let choice {
      lastThread = (stream.format, choice.thread)
      events.append(.chose(track: trackIndex, choice))
    }
  }

  /// Chooses the decoding thread by the time for the stream's first packets.
  private func chooseThread(
    _ choice: inout DecoderChoice?, for stream: CodedStreamDescription, of reader: TrackReader
  ) throws(AudioConverterError) {
    guard periodFrames > 0 else { return }
    let outputRate = feed.outputRate
    let packet = try packetCost.nanoseconds(
      stream, reader.output.packets, outputRate: outputRate)
    let isJoined =
      canJoin && lastThread?.format.sampleRate == stream.format.sampleRate
      && lastThread?.format.channelsPerFrame == stream.format.channelsPerFrame
    choice?.chooseThread(
      packetNanoseconds: packet,
      periodNanoseconds: periodNanoseconds,
      joined: isJoined ? lastThread?.thread : nil)
  }

  /// Creates the decoder that runs ahead.
  ///
  /// - Returns: the failure; nil on success.
  private func decodeAhead(
    _ stream: CodedStreamDescription, from item: PendingPackets.Item, of reader: TrackReader
  ) -> PlayerError.Reason? {
    let start = start(of: reader)
    if CallbackCodec.library(for: stream.format.formatID) != nil {
      var made: Result<AheadStage, AudioConverterError>?
      unsafe reader.output.packets.withBytes(of: item) { bytes in
        do throws(AudioConverterError) {
          made = .success(unsafe try AheadStage(stream, at: start, firstPacket: bytes))
        } catch {
          made = .failure(error)
        }
      }
      if case .failure(let error) = made { return .converter(error) }
      ahead = try? made?.get()
    } else {
      // If this build has no decoder of the format, this throws the cause.
      do throws(AheadDecoderError) {
        ahead = try AheadStage(stream, at: start)
      } catch {
        return .decoder(error)
      }
    }
    reader.startNanoseconds = nil
    return nil
  }

  /// Returns the position of a stream that begins with the reader's next packet.
  private func start(of reader: TrackReader) -> StreamStart {
    StreamStart(
      origin: StreamOrigin(track: trackIndex, startNanoseconds: reader.startNanoseconds),
      transportNanoseconds: trackStarts.start(of: trackIndex) + (reader.startNanoseconds ?? 0))
  }

  /// Writes the last frames decoded ahead to the ring; no packet follows them.
  ///
  /// - Returns: false if the ring has no room now.
  func finishAhead() -> Bool {
    aheadOutput.finish()
    do throws(PlayerError) {
      _ = try drain(&aheadOutput.packets, of: nil)
    } catch {
      events.append(.failed(track: trackIndex, error))
    }
    return aheadOutput.packets.first == nil
  }

  /// Moves packets into the ring until it is full, or up to one that has to be decoded first.
  ///
  /// - Parameter reader: the reader of the packets; nil once it is closed, when each stream in them has its own
  ///   `start`.
  func drain(
    _ packets: inout PendingPackets, of reader: TrackReader?
  ) throws(PlayerError) -> Step {
    var moved = false
    while let item = packets.first {
      // Another decoder may be needed from here on.
      if moved, ahead == nil, item.startsStream != nil { return .progressed }
      guard item.byteRange.count <= feed.maximumPacketBytes else {
        packets.removeAll()
        throw PlayerError(
          location: reader?.name ?? "",
          reason: .packetTooLarge(
            bytes: item.byteRange.count, byteOffset: item.metadata.byteOffset))
      }
      if let stream = item.startsStream, !hasBegunFrontStream {
        guard try begin(stream, with: item, in: &packets, of: reader) else {
          return moved ? .progressed : .waitingForRing
        }
        hasBegunFrontStream = true
      }
      var metadata = item.metadata
      if item.said != nil { metadata.mark = lastMark &+ 1 }
      let isWritten = unsafe packets.withBytes(of: item) { bytes in
        unsafe feed.write(
          packet: bytes, metadata: metadata, sparedNanoseconds: sparedNanoseconds,
          ampleNanoseconds: ampleNanoseconds)
      }
      guard isWritten else { return moved ? .progressed : .waitingForRing }
      if let said = item.said {
        lastMark = metadata.mark
        events.append(.said(track: item.saidOf ?? trackIndex, mark: lastMark, said))
      }
      hasBegunFrontStream = false
      didWrite(item.metadata)
      packets.removeFirst()
      moved = true
    }
    return .progressed
  }

  /// Room to keep for the sound of a seek: a full ring would otherwise have to play out before new sound fits. The
  /// first sound with each flush serial may use it.
  private var sparedNanoseconds: UInt64 {
    fedNanoseconds < SteppedPlayer.readyNanoseconds ? 0 : SteppedPlayer.readyNanoseconds
  }

  /// With this much sound in the ring, packets reuse its memory from the beginning. Not while it holds little sound of
  /// a seek, which would find less room than was kept for it.
  private var ampleNanoseconds: UInt64 {
    fedNanoseconds < SteppedPlayer.readyNanoseconds ? .max : highWaterNanoseconds / 4 * 3
  }

  private func begin(
    _ stream: CodedStreamDescription, with item: PendingPackets.Item,
    in packets: inout PendingPackets, of reader: TrackReader?
  ) throws(PlayerError) -> Bool {
    var result: Result<UInt32?, AudioConverterError> = .success(nil)
    guard let start = item.start ?? reader.map({ start(of: $0) }) else { return true }
    unsafe packets.withBytes(of: item) { bytes in
      do throws(AudioConverterError) {
        result = .success(
          unsafe try feed.beginStream(
            stream, origin: start.origin, firstPacket: bytes, joinsPrevious: canJoin,
            transportNanoseconds: canJoin ? nil : start.transportNanoseconds))
      } catch {
        result = .failure(error)
      }
    }
    switch result {
    case .success(nil): return false
    case .success(let id?):
      events.append(.began(stream: id))
      if item.start == nil { reader?.startNanoseconds = nil }
      canJoin = true
      return true
    case .failure(let error):
      packets.removeAll()
      throw PlayerError(location: reader?.name ?? "", reason: .converter(error))
    }
  }
}
