// SPDX-License-Identifier: MIT

internal import AudioModel

/// A converter of float samples from -1 to 1 to those of a linear PCM format.
///
/// Integers are rounded to the nearest, halves to the even one, without dither, and clipped; NaN becomes silence.
/// Floats are not changed.
///
/// Real-time: wait-free.
struct LinearPCMEncoder {
  private enum Layout {
    case signed8, signed16, signed24, signed32
    case float32, float64
  }

  let bytesPerSample: Int
  private let layout: Layout
  private let isBigEndian: Bool

  /// - Throws: ``AudioConverterError/formatNotSupported(_:)`` for samples other than packed, signed
  ///   integers of 8, 16, 24 or 32 bits and floats of 32 or 64.
  init(_ format: AudioStreamBasicDescription) throws(AudioConverterError) {
    let flags = format.formatFlags
    let isFloat = flags.contains(.float)
    layout =
      switch format.bitsPerChannel {
      case 8 where !isFloat: .signed8
      case 16 where !isFloat: .signed16
      case 24 where !isFloat: .signed24
      case 32: isFloat ? .float32 : .signed32
      case 64 where isFloat: .float64
      default:
        throw .formatNotSupported(
          "samples of \(format.bitsPerChannel) bits\(isFloat ? ", floats" : "")")
      }
    guard format.formatID == .linearPCM, flags.contains(.packed),
      !flags.isDisjoint(with: [.float, .signedInteger])
    else { throw .formatNotSupported("samples other than packed, signed linear PCM") }
    bytesPerSample = Int(format.bitsPerChannel) / 8
    isBigEndian = flags.contains(.bigEndian)
  }

  /// Writes the samples of one channel, each `stride` bytes after the one before.
  @_noLocks
  func encode(
    _ samples: UnsafePointer<Float>, count: Int, to bytes: UnsafeMutableRawPointer, stride: Int
  ) {
    switch layout {
    case .signed8:
      for i in 0..<count {
        let value = unsafe Int8(truncatingIfNeeded: Self.integer(samples[i], limit: 0x1p7))
        unsafe bytes.storeBytes(of: value, toByteOffset: i &* stride, as: Int8.self)
      }
    case .signed16:
      for i in 0..<count {
        let value = unsafe Int16(truncatingIfNeeded: Self.integer(samples[i], limit: 0x1p15))
        unsafe bytes.storeBytes(
          of: isBigEndian ? value.byteSwapped : value, toByteOffset: i &* stride, as: Int16.self)
      }
    case .signed24:
      let (low, high) = isBigEndian ? (2, 0) : (0, 2)
      for i in 0..<count {
        let value = unsafe Self.integer(samples[i], limit: 0x1p23)
        let place = i &* stride
        unsafe bytes.storeBytes(
          of: UInt8(truncatingIfNeeded: value), toByteOffset: place &+ low, as: UInt8.self)
        unsafe bytes.storeBytes(
          of: UInt8(truncatingIfNeeded: value &>> 8), toByteOffset: place &+ 1, as: UInt8.self)
        unsafe bytes.storeBytes(
          of: UInt8(truncatingIfNeeded: value &>> 16), toByteOffset: place &+ high, as: UInt8.self)
      }
    case .signed32:
      for i in 0..<count {
        let value = unsafe Self.integer(samples[i], limit: 0x1p31)
        unsafe bytes.storeBytes(
          of: isBigEndian ? value.byteSwapped : value, toByteOffset: i &* stride, as: Int32.self)
      }
    case .float32:
      for i in 0..<count {
        let bits = unsafe samples[i].bitPattern
        unsafe bytes.storeBytes(
          of: isBigEndian ? bits.byteSwapped : bits, toByteOffset: i &* stride, as: UInt32.self)
      }
    case .float64:
      for i in 0..<count {
        let bits = unsafe Double(samples[i]).bitPattern
        unsafe bytes.storeBytes(
          of: isBigEndian ? bits.byteSwapped : bits, toByteOffset: i &* stride, as: UInt64.self)
      }
    }
  }

  /// Returns the nearest integer to a sample, from `-limit` to below `limit`, which is full scale.
  @_noLocks
  @inline(__always)
  private static func integer(_ sample: Float, limit: Double) -> Int32 {
    let value = Double(sample) * limit
    if value >= limit - 1 { return Int32(limit - 1) }
    // NaN is not above the limit either.
    guard value > -limit else { return value <= -limit ? Int32(-limit) : 0 }
    // Adding a number that leaves no fraction bits rounds in the processor's way, halves to even.
    return Int32((value + 0x1.8p52) - 0x1.8p52)
  }
}
