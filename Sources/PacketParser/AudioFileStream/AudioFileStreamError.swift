// SPDX-License-Identifier: MIT

public import AudioModel

/// A failure to parse a stream or to find a property's value: a result code, the byte offset, and a
/// sentence for a person.
public struct AudioFileStreamError: Error, Hashable, Sendable {
  /// The result codes of Core Audio's AudioFileStream.h.
  public enum Code: Hashable, Sendable, CaseIterable {
    /// The bytes are of no known file type: `'typ?'`.
    case unsupportedFileType
    /// The file type is known, but its encoding is not supported: `'fmt?'`.
    case unsupportedDataFormat
    /// This file type has no such property: `'pty?'`.
    case unsupportedProperty
    /// The buffer for a property's value is too small: `'!siz'`.
    case badPropertySize
    /// The file cannot be played from its beginning in one pass: `'optm'`.
    case notOptimized
    /// A packet number below zero or past the end: `'pck?'`.
    case invalidPacketOffset
    /// The file contradicts its own format: `'dta?'`.
    case invalidFile
    /// The file does not state the value: `'unk?'`.
    case valueUnknown
    /// Not enough of the stream has been parsed yet: `'more'`.
    case dataUnavailable
    /// Not possible in this state: `'nope'`.
    case illegalOperation
    /// Anything else: `'wht?'`.
    case unspecifiedError
    /// The stream cannot continue after a discontinuity without a seek: `'dsc!'`.
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

  /// The kind of failure.
  public var code: Code
  /// The byte offset in the stream at which the failure occurred.
  public var byteOffset: Int64
  /// The failure and its remedy, as one sentence without a full stop.
  public var message: String

  /// Creates an error from its parts.
  public init(_ code: Code, at byteOffset: Int64, _ message: String) {
    self.code = code
    self.byteOffset = byteOffset
    self.message = message
  }
}

extension AudioFileStreamError: CustomStringConvertible {
  /// The message, the byte offset and the four-character code, in one line.
  public var description: String {
    "\(message) (at byte \(byteOffset), '\(code.fourCharacterCode)')".asMessage
  }
}
