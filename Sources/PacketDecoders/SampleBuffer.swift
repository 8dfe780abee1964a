// SPDX-License-Identifier: MIT

/// Interleaved samples of one packet. Grows to the largest packet and never shrinks.
@safe
struct SampleBuffer: ~Copyable {
  /// The encoding of a decoder's samples.
  enum Encoding {
    case unsigned8
    case signed16
    case signed32
    case float
    case double
  }

  private var storage: UnsafeMutableBufferPointer<Float> = .allocate(capacity: 0)
  private(set) var frameCount = 0
  private(set) var channels = 1
  private var maximumFrames = 0

  deinit {
    unsafe storage.deallocate()
  }

  /// The samples; their addresses are valid until the buffer is changed.
  var samples: UnsafeBufferPointer<Float> {
    unsafe UnsafeBufferPointer(rebasing: storage[..<(frameCount * channels)])
  }

  /// Empties the buffer, and makes room for this many frames.
  mutating func clear(channels: Int, room frames: Int) {
    frameCount = 0
    maximumFrames = frames
    self.channels = channels
    guard unsafe storage.count < frames * channels else { return }
    unsafe storage.deallocate()
    unsafe storage = .allocate(capacity: frames * channels)
  }

  /// Appends frames, as far as there is room. Integers become fractions of their full scale.
  ///
  /// - Parameters:
  ///   - frames: the number of frames.
  ///   - planes: the address of each channel's samples, or one address for all, with the channels side by side.
  mutating func append(
    _ frames: Int, _ encoding: Encoding, isPlanar: Bool,
    planes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>
  ) {
    let frames = min(frames, maximumFrames - frameCount)
    switch encoding {
    case .unsigned8:
      unsafe append(frames, isPlanar, planes) { (sample: UInt8) in (Float(sample) - 128) * 0x1p-7 }
    case .signed16:
      unsafe append(frames, isPlanar, planes) { (sample: Int16) in Float(sample) * 0x1p-15 }
    case .signed32:
      unsafe append(frames, isPlanar, planes) { (sample: Int32) in Float(sample) * 0x1p-31 }
    case .float:
      unsafe append(frames, isPlanar, planes) { (sample: Float) in sample.isFinite ? sample : 0 }
    case .double:
      unsafe append(frames, isPlanar, planes) { (sample: Double) in
        sample.magnitude < 0x1p100 ? Float(sample) : 0
      }
    }
  }

  @inline(__always)
  private mutating func append<Sample>(
    _ frames: Int, _ isPlanar: Bool,
    _ planes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
    _ convert: (Sample) -> Float
  ) {
    guard frames > 0, let base = unsafe storage.baseAddress else { return }
    let target = unsafe base + frameCount * channels
    // The loops have no branches, so that several samples are converted at once.
    if isPlanar, channels == 2 {
      guard let left = unsafe planes[0], let right = unsafe planes[1] else { return }
      let first = unsafe UnsafeRawPointer(left).assumingMemoryBound(to: Sample.self)
      let second = unsafe UnsafeRawPointer(right).assumingMemoryBound(to: Sample.self)
      for frame in 0..<frames {
        unsafe target[2 &* frame] = convert(first[frame])
        unsafe target[2 &* frame &+ 1] = convert(second[frame])
      }
    } else if isPlanar {
      for channel in 0..<channels {
        guard let plane = unsafe planes[channel] else { return }
        let source = unsafe UnsafeRawPointer(plane).assumingMemoryBound(to: Sample.self)
        for frame in 0..<frames {
          unsafe target[frame &* channels &+ channel] = convert(source[frame])
        }
      }
    } else {
      guard let plane = unsafe planes[0] else { return }
      let source = unsafe UnsafeRawPointer(plane).assumingMemoryBound(to: Sample.self)
      for index in 0..<frames * channels { unsafe target[index] = convert(source[index]) }
    }
    frameCount += frames
  }

  /// Fills the remaining room with silence.
  mutating func fill() {
    let (first, end) = (frameCount * channels, maximumFrames * channels)
    for index in first..<end { unsafe storage[index] = 0 }
    frameCount = maximumFrames
  }
}
