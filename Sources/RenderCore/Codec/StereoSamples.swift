// SPDX-License-Identifier: MIT

/// Samples of two channels side by side, which need so little work that a stop between the packet and
/// the output would double it: they go from one to the other at once.
///
/// The samples are those that the decoder of the encoding gives. Real-time: every call is wait-free.
@safe
struct StereoSamples {
  /// How the samples lie in a packet.
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

  /// Most frames in one run, as for all decoders of samples.
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
      // Four bytes at a time, of which three are the sample's.
      for i in 0..<frames {
        let start = unsafe bytes.loadUnaligned(fromByteOffset: 6 &* i, as: Int32.self)
        let end = unsafe bytes.loadUnaligned(fromByteOffset: 6 &* i &+ 2, as: Int32.self)
        unsafe first[i] = Float(start &<< 8) * 0x1p-31
        unsafe second[i] = Float(end & ~0xFF) * 0x1p-31
      }
    case .signed24Swapped:
      for i in 0..<frames {
        let start = unsafe bytes.loadUnaligned(fromByteOffset: 6 &* i, as: Int32.self).byteSwapped
        let end =
          unsafe bytes.loadUnaligned(fromByteOffset: 6 &* i &+ 2, as: Int32.self).byteSwapped
        unsafe first[i] = Float(start & ~0xFF) * 0x1p-31
        unsafe second[i] = Float(end &<< 8) * 0x1p-31
      }
    case .float32:
      for i in 0..<frames {
        unsafe first[i] = bytes.loadUnaligned(fromByteOffset: 8 &* i, as: Float.self)
        unsafe second[i] = bytes.loadUnaligned(fromByteOffset: 8 &* i &+ 4, as: Float.self)
      }
    case .coded(let values):
      for i in 0..<frames {
        let one = unsafe bytes.load(fromByteOffset: 2 &* i, as: UInt8.self)
        let other = unsafe bytes.load(fromByteOffset: 2 &* i &+ 1, as: UInt8.self)
        unsafe first[i] = values[Int(one)]
        unsafe second[i] = values[Int(other)]
      }
    }
  }
}
