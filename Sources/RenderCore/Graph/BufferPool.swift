// SPDX-License-Identifier: MIT

/// The memory that plans render in: buffers of one channel and ``Renderer/maximumFramesPerCycle`` frames. Plans share
/// it, since one renders at a time. It only grows. Protected by the renderer's lock.
@safe
struct BufferPool: ~Copyable {
  private(set) var buffers: [UnsafeMutablePointer<Float>] = unsafe []

  deinit {
    for index in unsafe buffers.indices { unsafe buffers[index].deallocate() }
  }

  /// Adds buffers until there are `count`.
  mutating func grow(to count: Int) {
    while unsafe buffers.count < count {
      let samples = UnsafeMutablePointer<Float>.allocate(capacity: Renderer.maximumFramesPerCycle)
      // Written here, so that its pages do not fault on the render thread.
      unsafe samples.initialize(repeating: 0, count: Renderer.maximumFramesPerCycle)
      unsafe buffers.append(samples)
    }
  }
}
