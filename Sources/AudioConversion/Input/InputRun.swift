// SPDX-License-Identifier: MIT

internal import AudioModel

/// Packets from the fill callback, and the number of those that are used up.
///
/// The caller's memory is read until the callback is called again or `fill` returns, whichever is first. Before
/// `fill` returns, the remaining packets are copied, once, so that a pointer need not outlive the call for
/// which it was made.
@safe
struct InputRun {
  private var borrowed: [UnsafeRawBufferPointer]
  private var owned: [[UInt8]]
  /// The packets' byte ranges; empty when all have the size `bytesPerPacket`.
  private let descriptions: [AudioStreamPacketDescription]
  private let bytesPerPacket: Int
  /// Bytes at the start of the caller's buffers that were not copied.
  private var base = 0
  let count: Int
  private(set) var used = 0

  /// - Parameter planes: the number of buffers that the format needs.
  /// - Throws: `'insz'` for packets that are not in the buffer, `'!pkd'` for packets without descriptions.
  init(
    _ packets: AudioConverter.Packets, format: AudioStreamBasicDescription, planes: Int
  ) throws(AudioConversionError) {
    unsafe borrowed = packets.borrowed
    owned = packets.owned
    let sizes = unsafe owned.isEmpty ? borrowed.map(\.count) : owned.map(\.count)
    guard sizes.count >= planes, let byteCount = sizes.prefix(planes).min(), packets.count >= 0
    else {
      throw AudioConversionError(
        .invalidInputSize, "\(sizes.count) input buffers where \(planes) are needed")
    }
    if !format.needsPacketDescriptions {
      bytesPerPacket = Int(format.bytesPerPacket)
      descriptions = []
      count = min(packets.count, byteCount / bytesPerPacket)
      guard count > 0 || packets.count == 0 else {
        throw AudioConversionError(
          .invalidInputSize, "\(byteCount) bytes are less than a packet of \(bytesPerPacket)")
      }
      return
    }
    bytesPerPacket = 0
    count = packets.count
    if packets.count == 1, packets.descriptions.isEmpty {
      descriptions = [
        AudioStreamPacketDescription(
          startOffset: 0, variableFramesInPacket: 0,
          dataByteSize: UInt32(clamping: byteCount))
      ]
      return
    }
    guard packets.descriptions.count >= packets.count else {
      throw AudioConversionError(
        .requiresPacketDescriptions,
        "\(packets.count) packets came with \(packets.descriptions.count) descriptions")
    }
    descriptions = Array(packets.descriptions.prefix(packets.count))
    let lies = descriptions.contains { description in
      description.startOffset < 0 || description.startOffset > Int64(byteCount)
        || Int64(description.dataByteSize) > Int64(byteCount) - description.startOffset
    }
    if lies {
      throw AudioConversionError(
        .invalidInputSize, "a packet lies outside of the \(byteCount) bytes handed over")
    }
  }

  var isUsedUp: Bool { used >= count }

  /// Calls `body` with the bytes of the next packets, in each buffer, and counts them as used.
  ///
  /// - Parameters:
  ///   - limit: the most packets; more than one only for packets of one size.
  ///   - body: receives the buffers, the number of packets in them, and the frames that the description of a
  ///     single packet states.
  mutating func takePackets(
    _ limit: Int, _ body: ([UnsafeRawBufferPointer], _ count: Int, _ statedFrames: Int) -> Void
  ) {
    let number = descriptions.isEmpty ? min(limit, count - used) : 1
    guard number > 0, !isUsedUp else { return }
    var (start, size, frames) = (used * bytesPerPacket, number * bytesPerPacket, 0)
    if !descriptions.isEmpty {
      start = Int(descriptions[used].startOffset)
      size = Int(descriptions[used].dataByteSize)
      frames = Int(descriptions[used].variableFramesInPacket)
    }
    used += number
    start -= base
    guard !owned.isEmpty else {
      let slices = unsafe borrowed.map { buffer in
        unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<start + size])
      }
      unsafe body(slices, number, frames)
      return
    }
    unsafe Self.withSlices(of: owned[...], start..<start + size, []) { slices in
      unsafe body(slices, number, frames)
    }
  }

  /// Copies the remaining packets from the caller's memory.
  mutating func detach() {
    guard owned.isEmpty, !isUsedUp else { return }
    let starts = descriptions[min(used, descriptions.count)...].map { Int($0.startOffset) }
    base = starts.min() ?? used * bytesPerPacket
    let ends = descriptions[min(used, descriptions.count)...].map {
      Int($0.startOffset) + Int($0.dataByteSize)
    }
    let end = ends.max() ?? count * bytesPerPacket
    owned = unsafe borrowed.map { buffer in
      unsafe Array(buffer[min(base, buffer.count)..<min(end, buffer.count)])
    }
    unsafe borrowed = []
  }

  private static func withSlices(
    of arrays: ArraySlice<[UInt8]>, _ range: Range<Int>, _ slices: [UnsafeRawBufferPointer],
    _ body: ([UnsafeRawBufferPointer]) -> Void
  ) {
    guard let first = arrays.first else { return unsafe body(slices) }
    unsafe first.withUnsafeBytes { bytes in
      let slice = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
      unsafe withSlices(of: arrays.dropFirst(), range, slices + [slice], body)
    }
  }
}
