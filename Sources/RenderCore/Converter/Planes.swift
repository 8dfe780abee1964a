// SPDX-License-Identifier: MIT

/// A buffer of frames with each channel's samples in a row, and the channel pointers that a C function takes.
///
/// Real-time: every member is safe; creation and destruction are not.
@safe
struct Planes: ~Copyable {
  /// The address of each channel.
  let pointers: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  private let samples: UnsafeMutablePointer<Float>
  private let channels: Int
  private let capacity: Int

  /// Allocates the buffer and fills it with silence.
  ///
  /// - Parameters:
  ///   - capacity: frames.
  ///   - areAlike: all channels share one plane: for silence, and for unwanted output.
  init(capacity: Int, channels: Int, areAlike: Bool = false) {
    let count = areAlike ? capacity : capacity * channels
    unsafe samples = .allocate(capacity: count)
    unsafe samples.initialize(repeating: 0, count: count)
    unsafe pointers = .allocate(capacity: channels)
    for channel in 0..<channels {
      unsafe (pointers + channel).initialize(to: samples + (areAlike ? 0 : channel * capacity))
    }
    self.capacity = capacity
    self.channels = channels
  }

  deinit {
    unsafe pointers.deallocate()
    unsafe samples.deallocate()
  }

  /// Copies interleaved frames into the planes.
  ///
  /// - Parameters:
  ///   - interleaved: frames.
  ///   - count: number of frames.
  ///   - start: the first frame that is overwritten; `start` plus `count` is at most the capacity.
  @_noLocks
  func take(_ interleaved: UnsafePointer<Float>, count: Int, at start: Int = 0) {
    if channels == 2 {
      return unsafe ChannelMap.separate(
        interleaved, frames: count, first: samples + start, second: samples + capacity + start)
    }
    for channel in 0..<channels {
      let plane = unsafe samples + (channel &* capacity &+ start)
      for frame in 0..<count {
        unsafe plane[frame] = interleaved[frame &* channels &+ channel]
      }
    }
  }

  /// Copies frames out of the planes.
  ///
  /// - Parameters:
  ///   - interleaved: the target.
  ///   - count: number of frames.
  ///   - start: the first frame; `start` plus `count` is at most the capacity.
  @_noLocks
  func give(_ interleaved: UnsafeMutablePointer<Float>, count: Int, from start: Int = 0) {
    if channels == 2 {
      let (left, right) = unsafe (samples + start, samples + capacity + start)
      for frame in 0..<count {
        unsafe interleaved[2 &* frame] = left[frame]
        unsafe interleaved[2 &* frame &+ 1] = right[frame]
      }
      return
    }
    for channel in 0..<channels {
      let plane = unsafe samples + (channel &* capacity &+ start)
      for frame in 0..<count {
        unsafe interleaved[frame &* channels &+ channel] = plane[frame]
      }
    }
  }

  /// Points one pointer a channel at a frame.
  @_noLocks
  func point(_ pointers: UnsafeMutablePointer<UnsafeMutableRawPointer?>, at frame: Int) {
    for channel in 0..<channels {
      unsafe pointers[channel] = UnsafeMutableRawPointer(samples + (channel &* capacity &+ frame))
    }
  }

  /// Copies frames from planes with the same number of channels.
  @_noLocks
  func copy(from other: borrowing Planes, _ count: Int, at start: Int, to frame: Int) {
    for channel in 0..<channels {
      let source = unsafe other.samples + (channel &* other.capacity &+ start)
      unsafe UnsafeMutableRawPointer(samples + (channel &* capacity &+ frame)).copyMemory(
        from: source, byteCount: count &* MemoryLayout<Float>.stride)
    }
  }
}
