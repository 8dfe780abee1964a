// SPDX-License-Identifier: MIT

import AudioModel

/// The reason why a list is unusable as a whole, and its line.
public struct PlaylistError: Error, Hashable, Sendable {
  /// The reason.
  public enum Reason: Hashable, Sendable {
    /// It is not a list of tracks but an HLS stream (RFC 8216), recognised by this tag.
    case httpLiveStreaming(tag: String)
    /// It has more bytes than this.
    case tooManyBytes(limit: Int)
    /// It has more entries than this.
    case tooManyEntries(limit: Int)
    /// It must be UTF-8 and is invalid at this byte offset.
    case invalidUTF8(byteOffset: Int)
    /// Its encoding is not supported.
    case unsupportedEncoding(String)
    /// It is not well-formed XML at this byte offset, for this reason.
    case malformedXML(String, byteOffset: Int)
    /// It has its own document type declaration, which only an attacker needs.
    case documentType
    /// An entity that XML does not define.
    case unknownEntity(String)
    /// Its elements are nested deeper than this.
    case tooDeep(limit: Int)
    /// It is XML of another kind, with this root element.
    case foreignRoot(String)
  }

  /// The reason.
  public var reason: Reason
  /// The line, from 1, if it is known.
  public var line: Int?

  /// Creates an error with these fields.
  public init(_ reason: Reason, line: Int? = nil) {
    self.reason = reason
    self.line = line
  }
}

extension PlaylistError: CustomStringConvertible {
  /// The line, the problem and its remedy, in one line.
  public var description: String {
    (line.map { "line \($0): " + sentence } ?? sentence).asMessage
  }

  private var sentence: String {
    switch reason {
    case .httpLiveStreaming(let tag):
      "this is an HLS stream (\(tag)), which is not supported; use the address of a whole"
        + " file or stream"
    case .tooManyBytes(let limit):
      "the list has more than \(limit) bytes; divide it"
    case .tooManyEntries(let limit):
      "the list has more than \(limit) entries; divide it"
    case .invalidUTF8(let byteOffset):
      "the list is not UTF-8 at byte \(byteOffset); convert it (iconv), or name it .m3u if it is one"
    case .unsupportedEncoding(let name):
      "lists in \(name) are not supported; convert it to UTF-8 (iconv)"
    case .malformedXML(let what, let byteOffset):
      "not well-formed XML at byte \(byteOffset): \(what); correct the list"
    case .documentType:
      "the list has a document type declaration of its own, which is refused; remove it"
    case .unknownEntity(let name):
      "the entity &\(name); is not defined; write the character itself"
    case .tooDeep(let limit):
      "elements are nested more than \(limit) deep; correct the list"
    case .foreignRoot(let name):
      "an XML document <\(name)>, not an XSPF playlist; check the address"
    }
  }
}
