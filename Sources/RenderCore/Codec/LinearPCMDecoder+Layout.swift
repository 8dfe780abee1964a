// SPDX-License-Identifier: MIT

internal import AudioModel

extension LinearPCMDecoder {
  /// The layout of one sample in memory.
  ///
  /// The `placed` ones are integers that ``Placement`` has to move to the top of 32 or 64 bits: they are in the low
  /// bits of their bytes, or have no sign.
  enum Layout {
    case unsigned8, signed8, placed8
    case signed16, signed16Swapped, placed16, placed16Swapped
    case placed24, placed24Swapped
    case signed32, signed32Swapped, placed32, placed32Swapped
    case placed64, placed64Swapped
    case float32, float32Swapped
    case float64, float64Swapped
  }

  /// The conversion of an integer, whose bytes are the top ones of 32 bits, to a signed one of full scale.
  struct Placement {
    /// Unused bits above the sample's bits in its bytes.
    let shift: UInt32
    /// The mask that converts the offset of unsigned samples to a sign.
    let signFlip: UInt32

    init(shift: UInt32, signFlip: UInt32) {
      self.shift = shift
      self.signFlip = signFlip
    }

    @_noLocks
    func sample(_ top: UInt32) -> Float {
      Float(Int32(bitPattern: (top &<< shift) ^ signFlip)) * 0x1p-31
    }

    @_noLocks
    func sample(_ top: UInt64) -> Float {
      Float(Int64(bitPattern: (top &<< UInt64(shift)) ^ (UInt64(signFlip) &<< 32))) * 0x1p-63
    }
  }

  /// Returns the layout of samples of `bytesPerSample` bytes; nil for one that is not supported.
  ///
  /// Samples with fewer bits than their bytes have are in the low bits, unless `alignedHigh` is set.
  static func layout(
    _ format: AudioStreamBasicDescription, bytesPerSample: Int
  ) -> (Layout, Placement)? {
    let flags = format.formatFlags
    let bits = Int(format.bitsPerChannel)
    let isBig = flags.contains(.bigEndian)
    guard bits > 0, bits <= 8 * bytesPerSample,
      flags.isDisjoint(with: [.nonInterleaved, fixedPointFraction])
    else { return nil }
    let isWhole = bits == 8 * bytesPerSample || flags.contains(.alignedHigh)
    let isSigned = flags.contains(.signedInteger)
    let placement = Placement(
      shift: isWhole ? 0 : UInt32(8 * bytesPerSample - bits), signFlip: isSigned ? 0 : 1 << 31)
    let isInPlace = isWhole && isSigned
    let layout: Layout
    switch (bytesPerSample, flags.contains(.float)) {
    case (4, true) where bits == 32: layout = isBig ? .float32Swapped : .float32
    case (8, true) where bits == 64: layout = isBig ? .float64Swapped : .float64
    case (_, true): return nil
    case (1, _): layout = isInPlace ? .signed8 : isWhole ? .unsigned8 : .placed8
    case (2, _) where isInPlace: layout = isBig ? .signed16Swapped : .signed16
    case (2, _): layout = isBig ? .placed16Swapped : .placed16
    case (3, _): layout = isBig ? .placed24Swapped : .placed24
    case (4, _) where isInPlace: layout = isBig ? .signed32Swapped : .signed32
    case (4, _): layout = isBig ? .placed32Swapped : .placed32
    case (8, _): layout = isBig ? .placed64Swapped : .placed64
    default: return nil
    }
    return (layout, placement)
  }

  /// Core Audio's `kLinearPCMFormatFlagsSampleFractionMask`: full scale is then not the width's.
  private static let fixedPointFraction = AudioFormatFlags(rawValue: 0x3F << 7)
}
