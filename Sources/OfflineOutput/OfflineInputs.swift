// SPDX-License-Identifier: MIT

internal import RenderCore

/// The memory of an offline output's inputs. Holds silence except while a cycle with input frames is rendered.
@safe
struct OfflineInputs: ~Copyable {
  private let channels: [UnsafeMutablePointer<Float>]
  private let pointers: UnsafeMutableBufferPointer<UnsafePointer<Float>>

  init(channelCount: Int) {
    unsafe channels = (0..<channelCount).map { _ in
      let samples = UnsafeMutablePointer<Float>.allocate(capacity: Renderer.maximumFramesPerCycle)
      unsafe samples.initialize(repeating: 0, count: Renderer.maximumFramesPerCycle)
      return unsafe samples
    }
    unsafe pointers = .allocate(capacity: channelCount)
    for channel in 0..<channelCount {
      unsafe pointers.initializeElement(at: channel, to: UnsafePointer(channels[channel]))
    }
  }

  deinit {
    for channel in unsafe channels.indices { unsafe channels[channel].deallocate() }
    unsafe pointers.deallocate()
  }

  /// The input buffers, in the form that a render entry takes.
  var buffers: UnsafeBufferPointer<UnsafePointer<Float>> {
    unsafe UnsafeBufferPointer(pointers)
  }

  func fill(_ samples: [[Float]]) {
    let frameCount = samples.first?.count ?? 0
    precondition(
      unsafe samples.count == channels.count
        && samples.allSatisfy { $0.count == frameCount }
        && (1...Renderer.maximumFramesPerCycle).contains(frameCount),
      "a cycle brings as many samples to each input as it has frames")
    for channel in samples.indices {
      unsafe samples[channel].withUnsafeBufferPointer {
        unsafe channels[channel].update(from: $0.baseAddress!, count: frameCount)
      }
    }
  }

  func clear(frameCount: Int) {
    for channel in unsafe channels.indices {
      unsafe channels[channel].update(repeating: 0, count: frameCount)
    }
  }
}
