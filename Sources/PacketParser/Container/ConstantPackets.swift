// SPDX-License-Identifier: MIT

import AudioModel

/// Delivers packets of one size that lie side by side, such as those of linear PCM. Only the last one
/// may be shorter.
struct ConstantPackets {
  private let format: AudioStreamBasicDescription
  private let bytesPerPacket: Int
  /// The stream offset at which the audio ends; nil if the file does not state it.
  private let end: Int64?
  private var nextPacket: Int64 = 0
  /// The last packet's description, if that packet is short; all others have the format's size.
  private(set) var descriptions: [AudioStreamPacketDescription] = []
  /// Whether no jump was made.
  private(set) var isUnbroken = true
  private var hasToldCut = false

  /// Creates the packets of audio at stream offset `dataOffset`, and sets the facts that follow from
  /// it.
  ///
  /// - Parameters:
  ///   - format: the packets' format.
  ///   - dataOffset: the byte offset of the first packet.
  ///   - byteCount: bytes of audio, below 2^62; bytes at the end that hold no frame are left out. Nil
  ///     if the file does not state it.
  ///   - facts: receives the values that follow from the other parameters.
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

  /// Returns all whole packets shown, or the short last one; nil at the end of the audio.
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

  /// Delivers a short last packet, or reports a packet cut by the end of the input.
  ///
  /// - Parameter wanted: bytes of the complete packet.
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

  /// Returns a packet's byte offset.
  func seekTarget(packet: Int64) -> AudioFileStreamSeekTarget {
    AudioFileStreamSeekTarget(
      packet: packet, byteOffset: packet * Int64(bytesPerPacket), isEstimated: false)
  }

  /// Sets the number of the next packet.
  mutating func reposition(to packet: Int64) {
    nextPacket = packet
    isUnbroken = false
    hasToldCut = false
    descriptions = []
  }
}
