// SPDX-License-Identifier: MIT

/// The last input frames of a resampler, each channel separately. soxr reads them from here, and at a change of the
/// output's rate another resampler repeats those whose output is pending.
///
/// Real-time: every member is safe; creation and destruction are not.
@safe
struct ResamplerInput: ~Copyable {
  /// Most frames that are kept.
  let capacity: Int
  private let channels: Int
  private let planes: Planes
  /// The start of each channel's next piece, in the form that soxr takes.
  private let pointers: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  /// The index of the next frame to write.
  private var end = 0
  /// Frames before the end that have not been read.
  private(set) var unreadFrames = 0

  /// Allocates the buffer and fills it with silence.
  init(capacity: Int, channels: Int) {
    self.capacity = capacity
    self.channels = channels
    planes = Planes(capacity: capacity, channels: channels)
    unsafe pointers = .allocate(capacity: channels)
    unsafe pointers.initialize(repeating: nil, count: channels)
  }

  deinit { unsafe pointers.deallocate() }

  /// Adds frames over the oldest ones; at most as many as fit beside the unread ones.
  @_noLocks
  mutating func write(_ interleaved: UnsafePointer<Float>, count: Int) {
    let first = min(count, capacity - end)
    unsafe planes.take(interleaved, count: first, at: end)
    if first < count {
      unsafe planes.take(interleaved + first * channels, count: count - first, at: 0)
    }
    advance(by: count)
  }

  /// Reads the next contiguous unread frames, at most `limit`.
  ///
  /// - Returns: a pointer to each channel, valid until the next call; and the number of frames, 0 for none.
  @_noLocks
  mutating func read(
    _ limit: Int
  ) -> (pointers: UnsafeMutablePointer<UnsafeMutableRawPointer?>, frames: Int) {
    let start = begin()
    let count = min(min(limit, unreadFrames), capacity - start)
    unsafe planes.point(pointers, at: start)
    unreadFrames -= count
    return unsafe (pointers, count)
  }

  /// Copies the next contiguous unread frames, at most `limit`.
  ///
  /// - Returns: the number of frames, 0 for none.
  @_noLocks
  mutating func read(_ limit: Int, into interleaved: UnsafeMutablePointer<Float>) -> Int {
    let start = begin()
    let count = min(min(limit, unreadFrames), capacity - start)
    unsafe planes.give(interleaved, count: count, from: start)
    unreadFrames -= count
    return count
  }

  /// Makes the last frames unread again; at most the capacity.
  @_noLocks
  mutating func rewind(toLast count: Int) {
    unreadFrames = count
  }

  /// Takes over the last frames of another input, which then are the unread ones.
  ///
  /// - Parameter count: at most the other one's capacity. If this one is too small, the two are swapped.
  @_noLocks
  mutating func takeLast(_ count: Int, of other: inout ResamplerInput) {
    if count > capacity {
      swap(&self, &other)
    } else {
      let start = (other.end + other.capacity - count) % other.capacity
      let first = min(count, other.capacity - start)
      end = 0
      planes.copy(from: other.planes, first, at: start, to: 0)
      planes.copy(from: other.planes, count - first, at: 0, to: first)
      advance(by: count)
    }
    rewind(toLast: count)
  }

  /// Returns the index of the first unread frame.
  @_noLocks
  private func begin() -> Int {
    end >= unreadFrames ? end - unreadFrames : end - unreadFrames + capacity
  }

  @_noLocks
  private mutating func advance(by count: Int) {
    end += count
    if end >= capacity { end -= capacity }
    unreadFrames += count
  }
}
