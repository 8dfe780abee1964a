// SPDX-License-Identifier: MIT

/// Bytes that were received and not yet read: a ring of fixed size, for one thread.
@safe struct ReceiveBuffer: ~Copyable {
  private let storage: UnsafeMutableRawBufferPointer
  private var start = 0

  /// The number of bytes that it holds.
  private(set) var count = 0

  /// The most bytes that it can hold.
  var capacity: Int { unsafe storage.count }

  /// The number of bytes that can be added.
  var free: Int { capacity - count }

  /// Creates an empty buffer.
  init(capacity: Int) {
    unsafe storage = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit {
    unsafe storage.deallocate()
  }

  /// Adds bytes; at most `free`.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count <= free, "a receive buffer is full")
    let end = (start + count) % capacity
    let first = min(bytes.count, capacity - end)
    unsafe UnsafeMutableRawBufferPointer(rebasing: storage[end...])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<first]))
    unsafe storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[first...]))
    count += bytes.count
  }

  /// Calls `body` with the oldest contiguous bytes, at most `wanted`.
  func withFirstBytes<Result>(_ wanted: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    let bytes = unsafe storage[start..<(start + min(count, wanted, capacity - start))]
    return unsafe UnsafeRawBufferPointer(rebasing: bytes).withMemoryRebound(to: UInt8.self) {
      body(unsafe $0.span)
    }
  }

  /// Moves the oldest bytes to the destination, as many as fit; returns their number.
  mutating func take(into destination: UnsafeMutableRawBufferPointer) -> Int {
    let taken = min(count, destination.count)
    let first = min(taken, capacity - start)
    unsafe destination.copyMemory(
      from: UnsafeRawBufferPointer(rebasing: storage[start..<(start + first)]))
    unsafe UnsafeMutableRawBufferPointer(rebasing: destination[first...])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<(taken - first)]))
    start = (start + taken) % capacity
    count -= taken
    return taken
  }
}
