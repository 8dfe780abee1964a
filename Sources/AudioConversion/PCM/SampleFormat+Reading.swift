// SPDX-License-Identifier: MIT

extension SampleFormat {
  /// Reads frames, from -1 to 1, exactly: a double holds every integer of 32 bits.
  ///
  /// - Parameters:
  ///   - planes: the first frame of each buffer.
  ///   - target: the frames, interleaved.
  func read(
    _ planes: [UnsafeRawPointer], frames: Int, into target: UnsafeMutablePointer<Double>
  ) {
    if isInterleaved {
      unsafe read(planes[0], count: frames * channels, into: target, stride: 1)
      return
    }
    for channel in 0..<channels {
      unsafe read(planes[channel], count: frames, into: target + channel, stride: channels)
    }
  }

  private func read(
    _ bytes: UnsafeRawPointer, count: Int, into target: UnsafeMutablePointer<Double>, stride: Int
  ) {
    switch kind {
    case .float32:
      for i in 0..<count {
        let bits = unsafe bytes.loadUnaligned(fromByteOffset: 4 * i, as: UInt32.self)
        unsafe target[i * stride] = Double(
          Float(bitPattern: isBigEndian ? bits.byteSwapped : bits))
      }
    case .float64:
      for i in 0..<count {
        let bits = unsafe bytes.loadUnaligned(fromByteOffset: 8 * i, as: UInt64.self)
        unsafe target[i * stride] = Double(bitPattern: isBigEndian ? bits.byteSwapped : bits)
      }
    case .signedInteger, .unsignedInteger:
      let scale = Double(sign: .plus, exponent: -(fractionBits + 32 - bitCount), significand: 1)
      let flip: UInt32 = kind == .unsignedInteger ? 0x8000_0000 : 0
      for i in 0..<count {
        let value = unsafe Int32(bitPattern: word(bytes + i * byteCount) ^ flip)
        unsafe target[i * stride] = Double(value) * scale
      }
    }
  }

  /// Returns a sample in the high bits of 32.
  @inline(__always)
  private func word(_ bytes: UnsafeRawPointer) -> UInt32 {
    switch byteCount {
    case 1: return unsafe UInt32(bytes.load(as: UInt8.self)) << 24
    case 2:
      let value = unsafe bytes.loadUnaligned(as: UInt16.self)
      return UInt32(isBigEndian ? value.byteSwapped : value) << 16
    case 3:
      let (b0, b1, b2) = unsafe (
        UInt32(bytes.load(as: UInt8.self)),
        UInt32(bytes.load(fromByteOffset: 1, as: UInt8.self)),
        UInt32(bytes.load(fromByteOffset: 2, as: UInt8.self))
      )
      return isBigEndian ? b0 << 24 | b1 << 16 | b2 << 8 : b2 << 24 | b1 << 16 | b0 << 8
    default:
      let value = unsafe bytes.loadUnaligned(as: UInt32.self)
      return isBigEndian ? value.byteSwapped : value
    }
  }
}
