// SPDX-License-Identifier: MIT

/// Guesses where a packet lies that was not seen, and how wrong the guess can be.
struct SeekEstimate {
  /// The fewest and the most bytes from one packet's beginning to the next one's.
  var bytesPerPacket: ClosedRange<Int64>
  /// Their mean, by the stream's totals or by the packets so far.
  var average: Double
  /// The last place that is certain.
  var knownPacket: Int64 = 0
  var knownByteOffset: Int64 = 0
  /// Packets and bytes of the whole stream, as far as they are known.
  var packetCount: Int64?
  var byteCount: Int64?

  /// The place by the mean, from the last one that is certain.
  func target(packet: Int64) -> AudioFileStreamSeekTarget {
    let ahead = packet - knownPacket
    let guess = knownByteOffset + Int64(Double(ahead) * average)
    return target(packet: packet, byteOffset: guess)
  }

  /// The place that something else told, brought inside what is possible.
  ///
  /// - Parameter statedBound: the packets by which the guess can be wrong if the stream tells the
  ///   truth; nil if only the sizes of packets bound it.
  func target(
    packet: Int64, byteOffset guess: Int64, statedBound: Int64? = nil
  ) -> AudioFileStreamSeekTarget {
    let ahead = packet - knownPacket
    var low = product(ahead, ahead >= 0 ? bytesPerPacket.lowerBound : bytesPerPacket.upperBound)
    var high = product(ahead, ahead >= 0 ? bytesPerPacket.upperBound : bytesPerPacket.lowerBound)
    low = max(0, knownByteOffset + low)
    high = max(low, min(byteCount ?? .max, knownByteOffset + high))
    let byteOffset = min(max(guess, low), high)
    let distance = byteOffset - knownByteOffset
    // The packets that may begin at that byte.
    let fewest = Double(distance) / Double(bytesPerPacket.upperBound)
    let most = Double(distance) / Double(max(1, bytesPerPacket.lowerBound))
    var bound = max(abs(Double(ahead) - fewest), abs(most - Double(ahead))).rounded(.up)
    if let packetCount { bound = min(bound, Double(packetCount)) }
    return AudioFileStreamSeekTarget(
      packet: packet, byteOffset: byteOffset, isEstimated: true,
      errorBoundInPackets: min(Int64(bound), statedBound ?? .max))
  }

  private func product(_ packets: Int64, _ bytes: Int64) -> Int64 {
    let (result, overflow) = packets.multipliedReportingOverflow(by: bytes)
    // Half, so that a known offset can be added.
    return overflow ? (packets > 0 ? Int64.max / 2 : Int64.min / 2) : result
  }
}
