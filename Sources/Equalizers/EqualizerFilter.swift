// SPDX-License-Identifier: MIT

/// A filter of an equaliser as its file defines it, for any sample rate.
public struct EqualizerFilter: Hashable, Sendable {
  /// A filter's type. The formulas are those of the Audio EQ Cookbook unless stated otherwise.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// `PK`, `PEQ`, `Modal`.
    case peaking
    /// `LP`, `LPQ`: second order; Butterworth without a Q.
    case lowPass
    /// `HP`, `HPQ`: second order; Butterworth without a Q.
    case highPass
    /// `BP`: 0 dB at its frequency.
    case bandPass
    /// `NO`.
    case notch
    /// `AP`: second order.
    case allPass
    /// `LSC`, and `LS` without a width: the frequency is the centre of the slope.
    case lowShelf
    /// `HSC`, and `HS` without a width: the frequency is the centre of the slope.
    case highShelf
    /// `LS` with a width: the frequency is the corner at the far end of the slope (Equalizer APO).
    case lowShelfAtCorner
    /// `HS` with a width: the frequency is the corner at the far end of the slope (Equalizer APO).
    case highShelfAtCorner
    /// First order (CamillaDSP `LowpassFO`).
    case lowPassFirstOrder
    /// First order (CamillaDSP `HighpassFO`).
    case highPassFirstOrder
    /// First order (CamillaDSP `LowshelfFO`).
    case lowShelfFirstOrder
    /// First order (CamillaDSP `HighshelfFO`).
    case highShelfFirstOrder
    /// First order (CamillaDSP `AllpassFO`).
    case allPassFirstOrder

    /// True if the type has a gain.
    public var hasGain: Bool {
      switch self {
      case .peaking, .lowShelfFirstOrder, .highShelfFirstOrder: true
      default: isShelf
      }
    }

    /// True for a second-order shelf, which takes a Q or a slope.
    public var isShelf: Bool {
      switch self {
      case .lowShelf, .highShelf, .lowShelfAtCorner, .highShelfAtCorner: true
      default: false
      }
    }

    /// True for a first-order type, which has no width.
    public var isFirstOrder: Bool {
      switch self {
      case .lowPassFirstOrder, .highPassFirstOrder, .lowShelfFirstOrder, .highShelfFirstOrder,
        .allPassFirstOrder:
        true
      default: false
      }
    }
  }

  /// The width of a filter, or the slope of a shelf.
  public enum Width: Hashable, Sendable {
    /// The Q.
    case quality(Double)
    /// The bandwidth in octaves.
    case bandwidthOctaves(Double)
    /// A shelf's slope in dB per octave: 12 times the cookbook's S.
    case slopeDecibelsPerOctave(Double)
  }

  /// The type.
  public var kind: Kind
  /// The frequency in Hz: centre, or corner.
  public var frequencyHertz: Double
  /// The gain in dB; 0 for a type without gain.
  public var gainDecibels: Double
  /// The width; nil only for a first-order type.
  public var width: Width?

  /// Creates a filter with these fields.
  public init(
    _ kind: Kind, frequencyHertz: Double, gainDecibels: Double = 0, width: Width? = nil
  ) {
    self.kind = kind
    self.frequencyHertz = frequencyHertz
    self.gainDecibels = gainDecibels
    self.width = width
  }

  /// The Q of a Butterworth filter of second order, 1/√2.
  public static let butterworthQuality = 0.5.squareRoot()
}
