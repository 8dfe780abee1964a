// SPDX-License-Identifier: MIT

/// The byte offsets of packets of a constant bit rate, learned from their padding.
///
/// Frame *k* of such a stream begins at `k·base + slot·⌊k·f + φ⌋`, where *f* is the fraction of a slot
/// that a frame lacks (ISO/IEC 11172-3 section 2.4.3.1). Encoders differ in the phase φ, and each
/// padding bit narrows it. Some never pad, and have a slightly lower rate. An offset is exact if all
/// remaining phases yield the same one.
struct ConstantBitRateMap {
  /// Bytes of a packet without padding.
  let unpaddedBytes: Int64
  private let slotBytes: Int64
  /// f and the range of φ, in units of 1/rate.
  private let rate: Int64
  private let fraction: Int64
  private var lowestPhase: Int64 = 0
  private var phaseEnd: Int64
  /// k·f minus the slots added so far.
  private var debt: Int64 = 0
  private var hasOneBitRate = true
  private var isNeverPadded = true
  let bitRateIndex: Int

  init?(_ header: MPEGAudioHeader) {
    guard let size = header.frameBytes else { return nil }
    bitRateIndex = header.bitRateIndex
    slotBytes = Int64(header.slotBytes)
    unpaddedBytes = Int64(size) - (header.isPadded ? slotBytes : 0)
    rate = Int64(header.sampleRate)
    let slotsTimesRate = header.framesPerPacket / 8 / header.slotBytes * header.bitRate
    fraction = Int64(slotsTimesRate % header.sampleRate)
    phaseEnd = rate
  }

  /// Whether every frame so far fits.
  var holds: Bool { hasOneBitRate && (isNeverPadded || lowestPhase < phaseEnd) }

  /// Adds the next frame.
  @inline(__always)
  mutating func add(bitRateIndex index: Int, isPadded: Bool) {
    hasOneBitRate = hasOneBitRate && index == bitRateIndex
    isNeverPadded = isNeverPadded && !isPadded
    guard lowestPhase < phaseEnd else { return }
    debt += isPadded ? fraction - rate : fraction
    lowestPhase = max(lowestPhase, -debt)
    phaseEnd = min(phaseEnd, rate - debt)
  }

  /// Returns the bytes from the first packet to this one, whose number must be below 2^40.
  func byteOffset(packet: Int64) -> (bytes: Int64, isExact: Bool) {
    let unpadded = packet * unpaddedBytes
    guard lowestPhase < phaseEnd else { return (unpadded, holds) }
    let low = slots(packet, phase: lowestPhase)
    let isSettled = low == slots(packet, phase: phaseEnd - 1) && (low == 0 || !isNeverPadded)
    return (unpadded + low * slotBytes, holds && isSettled)
  }

  /// Returns the first and the last possible byte offset of this packet.
  func byteRange(packet: Int64) -> ClosedRange<Int64> {
    let unpadded = packet * unpaddedBytes
    guard lowestPhase < phaseEnd else { return unpadded...unpadded }
    let low = isNeverPadded ? 0 : slots(packet, phase: lowestPhase)
    return unpadded + low * slotBytes...unpadded + slots(packet, phase: phaseEnd - 1) * slotBytes
  }

  /// Whether a packet may end after this many bytes.
  func hasPacketEnd(at byteCount: Int64) -> Bool {
    guard byteCount > 0 else { return true }
    // Padding adds less than one slot a packet.
    var packet = byteCount / (unpaddedBytes + slotBytes)
    // The end of the search: a packet that must begin after `byteCount`.
    var end = min(byteCount / unpaddedBytes + 1, 1 << 40)
    while packet < end {
      let middle = packet + (end - packet) / 2
      if byteRange(packet: middle).upperBound < byteCount {
        packet = middle + 1
      } else {
        end = middle
      }
    }
    return byteRange(packet: packet).contains(byteCount)
  }

  private func slots(_ packet: Int64, phase: Int64) -> Int64 {
    (packet * fraction + phase) / rate
  }
}
