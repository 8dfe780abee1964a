// SPDX-License-Identifier: MIT

public import AudioModel

/// Why a stream could not be parsed, or why a property has no value: a result code, the place in
/// the stream, and a sentence for a person.
public struct AudioFileStreamError: Error, Hashable, Sendable {
  /// The result codes of Core Audio's AudioFileStream.h.
  public enum Code: Hashable, Sendable, CaseIterable {
    /// The bytes are no file type this parser knows: `'typ?'`.
    case unsupportedFileType
    /// The file type is known, its encoding is not supported: `'fmt?'`.
    case unsupportedDataFormat
    /// This file type has no such property: `'pty?'`.
    case unsupportedProperty
    /// The room handed over for a property's value is too small: `'!siz'`.
    case badPropertySize
    /// The file cannot be played from its beginning in one pass: `'optm'`.
    case notOptimized
    /// A packet number below zero or past the end: `'pck?'`.
    case invalidPacketOffset
    /// The file contradicts its own format: `'dta?'`.
    case invalidFile
    /// The file does not say: `'unk?'`.
    case valueUnknown
    /// Not enough of the stream has been parsed yet: `'more'`.
    case dataUnavailable
    /// Not possible in this state: `'nope'`.
    case illegalOperation
    /// Anything else: `'wht?'`.
    case unspecifiedError
    /// The stream cannot go on after a discontinuity without a seek: `'dsc!'`.
    case discontinuityCantRecover

    /// The code as Core Audio spells it.
    public var fourCharacterCode: FourCharacterCode {
      switch self {
      case .unsupportedFileType: "typ?"
      case .unsupportedDataFormat: "fmt?"
      case .unsupportedProperty: "pty?"
      case .badPropertySize: "!siz"
      case .notOptimized: "optm"
      case .invalidPacketOffset: "pck?"
      case .invalidFile: "dta?"
      case .valueUnknown: "unk?"
      case .dataUnavailable: "more"
      case .illegalOperation: "nope"
      case .unspecifiedError: "wht?"
      case .discontinuityCantRecover: "dsc!"
      }
    }
  }

  /// What kind of failure this is.
  public var code: Code
  /// Bytes from the start of the stream to the place concerned.
  public var byteOffset: Int64
  /// What happened and what can be done, as one sentence without a full stop.
  public var message: String

  /// An error with these parts.
  public init(_ code: Code, at byteOffset: Int64, _ message: String) {
    self.code = code
    self.byteOffset = byteOffset
    self.message = message
  }
}

extension AudioFileStreamError: CustomStringConvertible {
  /// The message, the place and the four-character code, in one line.
  public var description: String {
    "\(message) (at byte \(byteOffset), '\(code.fourCharacterCode)')".asMessage
  }
}
