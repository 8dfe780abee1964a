// SPDX-License-Identifier: MIT

/// A delay of several channels by a fixed number of frames.
///
/// Real-time: every call is wait-free, render thread only.
@safe
struct DelayLine: ~Copyable {
  let frames: Int
  private let lines: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  private let results: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  private var position = 0

  /// - Parameters:
  ///   - frames: the delay. A delay of 0 allocates no memory.
  init(frames: Int, channels: Int) {
    self.frames = frames
    let count = frames > 0 ? channels : 0
    unsafe lines = Self.buffers(count, capacity: frames)
    unsafe results = Self.buffers(count, capacity: Renderer.maximumFramesPerCycle)
  }

  deinit {
    for channel in unsafe 0..<lines.count {
      unsafe lines[channel].deallocate()
      unsafe results[channel].deallocate()
    }
    unsafe lines.deallocate()
    unsafe results.deallocate()
  }

  private static func buffers(
    _ count: Int, capacity: Int
  ) -> UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>> {
    let buffers = UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>.allocate(capacity: count)
    for index in 0..<count {
      let samples = UnsafeMutablePointer<Float>.allocate(capacity: capacity)
      unsafe samples.initialize(repeating: 0, count: capacity)
      unsafe buffers.initializeElement(at: index, to: samples)
    }
    return unsafe buffers
  }

  /// Writes a cycle's frames and reads those of `frames` frames before.
  ///
  /// - Returns: the delayed frames, valid until the next call.
  @_noLocks
  mutating func pass(
    _ sources: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) -> UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>> {
    var next = position
    for channel in unsafe 0..<results.count {
      let line = unsafe lines[channel]
      let source = unsafe sources[channel]
      let result = unsafe results[channel]
      next = position
      for i in 0..<frameCount {
        unsafe result[i] = line[next]
        unsafe line[next] = source[i]
        next &+= 1
        if next == frames { next = 0 }
      }
    }
    position = next
    return unsafe results
  }
}
