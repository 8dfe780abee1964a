// SPDX-License-Identifier: MIT

extension SampleFormat {
  /// Writes frames. Integers are rounded to the nearest, halves to the even one, without dither, and clipped;
  /// NaN becomes silence. Floats are written as they are.
  ///
  /// - Parameters:
  ///   - source: the frames, interleaved.
  ///   - planes: the destination of the first frame in each buffer.
  func write(
    _ source: UnsafePointer<Double>, frames: Int, to planes: [UnsafeMutableRawPointer]
  ) {
    if isInterleaved {
      unsafe write(source, stride: 1, count: frames * channels, to: planes[0])
      return
    }
    for channel in 0..<channels {
      unsafe write(source + channel, stride: channels, count: frames, to: planes[channel])
    }
  }

  private func write(
    _ source: UnsafePointer<Double>, stride: Int, count: Int, to bytes: UnsafeMutableRawPointer
  ) {
    switch kind {
    case .float32:
      for i in 0..<count {
        let bits = unsafe Float(source[i * stride]).bitPattern
        unsafe bytes.storeBytes(
          of: isBigEndian ? bits.byteSwapped : bits, toByteOffset: 4 * i, as: UInt32.self)
      }
    case .float64:
      for i in 0..<count {
        let bits = unsafe source[i * stride].bitPattern
        unsafe bytes.storeBytes(
          of: isBigEndian ? bits.byteSwapped : bits, toByteOffset: 8 * i, as: UInt64.self)
      }
    case .signedInteger, .unsignedInteger:
      let scale = Double(sign: .plus, exponent: fractionBits, significand: 1)
      let limit = Double(sign: .plus, exponent: bitCount - 1, significand: 1)
      let shift = UInt32(32 - bitCount)
      let flip: UInt32 = kind == .unsignedInteger ? 0x8000_0000 : 0
      for i in 0..<count {
        let value = Self.rounded(unsafe source[i * stride] * scale, limit: limit)
        unsafe store(UInt32(bitPattern: value) << shift ^ flip, to: bytes + i * byteCount)
      }
    }
  }

  /// Returns the nearest integer from `-limit` to below `limit`.
  @inline(__always)
  private static func rounded(_ value: Double, limit: Double) -> Int32 {
    if value >= limit - 1 { return Int32(limit - 1) }
    if value <= -limit { return Int32(-limit) }
    // Also false for NaN.
    guard value > -limit else { return 0 }
    // Adding a number that leaves no bits for a fraction rounds in the processor's way, halves to even.
    let magic = 0x1.8p52
    return Int32((value + magic) - magic)
  }

  /// Stores the high bits of 32 as a sample.
  @inline(__always)
  private func store(_ word: UInt32, to bytes: UnsafeMutableRawPointer) {
    switch byteCount {
    case 1: unsafe bytes.storeBytes(of: UInt8(word >> 24), as: UInt8.self)
    case 2:
      let value = UInt16(word >> 16)
      unsafe bytes.storeBytes(of: isBigEndian ? value.byteSwapped : value, as: UInt16.self)
    case 3:
      let (high, middle, low) = (
        UInt8(word >> 24), UInt8(word >> 16 & 0xFF), UInt8(word >> 8 & 0xFF)
      )
      unsafe bytes.storeBytes(of: isBigEndian ? high : low, as: UInt8.self)
      unsafe bytes.storeBytes(of: middle, toByteOffset: 1, as: UInt8.self)
      unsafe bytes.storeBytes(of: isBigEndian ? low : high, toByteOffset: 2, as: UInt8.self)
    default:
      unsafe bytes.storeBytes(of: isBigEndian ? word.byteSwapped : word, as: UInt32.self)
    }
  }
}
