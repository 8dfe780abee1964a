// SPDX-License-Identifier: MIT

import Synchronization

/// A packet found by the parser; for linear PCM, whose packets are single frames, many of them.
@safe
struct KeptPacket: ~Copyable {
  let bytes: UnsafeMutableRawBufferPointer
  let frameCount: Int
  /// The address of the next packet; 0 if there is none.
  let next = Atomic<UInt>(0)

  init(bytes: Span<UInt8>, frameCount: Int) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
    unsafe bytes.withUnsafeBytes { unsafe copy.copyMemory(from: $0) }
    unsafe self.bytes = unsafe copy
    self.frameCount = frameCount
  }

  deinit {
    unsafe bytes.deallocate()
  }
}

/// The tutorial's array of packets, as a list that only grows at its end. The tutorial locks its array while the
/// render callback reads it, but a render callback must not wait. The parser's thread appends packets and frees played
/// ones; the render thread follows the list (``Playback/takePacket()``).
@safe
struct KeptPackets: ~Copyable {
  /// The start of the list: a packet without bytes, or one that has been played.
  private(set) var oldest: UnsafeMutablePointer<KeptPacket>
  private var newest: UnsafeMutablePointer<KeptPacket>
  /// Frames of all packets stored so far.
  private(set) var storedFrames = 0

  init() {
    unsafe oldest = .allocate(capacity: 1)
    unsafe oldest.initialize(to: KeptPacket(bytes: [UInt8]().span, frameCount: 0))
    unsafe newest = unsafe oldest
  }

  deinit {
    var packet: UnsafeMutablePointer<KeptPacket>? = unsafe oldest
    while let next = unsafe packet { unsafe packet = Self.free(next) }
  }

  mutating func append(_ bytes: Span<UInt8>, frameCount: Int) {
    let packet = UnsafeMutablePointer<KeptPacket>.allocate(capacity: 1)
    unsafe packet.initialize(to: KeptPacket(bytes: bytes, frameCount: frameCount))
    unsafe newest.pointee.next.store(UInt(bitPattern: packet), ordering: .releasing)
    unsafe newest = unsafe packet
    storedFrames += frameCount
  }

  /// Frees the packets before the one at this address, which the render thread is at.
  mutating func free(before current: UInt) {
    while UInt(bitPattern: unsafe oldest) != current, let next = unsafe Self.free(oldest) {
      unsafe oldest = unsafe next
    }
  }

  private static func free(
    _ packet: UnsafeMutablePointer<KeptPacket>
  ) -> UnsafeMutablePointer<KeptPacket>? {
    let next = unsafe packet.pointee.next.load(ordering: .acquiring)
    unsafe packet.deinitialize(count: 1)
    unsafe packet.deallocate()
    return unsafe UnsafeMutablePointer(bitPattern: next)
  }
}
