// SPDX-License-Identifier: MIT

public import AudioModel

extension AudioConverter {
  /// The result of one `fill`.
  public struct Fill: Hashable, Sendable {
    /// Output packets written, also when the status is not ``Status/complete``.
    public var packetCount: Int
    /// The reason for its end.
    public var status: Status

    /// Creates a result with these parts.
    public init(packetCount: Int, status: Status) {
      self.packetCount = packetCount
      self.status = status
    }

    /// The status as Core Audio's `OSStatus`: 0 when all packets were written and at the end of the stream, the
    /// callback's own number, or an error's code.
    public var code: Int32 {
      switch status {
      case .complete, .endOfStream: 0
      case .stopped(let status): status
      case .failed(let error): error.status
      }
    }
  }

  /// The reason for a fill's end.
  public enum Status: Hashable, Sendable {
    /// All requested packets were written.
    case complete
    /// The stream has ended; nothing follows before ``AudioConverter/reset()``.
    case endOfStream
    /// The callback returned this status.
    case stopped(Int32)
    /// The output or the callback's packets cannot be used.
    case failed(AudioConversionError)
  }

  /// The priming of a rate conversion: Core Audio's `kAudioConverterPrimeMethod_…`.
  public enum PrimeMethod: UInt32, Sendable {
    /// The first input frames come before the nominal start; the output begins after them.
    case pre = 0
    /// More input is requested at first; the output begins with the first input frame.
    case normal = 1
    /// No more input is requested than the ratio requires; the output begins with silence.
    case none = 2
  }

  /// Frames at the edges: Core Audio's `AudioConverterPrimeInfo`.
  public struct PrimeInfo: Hashable, Sendable {
    /// For a rate conversion, input frames before the nominal start; for a decoder, decoded frames
    /// that are dropped at the start.
    public var leadingFrames: UInt32
    /// For a rate conversion, input frames that are read ahead. For a decoder they are only stored for the
    /// caller, which trims the end.
    public var trailingFrames: UInt32

    /// Creates information with these fields.
    public init(leadingFrames: UInt32 = 0, trailingFrames: UInt32 = 0) {
      self.leadingFrames = leadingFrames
      self.trailingFrames = trailingFrames
    }
  }

  /// The quality of a rate conversion: Core Audio's numbers from 0 to 0x7F.
  public struct Quality: RawRepresentable, Hashable, Sendable {
    /// Core Audio's number.
    public var rawValue: UInt32

    /// Creates the quality with this number.
    public init(rawValue: UInt32) {
      self.rawValue = rawValue
    }

    /// The lowest: 0.
    public static let minimum = Quality(rawValue: 0)
    /// Low: 0x20.
    public static let low = Quality(rawValue: 0x20)
    /// Medium: 0x40.
    public static let medium = Quality(rawValue: 0x40)
    /// High: 0x60.
    public static let high = Quality(rawValue: 0x60)
    /// The highest: 0x7F.
    public static let maximum = Quality(rawValue: 0x7F)
  }

  /// The kind of a rate conversion: Core Audio's `kAudioConverterSampleRateConverterComplexity_…`.
  public struct Complexity: RawRepresentable, Hashable, Sendable {
    /// The four-character code.
    public var rawValue: FourCharacterCode

    /// Creates the complexity with this code.
    public init(rawValue: FourCharacterCode) {
      self.rawValue = rawValue
    }

    /// Linear interpolation: `'line'`.
    public static let linear = Complexity(rawValue: "line")
    /// The usual: `'norm'`.
    public static let normal = Complexity(rawValue: "norm")
    /// Mastering: `'bats'`.
    public static let mastering = Complexity(rawValue: "bats")
    /// A filter of minimum phase: `'minp'`.
    public static let minimumPhase = Complexity(rawValue: "minp")
  }
}
