// SPDX-License-Identifier: MIT

/// The last frames that a resampler was given, each channel by itself: soxr reads them from here, and
/// another resampler repeats those whose sound has not come out when the output's rate changes.
///
/// Real-time: making and destroying it is not; everything else is.
@safe
struct ResamplerInput: ~Copyable {
  /// Frames that are kept.
  let capacity: Int
  private let channels: Int
  private let planes: Planes
  /// Where each channel's next piece begins, as soxr wants it.
  private let pointers: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  /// Where the next frame is written.
  private var end = 0
  /// Frames before the end that have not been read.
  private(set) var unreadFrames = 0

  /// Makes room for some frames, filled with silence.
  init(capacity: Int, channels: Int) {
    self.capacity = capacity
    self.channels = channels
    planes = Planes(capacity: capacity, channels: channels)
    unsafe pointers = .allocate(capacity: channels)
    unsafe pointers.initialize(repeating: nil, count: channels)
  }

  deinit { unsafe pointers.deallocate() }

  /// Adds frames over the oldest ones. No more than there is room beside the unread ones.
  @_noLocks
  mutating func write(_ interleaved: UnsafePointer<Float>, count: Int) {
    let first = min(count, capacity - end)
    unsafe planes.take(interleaved, count: first, at: end)
    if first < count {
      unsafe planes.take(interleaved + first * channels, count: count - first, at: 0)
    }
    advance(by: count)
  }

  /// The next unread frames that lie side by side, at most so many; they count as read then.
  ///
  /// - Returns: a pointer to each channel, until this is called again; and how many frames, 0 for none.
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

  /// Gives unread frames as they are, at most so many; they count as read then.
  ///
  /// - Returns: how many, 0 for none.
  @_noLocks
  mutating func read(_ limit: Int, into interleaved: UnsafeMutablePointer<Float>) -> Int {
    let start = begin()
    let count = min(min(limit, unreadFrames), capacity - start)
    unsafe planes.give(interleaved, count: count, from: start)
    unreadFrames -= count
    return count
  }

  /// Makes the last frames the unread ones; at most the capacity.
  @_noLocks
  mutating func rewind(toLast count: Int) {
    unreadFrames = count
  }

  /// Takes over the last frames of another input, which are the unread ones then.
  ///
  /// - Parameter count: at most the other one's capacity. Where this one is smaller they change places.
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

  /// The first unread frame.
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
