// SPDX-License-Identifier: MIT

/// The speakers of a stream's channels, as a set of speaker positions in their fixed order.
/// Core Audio's `AudioChannelBitmap` and WAVE's `dwChannelMask`, which share their bits.
public struct AudioChannelBitmap: OptionSet, Hashable, Sendable {
  /// The position bits; bit n − 1 is Core Audio's channel label n.
  public var rawValue: UInt32

  /// Creates a set from its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Front left.
  public static let left = AudioChannelBitmap(rawValue: 1 << 0)
  /// Front right.
  public static let right = AudioChannelBitmap(rawValue: 1 << 1)
  /// Front centre.
  public static let center = AudioChannelBitmap(rawValue: 1 << 2)
  /// The low-frequency effects channel.
  public static let lowFrequencyEffects = AudioChannelBitmap(rawValue: 1 << 3)
  /// Left surround (WAVE's back left).
  public static let leftSurround = AudioChannelBitmap(rawValue: 1 << 4)
  /// Right surround (WAVE's back right).
  public static let rightSurround = AudioChannelBitmap(rawValue: 1 << 5)
  /// Front left of centre.
  public static let leftCenter = AudioChannelBitmap(rawValue: 1 << 6)
  /// Front right of centre.
  public static let rightCenter = AudioChannelBitmap(rawValue: 1 << 7)
  /// Centre surround (WAVE's back centre).
  public static let centerSurround = AudioChannelBitmap(rawValue: 1 << 8)
  /// Side left.
  public static let leftSurroundDirect = AudioChannelBitmap(rawValue: 1 << 9)
  /// Side right.
  public static let rightSurroundDirect = AudioChannelBitmap(rawValue: 1 << 10)

  /// Returns the usual layout of channels whose speakers are not stated, in WAVE's and Core Audio's
  /// order: mono, stereo, L R C, quadraphonic, 5.0, 5.1, 6.1 and 7.1; none beyond.
  public static func standard(channels: UInt32) -> AudioChannelBitmap {
    switch channels {
    case 1: [.center]
    case 2: [.left, .right]
    case 3: [.left, .right, .center]
    case 4: [.left, .right, .leftSurround, .rightSurround]
    case 5: [.left, .right, .center, .leftSurround, .rightSurround]
    case 6: [.left, .right, .center, .lowFrequencyEffects, .leftSurround, .rightSurround]
    case 7:
      [
        .left, .right, .center, .lowFrequencyEffects, .centerSurround, .leftSurroundDirect,
        .rightSurroundDirect,
      ]
    case 8:
      [
        .left, .right, .center, .lowFrequencyEffects, .leftSurround, .rightSurround,
        .leftSurroundDirect, .rightSurroundDirect,
      ]
    default: []
    }
  }
}
