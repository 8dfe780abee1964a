// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
internal import PacketDecoders
internal import RenderCore

extension Feeder {
  /// Moves the reader's packets on: into the ring, or through the decoder that runs ahead of it.
  func pass(_ item: PendingPackets.Item, of reader: TrackReader) throws(PlayerError) -> Step {
    if let stream = item.startsStream, !hasBegunFrontStream {
      do throws(PlayerError) {
        try chooseDecoder(stream, of: reader)
      } catch {
        reader.output.packets.removeAll()
        throw error
      }
    }
    guard let ahead else { return try drain(&reader.output.packets, of: reader) }
    let start = monotonicNanoseconds()
    reader.output.packets.withSpan(of: item) {
      ahead.decode($0, history: item.history, said: item.said)
    }
    times.note(decoder: monotonicNanoseconds() &- start)
    reader.output.packets.removeFirst()
    return .progressed
  }

  private func chooseDecoder(
    _ stream: CodedStreamDescription, of reader: TrackReader
  ) throws(PlayerError) {
    ahead = nil
    let format = stream.format.formatID
    let choice = DecoderChoice(format, at: decodePlace)
    if let decodePlace, choice == nil {
      throw PlayerError(
        location: reader.name, reason: .placeNotAvailable(format, decodePlace))
    }
    guard choice?.place != .callback else { return }
    if choice == nil {
      // Of two libraries that would do, the one that decodes in the callback is named.
      let missing = CallbackCodec.missing(for: format)
      if case .codecNotBuilt = missing {
        throw PlayerError(location: reader.name, reason: .converter(missing))
      }
    }
    // Where there is no decoder at all, this says why.
    do throws(AheadDecoderError) {
      ahead = try AheadStage(stream)
    } catch {
      throw PlayerError(location: reader.name, reason: .decoder(error))
    }
  }

  /// Moves packets into the ring until it is full, or up to one that has to be decoded first.
  func drain(
    _ packets: inout PendingPackets, of reader: TrackReader
  ) throws(PlayerError) -> Step {
    var moved = false
    while let item = packets.first {
      // Another decoder may be needed from here on.
      if moved, ahead == nil, item.startsStream != nil { return .progressed }
      guard item.byteRange.count <= feed.maximumPacketBytes else {
        packets.removeAll()
        throw PlayerError(
          location: reader.name,
          reason: .packetTooLarge(
            bytes: item.byteRange.count, byteOffset: item.history.byteOffset))
      }
      if let stream = item.startsStream, !hasBegunFrontStream {
        guard try begin(stream, with: item, in: &packets, of: reader) else {
          return moved ? .progressed : .waitingForRing
        }
        hasBegunFrontStream = true
      }
      var history = item.history
      if item.said != nil { history.mark = lastMark &+ 1 }
      let isWritten = unsafe packets.withBytes(of: item) { bytes in
        unsafe feed.write(
          packet: bytes, history: history, sparedNanoseconds: sparedNanoseconds,
          ampleNanoseconds: highWaterNanoseconds / 4 * 3)
      }
      guard isWritten else { return moved ? .progressed : .waitingForRing }
      if let said = item.said {
        lastMark = history.mark
        events.append(.said(track: trackIndex, mark: lastMark, said))
      }
      hasBegunFrontStream = false
      didWrite(item.history)
      packets.removeFirst()
      moved = true
    }
    return .progressed
  }

  /// Room that is kept for what a seek leads to: without it a full ring would first have to be emptied,
  /// and nothing would be there to go over to. The first of each generation may use it.
  private var sparedNanoseconds: UInt64 {
    fedNanoseconds < SteppedPlayer.readyNanoseconds ? 0 : SteppedPlayer.readyNanoseconds
  }

  private func begin(
    _ stream: CodedStreamDescription, with item: PendingPackets.Item,
    in packets: inout PendingPackets, of reader: TrackReader
  ) throws(PlayerError) -> Bool {
    var result: Result<UInt32?, AudioConverterError> = .success(nil)
    let origin = StreamOrigin(track: trackIndex, startNanoseconds: reader.startNanoseconds)
    let onTransport = trackStarts.start(of: trackIndex) + (reader.startNanoseconds ?? 0)
    unsafe packets.withBytes(of: item) { bytes in
      do throws(AudioConverterError) {
        result = .success(
          unsafe try feed.beginStream(
            stream, origin: origin, firstPacket: bytes, joinsPrevious: canJoin,
            transportNanoseconds: canJoin ? nil : onTransport))
      } catch {
        result = .failure(error)
      }
    }
    switch result {
    case .success(nil): return false
    case .success(let id?):
      events.append(.began(stream: id))
      reader.startNanoseconds = nil
      canJoin = true
      return true
    case .failure(let error):
      packets.removeAll()
      throw PlayerError(location: reader.name, reason: .converter(error))
    }
  }
}
