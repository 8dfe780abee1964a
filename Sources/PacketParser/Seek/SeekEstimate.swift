// SPDX-License-Identifier: MIT

/// Estimates the byte offset of a packet that was not parsed, and the error of the estimate.
struct SeekEstimate {
  /// The fewest and the most bytes from one packet's beginning to the next one's.
  var bytesPerPacket: ClosedRange<Int64>
  /// The mean bytes of a packet, by the stream's totals or by the packets so far.
  var average: Double
  /// The last exact position.
  var knownPacket: Int64 = 0
  var knownByteOffset: Int64 = 0
  /// Packets and bytes of the whole stream, if they are known.
  var packetCount: Int64?
  var byteCount: Int64?

  /// Offsets stay below this, so that the data offset can be added.
  private static let byteEnd: Int64 = 1 << 62

  /// Estimates the offset by the mean, from the last exact position.
  func target(packet: Int64) -> AudioFileStreamSeekTarget {
    let guess = Double(knownByteOffset) + Double(packet - knownPacket) * average
    return target(packet: packet, byteOffset: guess.isNaN ? 0 : Int64(saturating: guess))
  }

  /// Limits another estimate of the offset to the possible range.
  ///
  /// - Parameter statedBound: the estimate's largest error in packets if the stream's statements are
  ///   true; nil if only the packet sizes bound it.
  func target(
    packet: Int64, byteOffset guess: Int64, statedBound: Int64? = nil
  ) -> AudioFileStreamSeekTarget {
    let ahead = packet - knownPacket
    var low = product(ahead, ahead >= 0 ? bytesPerPacket.lowerBound : bytesPerPacket.upperBound)
    var high = product(ahead, ahead >= 0 ? bytesPerPacket.upperBound : bytesPerPacket.lowerBound)
    high = min(max(0, sum(knownByteOffset, high)), byteCount ?? .max, Self.byteEnd)
    low = min(max(0, sum(knownByteOffset, low)), high)
    let byteOffset = min(max(guess, low), high)
    let distance = byteOffset - knownByteOffset
    // The packets that may begin at that byte.
    let fewest = Double(distance) / Double(bytesPerPacket.upperBound)
    let most = Double(distance) / Double(max(1, bytesPerPacket.lowerBound))
    var bound = max(abs(Double(ahead) - fewest), abs(most - Double(ahead))).rounded(.up)
    if let packetCount { bound = min(bound, Double(packetCount)) }
    return AudioFileStreamSeekTarget(
      packet: packet, byteOffset: byteOffset, isEstimated: true,
      errorBoundInPackets: min(Int64(saturating: bound), statedBound ?? .max))
  }

  private func sum(_ known: Int64, _ bytes: Int64) -> Int64 {
    let (result, overflow) = known.addingReportingOverflow(bytes)
    return overflow ? (bytes > 0 ? .max : .min) : result
  }

  private func product(_ packets: Int64, _ bytes: Int64) -> Int64 {
    let (result, overflow) = packets.multipliedReportingOverflow(by: bytes)
    return overflow ? (packets > 0 ? .max : .min) : result
  }
}

extension Int64 {
  /// Creates the integer part of a number, or the nearest representable integer.
  init(saturating value: Double) {
    self = value >= 0x1p63 ? .max : value <= -0x1p63 ? .min : Int64(value)
  }
}
