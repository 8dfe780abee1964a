// SPDX-License-Identifier: MIT

import AudioModel

/// Delivers packets that all have one size and lie side by side, as those of linear PCM do.
struct ConstantPackets {
  private let bytesPerPacket: Int
  /// Where the last whole packet ends in the stream; nil when the file does not say.
  private let end: Int64?
  private var nextPacket: Int64 = 0
  /// No jump was made.
  private(set) var isUnbroken = true
  private var hasToldCut = false

  /// The audio begins at stream offset `dataOffset`; what follows from that goes to the facts.
  ///
  /// - Parameters:
  ///   - format: the packets' format.
  ///   - dataOffset: where the first packet is.
  ///   - byteCount: bytes of audio, below 2^62; what is not a whole packet is left out. Nil when the
  ///     file does not say.
  ///   - facts: gets what follows from the others.
  init(
    _ format: AudioStreamBasicDescription, from dataOffset: Int64, byteCount: Int64?,
    facts: inout StreamFacts
  ) {
    bytesPerPacket = Int(format.bytesPerPacket)
    let packetCount = byteCount.map { $0 / Int64(format.bytesPerPacket) }
    end = packetCount.map { dataOffset + $0 * Int64(format.bytesPerPacket) }
    facts.dataFormat = format
    facts.dataOffset = dataOffset
    facts.statedByteCount = packetCount.map { $0 * Int64(format.bytesPerPacket) }
    facts.statedPacketCount = packetCount
    facts.packetSizeUpperBound = bytesPerPacket
    let bytesPerSecond =
      format.sampleRate / Double(format.framesPerPacket) * Double(format.bytesPerPacket)
    facts.constantBitRate = Int((bytesPerSecond * 8).rounded())
  }

  /// As many whole packets as there are; nil where the audio has ended.
  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool, facts: inout StreamFacts
  ) -> ParserStep? {
    if let end, offset >= end { return nil }
    let available = Int(min(Int64(bytes.count), end.map { $0 - offset } ?? .max))
    let count = available / bytesPerPacket
    guard count > 0 else {
      if !isEnd { return .need(bytesPerPacket) }
      guard available > 0 else { return nil }
      // The input's end has cut a packet.
      if hasToldCut { return .skip(Int64(available)) }
      hasToldCut = true
      return .skipped(
        AudioFileStreamGap(.cut, byteOffset: offset, byteCount: Int64(available)))
    }
    let byteCount = count * bytesPerPacket
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
  }
}

extension StreamFacts {
  /// Takes the file's own count of frames, if it says how much of the last packet is sound: encoders
  /// fill up the last block.
  mutating func takeFrameCount(_ frames: Int64?) {
    guard let frames, let packets = statedPacketCount, packets > 0,
      let framesPerPacket = dataFormat.map({ Int64($0.framesPerPacket) }), framesPerPacket > 1
    else { return }
    let (most, overflow) = packets.multipliedReportingOverflow(by: framesPerPacket)
    if !overflow, frames > most - framesPerPacket, frames <= most { statedFrameCount = frames }
  }
}
