// SPDX-License-Identifier: MIT

public import AudioModel
internal import RenderCore

/// An error of a converter: a Core Audio code and a sentence for the user.
public struct AudioConversionError: Error, Hashable, Sendable {
  /// Core Audio's result codes (AudioConverter.h).
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The four-character code.
    public var rawValue: FourCharacterCode

    /// The result with this code.
    public init(rawValue: FourCharacterCode) {
      self.rawValue = rawValue
    }

    /// There is no conversion between these formats: `'fmt?'`.
    public static let formatNotSupported = Code(rawValue: "fmt?")
    /// This converter does not support the operation: `'op??'`.
    public static let operationNotSupported = Code(rawValue: "op??")
    /// The property is not supported here, or not with this value: `'prop'`.
    public static let propertyNotSupported = Code(rawValue: "prop")
    /// The input is not a whole number of packets, or a packet lies outside of it: `'insz'`.
    public static let invalidInputSize = Code(rawValue: "insz")
    /// The output has no room for a packet, or lacks a buffer for a channel: `'otsz'`.
    public static let invalidOutputSize = Code(rawValue: "otsz")
    /// The property has another number of elements: `'!siz'`.
    public static let badPropertySize = Code(rawValue: "!siz")
    /// Several packets of differing size came without descriptions: `'!pkd'`.
    public static let requiresPacketDescriptions = Code(rawValue: "!pkd")
    /// The input's rate is out of range: `'!isr'`.
    public static let inputSampleRateOutOfRange = Code(rawValue: "!isr")
    /// The output's rate is out of range: `'!osr'`.
    public static let outputSampleRateOutOfRange = Code(rawValue: "!osr")
    /// Anything else: `'what'`.
    public static let unspecified = Code(rawValue: "what")
  }

  /// The result code.
  public var code: Code
  /// The failure, in one line.
  public var reason: String

  /// Creates an error with this code.
  public init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// The code as Core Audio's `OSStatus`.
  public var status: Int32 { Int32(bitPattern: code.rawValue.rawValue) }

  /// Creates the error for a refusal by the render path's parts.
  init(_ error: AudioConverterError) {
    switch error {
    case .sampleRateNotSupported: self.init(.outputSampleRateOutOfRange, error.description)
    default: self.init(.formatNotSupported, error.description)
    }
  }
}

extension AudioConversionError: CustomStringConvertible {
  /// The message and Core Audio's code, in one line.
  public var description: String {
    let suffix = "('\(code.rawValue)')"
    return reason.hasSuffix(suffix) ? reason : "\(reason) \(suffix)"
  }
}
