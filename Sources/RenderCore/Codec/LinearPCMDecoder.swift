// SPDX-License-Identifier: MIT

internal import AudioModel

/// A converter of interleaved linear PCM frames to float samples from -1 to 1.
///
/// Integers are divided by the power of two of their width, so every sample of up to 24 bits is
/// exact in a float.
///
/// Real-time: `decode` is safe; creation and destruction are not.
@safe
struct LinearPCMDecoder: ~Copyable {
  /// Most frames in one run: bounds the work of one decode.
  static var maximumFramesPerRun: Int { @_noLocks get { 1024 } }

  let bytesPerFrame: Int
  private let layout: Layout
  private let placement: Placement
  private let channels: Int
  private let samples: UnsafeMutablePointer<Float>

  /// - Throws: ``AudioConverterError/formatNotSupported(_:)`` for a layout other than interleaved
  ///   integers in 1 to 4 or 8 bytes, or floats in 4 or 8.
  init(format: AudioStreamBasicDescription) throws(AudioConverterError) {
    let channels = Int(format.channelsPerFrame)
    guard channels > 0, Int(format.bytesPerFrame) % channels == 0,
      let (layout, placement) = Self.layout(
        format, bytesPerSample: Int(format.bytesPerFrame) / channels)
    else {
      let order = format.formatFlags.contains(.nonInterleaved) ? "one buffer a channel" : ""
      throw AudioConverterError.formatNotSupported(
        "linear PCM with \(format.bitsPerChannel) bits in \(format.bytesPerFrame) bytes a frame"
          + (order.isEmpty ? "" : ", \(order)"))
    }
    self.placement = placement
    self.layout = layout
    self.channels = channels
    bytesPerFrame = Int(format.bytesPerFrame)
    unsafe samples = UnsafeMutablePointer<Float>.allocate(
      capacity: Self.maximumFramesPerRun * channels)
    unsafe samples.initialize(repeating: 0, count: Self.maximumFramesPerRun * channels)
  }

  deinit {
    unsafe samples.deallocate()
  }

  /// The same samples for a stereo output; nil unless there are two channels of a common layout.
  var stereoSamples: StereoSamples? {
    guard channels == 2 else { return nil }
    let isInPlace = placement.shift == 0 && placement.signFlip == 0
    switch layout {
    case .signed16: return StereoSamples(.signed16)
    case .signed16Swapped: return StereoSamples(.signed16Swapped)
    case .placed24 where isInPlace: return StereoSamples(.signed24)
    case .placed24Swapped where isInPlace: return StereoSamples(.signed24Swapped)
    case .float32: return StereoSamples(.float32)
    default: return nil
    }
  }

  /// Converts a run of frames.
  ///
  /// - Returns: the frames that the bytes hold, at most ``maximumFramesPerRun``.
  @_noLocks
  func decode(_ packet: FilledPacket) -> PacketDecoder.Output {
    let bytes = unsafe packet.bytes
    let frames = min(
      min(packet.frameCount, packet.byteCount / bytesPerFrame), Self.maximumFramesPerRun)
    let total = frames * channels
    switch layout {
    case .unsigned8:
      for i in 0..<total {
        let value = unsafe bytes.load(fromByteOffset: i, as: UInt8.self)
        unsafe samples[i] = Float(Int32(value) - 128) * 0x1p-7
      }
    case .signed8:
      for i in 0..<total {
        unsafe samples[i] = Float(bytes.load(fromByteOffset: i, as: Int8.self)) * 0x1p-7
      }
    case .signed16:
      for i in 0..<total {
        let value = unsafe bytes.loadUnaligned(fromByteOffset: 2 * i, as: Int16.self)
        unsafe samples[i] = Float(value) * 0x1p-15
      }
    case .signed16Swapped:
      for i in 0..<total {
        let value = unsafe bytes.loadUnaligned(fromByteOffset: 2 * i, as: Int16.self)
        unsafe samples[i] = Float(value.byteSwapped) * 0x1p-15
      }
    case .placed24: unsafe decode24(bytes, total: total, low: 0, high: 2)
    case .placed24Swapped: unsafe decode24(bytes, total: total, low: 2, high: 0)
    case .signed32:
      for i in 0..<total {
        let value = unsafe bytes.loadUnaligned(fromByteOffset: 4 * i, as: Int32.self)
        unsafe samples[i] = Float(value) * 0x1p-31
      }
    case .signed32Swapped:
      for i in 0..<total {
        let value = unsafe bytes.loadUnaligned(fromByteOffset: 4 * i, as: Int32.self)
        unsafe samples[i] = Float(value.byteSwapped) * 0x1p-31
      }
    case .float32:
      unsafe UnsafeMutableRawPointer(samples).copyMemory(from: bytes, byteCount: 4 * total)
    case .float32Swapped:
      for i in 0..<total {
        let value = unsafe bytes.loadUnaligned(fromByteOffset: 4 * i, as: UInt32.self)
        unsafe samples[i] = Float(bitPattern: value.byteSwapped)
      }
    case .float64:
      for i in 0..<total {
        let value = unsafe bytes.loadUnaligned(fromByteOffset: 8 * i, as: UInt64.self)
        unsafe samples[i] = Float(Double(bitPattern: value))
      }
    case .float64Swapped:
      for i in 0..<total {
        let value = unsafe bytes.loadUnaligned(fromByteOffset: 8 * i, as: UInt64.self)
        unsafe samples[i] = Float(Double(bitPattern: value.byteSwapped))
      }
    case .placed8:
      for i in 0..<total {
        let value = unsafe bytes.load(fromByteOffset: i, as: UInt8.self)
        unsafe samples[i] = placement.sample(UInt32(value) &<< 24)
      }
    case .placed16:
      for i in 0..<total {
        let value = unsafe bytes.loadUnaligned(fromByteOffset: 2 * i, as: UInt16.self)
        unsafe samples[i] = placement.sample(UInt32(value) &<< 16)
      }
    case .placed16Swapped:
      for i in 0..<total {
        let value = unsafe bytes.loadUnaligned(fromByteOffset: 2 * i, as: UInt16.self)
        unsafe samples[i] = placement.sample(UInt32(value.byteSwapped) &<< 16)
      }
    case .placed32:
      for i in 0..<total {
        let value = unsafe bytes.loadUnaligned(fromByteOffset: 4 * i, as: UInt32.self)
        unsafe samples[i] = placement.sample(value)
      }
    case .placed32Swapped:
      for i in 0..<total {
        let value = unsafe bytes.loadUnaligned(fromByteOffset: 4 * i, as: UInt32.self)
        unsafe samples[i] = placement.sample(value.byteSwapped)
      }
    case .placed64:
      for i in 0..<total {
        let value = unsafe bytes.loadUnaligned(fromByteOffset: 8 * i, as: UInt64.self)
        unsafe samples[i] = placement.sample(value)
      }
    case .placed64Swapped:
      for i in 0..<total {
        let value = unsafe bytes.loadUnaligned(fromByteOffset: 8 * i, as: UInt64.self)
        unsafe samples[i] = placement.sample(value.byteSwapped)
      }
    }
    return unsafe PacketDecoder.Output(
      samples: UnsafePointer(samples), frames: frames, isDecoded: true)
  }

  @_noLocks
  private func decode24(_ bytes: UnsafeRawPointer, total: Int, low: Int, high: Int) {
    for i in 0..<total {
      let b0 = unsafe UInt32(bytes.load(fromByteOffset: 3 * i + low, as: UInt8.self))
      let b1 = unsafe UInt32(bytes.load(fromByteOffset: 3 * i + 1, as: UInt8.self))
      let b2 = unsafe UInt32(bytes.load(fromByteOffset: 3 * i + high, as: UInt8.self))
      unsafe samples[i] = placement.sample(b2 << 24 | b1 << 16 | b0 << 8)
    }
  }
}
