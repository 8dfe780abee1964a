// SPDX-License-Identifier: MIT

internal import Synchronization

/// A slot that passes responses to the render thread, and a ring that returns them to be freed. The latest one wins.
@safe
struct ResponseExchange: ~Copyable {
  typealias Response = UnsafeMutablePointer<PartitionedResponse>

  private let offered = Atomic<UInt>(0)
  /// From the render thread to the control side. Each offer empties it, and the render thread has at most two responses
  /// besides the offered one, so it is never full.
  private let retired = ReturnRing(capacity: 4)

  /// Offers a response. One that was not taken is freed. One control thread at a time.
  func offer(_ response: consuming PartitionedResponse) {
    reclaim()
    let address = unsafe UnsafeMutablePointer.allocating(response)
    let old = offered.exchange(UInt(bitPattern: address), ordering: .acquiringAndReleasing)
    unsafe Response(bitPattern: old)?.destroy()
  }

  /// Frees the responses that the render thread has retired. One control thread at a time.
  func reclaim() {
    while let record = retired.pop() {
      unsafe Response(bitPattern: UInt(record.first))?.destroy()
    }
  }

  /// Returns the offered response; nil if there is no new one. Real-time: wait-free, render thread only.
  @_noLocks
  func take() -> Response? {
    guard offered.load(ordering: .relaxed) != 0 else { return nil }
    return unsafe Response(bitPattern: offered.exchange(0, ordering: .acquiringAndReleasing))
  }

  /// Returns a response to the control side, to be freed. Real-time: wait-free, render thread only.
  @_noLocks
  func retire(_ response: Response) {
    _ = retired.push(ReturnRing.Record(UInt64(UInt(bitPattern: response))))
  }

  deinit {
    reclaim()
    unsafe Response(bitPattern: offered.load(ordering: .acquiring))?.destroy()
  }
}
