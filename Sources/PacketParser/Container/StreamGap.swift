// SPDX-License-Identifier: MIT

/// Bytes between packets that belong to no packet.
struct StreamGap {
  private(set) var byteCount: Int64 = 0
  private(set) var start: Int64 = 0
  /// The target of a seek or of a reconnection: bytes there before the first whole packet are no loss.
  private let arrival: Int64?

  init(arrival: Int64? = nil) {
    self.arrival = arrival
  }

  /// Adds bytes from an offset on to the gap.
  mutating func pass(_ byteCount: Int, at offset: Int64) -> ParserStep {
    if self.byteCount == 0 { start = offset }
    self.byteCount += Int64(byteCount)
    return .skip(Int64(byteCount))
  }

  /// The packets that may have been in the gap; nil for less than half a packet.
  func packetCount(averageBytes: Double?) -> Int64? {
    guard let averageBytes, averageBytes > 0 else { return nil }
    let packets = (Double(byteCount) / averageBytes).rounded()
    return packets >= 1 ? Int64(min(packets, 0x1p40)) : nil
  }

  /// Ends the gap at a packet, a tag or the end of the input.
  ///
  /// - Returns: the gap to report; nil if there was none, or a seek led into it.
  mutating func close(
    _ cause: AudioFileStreamGap.Cause = .foreignBytes, frameCount: Int64? = nil
  ) -> ParserStep? {
    defer { self = StreamGap() }
    guard byteCount > 0, start != arrival else { return nil }
    return .skipped(
      AudioFileStreamGap(cause, byteOffset: start, byteCount: byteCount, frameCount: frameCount))
  }
}
