// SPDX-License-Identifier: MIT

import AudioModel

/// Delivers packets that all have one size and lie side by side, as those of linear PCM do. Only the last
/// one may be shorter.
struct ConstantPackets {
  private let format: AudioStreamBasicDescription
  private let bytesPerPacket: Int
  /// Where the audio ends in the stream; nil when the file does not say.
  private let end: Int64?
  private var nextPacket: Int64 = 0
  /// The last packet's, if it was a short one; all others have the format's size.
  private(set) var descriptions: [AudioStreamPacketDescription] = []
  /// No jump was made.
  private(set) var isUnbroken = true
  private var hasToldCut = false

  /// The audio begins at stream offset `dataOffset`; what follows from that goes to the facts.
  ///
  /// - Parameters:
  ///   - format: the packets' format.
  ///   - dataOffset: where the first packet is.
  ///   - byteCount: bytes of audio, below 2^62; what holds no frame at their end is left out. Nil when the
  ///     file does not say.
  ///   - facts: gets what follows from the others.
  init(
    _ format: AudioStreamBasicDescription, from dataOffset: Int64, byteCount: Int64?,
    facts: inout StreamFacts
  ) {
    self.format = format
    bytesPerPacket = Int(format.bytesPerPacket)
    let usable = byteCount.map { format.usableBytes(of: $0) }
    end = usable.map { dataOffset + $0 }
    facts.dataFormat = format
    facts.dataOffset = dataOffset
    facts.statedByteCount = usable
    facts.statedPacketCount = usable.map { format.packets(inBytes: $0) }
    facts.packetSizeUpperBound = bytesPerPacket
    let bytesPerSecond =
      format.sampleRate / Double(format.framesPerPacket) * Double(format.bytesPerPacket)
    facts.constantBitRate = Int((bytesPerSecond * 8).rounded())
  }

  /// As many whole packets as there are, or the short last one; nil where the audio has ended.
  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool, facts: inout StreamFacts
  ) -> ParserStep? {
    descriptions = []
    if let end, offset >= end { return nil }
    let left = end.map { $0 - offset } ?? .max
    let available = Int(min(Int64(bytes.count), left))
    let count = available / bytesPerPacket
    guard count > 0 else {
      let wanted = Int(min(Int64(bytesPerPacket), left))
      if available < wanted, !isEnd { return .need(wanted) }
      return available > 0
        ? stepLast(available, of: wanted, at: offset, facts: &facts) : nil
    }
    return deliver(count, byteCount: count * bytesPerPacket, facts: &facts)
  }

  /// Delivers a short last packet, or reports a packet that the input's end has cut.
  ///
  /// - Parameter wanted: bytes of the packet if it were whole.
  private mutating func stepLast(
    _ byteCount: Int, of wanted: Int, at offset: Int64, facts: inout StreamFacts
  ) -> ParserStep {
    if format.frames(ofShortPacket: Int64(byteCount)) > 0 {
      descriptions = [
        AudioStreamPacketDescription(
          startOffset: 0, variableFramesInPacket: 0, dataByteSize: UInt32(byteCount))
      ]
      return deliver(1, byteCount: byteCount, facts: &facts)
    }
    if hasToldCut { return .skip(Int64(byteCount)) }
    hasToldCut = true
    return .skipped(
      AudioFileStreamGap(
        .cut, byteOffset: offset, byteCount: Int64(byteCount),
        frameCount: format.frames(inBytes: Int64(wanted))))
  }

  private mutating func deliver(
    _ count: Int, byteCount: Int, facts: inout StreamFacts
  ) -> ParserStep {
    if !facts.isWhole {
      facts.packetsSeen += Int64(count)
      facts.bytesSeen += Int64(byteCount)
      facts.largestPacketSeen = bytesPerPacket
    }
    defer { nextPacket += Int64(count) }
    return .packets(.shown(first: nextPacket, count: count, byteCount: byteCount))
  }

  /// A packet's place.
  func seekTarget(packet: Int64) -> AudioFileStreamSeekTarget {
    AudioFileStreamSeekTarget(
      packet: packet, byteOffset: packet * Int64(bytesPerPacket), isEstimated: false)
  }

  /// The next packet has this number.
  mutating func reposition(to packet: Int64) {
    nextPacket = packet
    isUnbroken = false
    hasToldCut = false
    descriptions = []
  }
}
