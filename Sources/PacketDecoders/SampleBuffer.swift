// SPDX-License-Identifier: MIT

/// Interleaved samples of one packet. Grows to the largest packet and stays.
@safe
struct SampleBuffer: ~Copyable {
  /// How a decoder lays out its samples.
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

  /// The samples; they stay where they are until the buffer is changed.
  var samples: UnsafeBufferPointer<Float> {
    unsafe UnsafeBufferPointer(rebasing: storage[..<(frameCount * channels)])
  }

  /// Makes it empty, with room for so many frames.
  mutating func clear(channels: Int, room frames: Int) {
    frameCount = 0
    maximumFrames = frames
    self.channels = channels
    guard unsafe storage.count < frames * channels else { return }
    unsafe storage.deallocate()
    unsafe storage = .allocate(capacity: frames * channels)
  }

  /// Appends frames, no more than there is room for. Integers become fractions of their full scale.
  ///
  /// - Parameters:
  ///   - frames: how many there are.
  ///   - planes: a place for each channel, or one for all, with the channels side by side.
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
    guard frames > 0 else { return }
    let step = isPlanar ? 1 : channels
    for channel in 0..<channels {
      guard let plane = unsafe planes[isPlanar ? channel : 0] else { return }
      let source = unsafe UnsafeRawPointer(plane).assumingMemoryBound(to: Sample.self)
      var from = isPlanar ? 0 : channel
      var to = frameCount * channels + channel
      for _ in 0..<frames {
        unsafe storage[to] = convert(source[from])
        from += step
        to += channels
      }
    }
    frameCount += frames
  }

  /// Fills the room that is left with silence.
  mutating func fill() {
    let (first, end) = (frameCount * channels, maximumFrames * channels)
    for index in first..<end { unsafe storage[index] = 0 }
    frameCount = maximumFrames
  }
}
