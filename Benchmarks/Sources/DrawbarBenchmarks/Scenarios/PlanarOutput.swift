// SPDX-License-Identifier: MIT

/// An output's buffers: one buffer of floats for each channel.
@safe
final class PlanarOutput {
  let buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>

  init(channels: Int, frames: Int) {
    unsafe buffers = .allocate(capacity: channels)
    for channel in 0..<channels {
      let samples = UnsafeMutablePointer<Float>.allocate(capacity: frames)
      unsafe samples.initialize(repeating: 0, count: frames)
      unsafe buffers.initializeElement(at: channel, to: samples)
    }
  }

  deinit {
    for channel in unsafe 0..<buffers.count { unsafe buffers[channel].deallocate() }
    unsafe buffers.deallocate()
  }
}
