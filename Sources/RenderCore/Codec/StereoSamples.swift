// SPDX-License-Identifier: MIT

/// Interleaved samples of two channels that need little work. An intermediate buffer between the packet and the
/// output would double that work, so they are converted directly from one to the other.
///
/// The samples equal those of the encoding's decoder. Real-time: every call is wait-free.
@safe
struct StereoSamples {
  /// The layout of the samples in a packet.
  @safe
  enum Encoding {
    case signed16, signed16Swapped
    case signed24, signed24Swapped
    case float32
    /// One byte each, with the value of each of the 256 codes.
    case coded(UnsafePointer<Float>)
  }

  let bytesPerFrame: Int
  private let encoding: Encoding

  init(_ encoding: Encoding) {
    self.encoding = encoding
    bytesPerFrame =
      switch encoding {
      case .coded: 2
      case .signed16, .signed16Swapped: 4
      case .signed24, .signed24Swapped: 6
      case .float32: 8
      }
  }

  /// Most frames in one run, as for all decoders of plain samples.
  static var maximumFramesPerRun: Int { @_noLocks get { LinearPCMDecoder.maximumFramesPerRun } }

  /// Converts frames to one buffer a channel.
  @_noLocks
  func write(
    _ bytes: UnsafeRawPointer, frames: Int, first: UnsafeMutablePointer<Float>,
    second: UnsafeMutablePointer<Float>
  ) {
    switch encoding {
    case .signed16:
      for i in 0..<frames {
        let both = unsafe bytes.loadUnaligned(fromByteOffset: 4 &* i, as: Int32.self)
        unsafe first[i] = Float((both &<< 16) &>> 16) * 0x1p-15
        unsafe second[i] = Float(both &>> 16) * 0x1p-15
      }
    case .signed16Swapped:
      for i in 0..<frames {
        let both = unsafe bytes.loadUnaligned(fromByteOffset: 4 &* i, as: Int32.self).byteSwapped
        unsafe first[i] = Float(both &>> 16) * 0x1p-15
        unsafe second[i] = Float((both &<< 16) &>> 16) * 0x1p-15
      }
    case .signed24:
      unsafe write24(bytes, frames: frames, first: first, second: second, areSwapped: false)
    case .signed24Swapped:
      unsafe write24(bytes, frames: frames, first: first, second: second, areSwapped: true)
    case .float32:
      for i in 0..<frames {
        unsafe first[i] = bytes.loadUnaligned(fromByteOffset: 8 &* i, as: Float.self)
        unsafe second[i] = bytes.loadUnaligned(fromByteOffset: 8 &* i &+ 4, as: Float.self)
      }
    case .coded(let values):
      unsafe writeCoded(bytes, values, frames: frames, first: first, second: second)
    }
  }

  /// Looks codes up, four frames at a time: the compiler does not unroll look-ups in a table of unknown content.
  @_noLocks
  private func writeCoded(
    _ bytes: UnsafeRawPointer, _ values: UnsafePointer<Float>, frames: Int,
    first: UnsafeMutablePointer<Float>, second: UnsafeMutablePointer<Float>
  ) {
    let codes = unsafe bytes.assumingMemoryBound(to: UInt8.self)
    var i = 0
    while i &+ 4 <= frames {
      let four = unsafe codes + 2 &* i
      let (left, right) = unsafe (first + i, second + i)
      unsafe left[0] = values[Int(four[0])]
      unsafe right[0] = values[Int(four[1])]
      unsafe left[1] = values[Int(four[2])]
      unsafe right[1] = values[Int(four[3])]
      unsafe left[2] = values[Int(four[4])]
      unsafe right[2] = values[Int(four[5])]
      unsafe left[3] = values[Int(four[6])]
      unsafe right[3] = values[Int(four[7])]
      i &+= 4
    }
    while i < frames {
      unsafe first[i] = values[Int(codes[2 &* i])]
      unsafe second[i] = values[Int(codes[2 &* i &+ 1])]
      i &+= 1
    }
  }

  /// Converts samples of three bytes, four frames at a time: the compiler does not vectorise this by itself.
  @_noLocks
  private func write24(
    _ bytes: UnsafeRawPointer, frames: Int, first: UnsafeMutablePointer<Float>,
    second: UnsafeMutablePointer<Float>, areSwapped: Bool
  ) {
    var i = 0
    while i &+ 4 <= frames {
      let start = unsafe bytes + 6 &* i
      // Four bytes each, of which three are the sample's.
      let left = unsafe SIMD4<UInt32>(
        start.loadUnaligned(as: UInt32.self),
        start.loadUnaligned(fromByteOffset: 6, as: UInt32.self),
        start.loadUnaligned(fromByteOffset: 12, as: UInt32.self),
        start.loadUnaligned(fromByteOffset: 18, as: UInt32.self))
      let right = unsafe SIMD4<UInt32>(
        start.loadUnaligned(fromByteOffset: 2, as: UInt32.self),
        start.loadUnaligned(fromByteOffset: 8, as: UInt32.self),
        start.loadUnaligned(fromByteOffset: 14, as: UInt32.self),
        start.loadUnaligned(fromByteOffset: 20, as: UInt32.self))
      unsafe UnsafeMutableRawPointer(first + i).storeBytes(
        of: samples24(left, areSwapped: areSwapped), as: SIMD4<Float>.self)
      unsafe UnsafeMutableRawPointer(second + i).storeBytes(
        of: samples24(right &>> 8, areSwapped: areSwapped), as: SIMD4<Float>.self)
      i &+= 4
    }
    while i < frames {
      let both = unsafe SIMD4<UInt32>(
        bytes.loadUnaligned(fromByteOffset: 6 &* i, as: UInt32.self),
        bytes.loadUnaligned(fromByteOffset: 6 &* i &+ 2, as: UInt32.self) &>> 8, 0, 0)
      let samples = samples24(both, areSwapped: areSwapped)
      unsafe first[i] = samples[0]
      unsafe second[i] = samples[1]
      i &+= 1
    }
  }

  /// Returns the samples in the three low bytes, which are in stored order.
  @_noLocks @inline(__always)
  private func samples24(_ low: SIMD4<UInt32>, areSwapped: Bool) -> SIMD4<Float> {
    let top =
      areSwapped
      ? (low &<< 24) | ((low & 0xFF00) &<< 8) | ((low &>> 8) & 0xFF00) : low &<< 8
    return SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: top)) * 0x1p-31
  }
}
