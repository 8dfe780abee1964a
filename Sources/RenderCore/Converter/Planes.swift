// SPDX-License-Identifier: MIT

/// Room for some frames with each channel's samples side by side, and what a C function is told of it.
///
/// Real-time: making and destroying it is not; everything else is.
@safe
struct Planes: ~Copyable {
  /// Where each channel is.
  let pointers: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  private let samples: UnsafeMutablePointer<Float>
  private let channels: Int
  private let capacity: Int

  /// Makes room, and fills it with silence.
  ///
  /// - Parameters:
  ///   - capacity: frames.
  ///   - areAlike: all channels share one plane: for silence, and for what nobody wants.
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

  /// Fills the planes.
  ///
  /// - Parameters:
  ///   - interleaved: frames.
  ///   - count: how many; at most the capacity.
  @_noLocks
  func take(_ interleaved: UnsafePointer<Float>, count: Int) {
    if channels == 2 {
      return unsafe ChannelMap.separate(
        interleaved, frames: count, first: samples, second: samples + capacity)
    }
    for channel in 0..<channels {
      let plane = unsafe samples + channel &* capacity
      for frame in 0..<count {
        unsafe plane[frame] = interleaved[frame &* channels &+ channel]
      }
    }
  }

  /// Gives what is in the planes.
  ///
  /// - Parameters:
  ///   - interleaved: where to.
  ///   - count: frames, from the start on; at most the capacity.
  @_noLocks
  func give(_ interleaved: UnsafeMutablePointer<Float>, count: Int) {
    if channels == 2 {
      let (left, right) = unsafe (samples, samples + capacity)
      for frame in 0..<count {
        unsafe interleaved[2 &* frame] = left[frame]
        unsafe interleaved[2 &* frame &+ 1] = right[frame]
      }
      return
    }
    for channel in 0..<channels {
      let plane = unsafe samples + channel &* capacity
      for frame in 0..<count {
        unsafe interleaved[frame &* channels &+ channel] = plane[frame]
      }
    }
  }
}
