// SPDX-License-Identifier: MIT

import AudioModel

/// Why a list cannot be used at all, and where in it.
public struct PlaylistError: Error, Hashable, Sendable {
  /// What is wrong.
  public enum Reason: Hashable, Sendable {
    /// It is no list of tracks but an HLS stream (RFC 8216), told by this tag.
    case httpLiveStreaming(tag: String)
    /// It has more bytes than this.
    case tooManyBytes(limit: Int)
    /// It has more entries than this.
    case tooManyEntries(limit: Int)
    /// It has to be UTF-8 and is not, from this byte offset on.
    case invalidUTF8(byteOffset: Int)
    /// It is in an encoding that is not read.
    case unsupportedEncoding(String)
    /// It is not well-formed XML at this byte offset, for this reason.
    case malformedXML(String, byteOffset: Int)
    /// It declares a document type of its own, which nobody needs but an attacker.
    case documentType
    /// An entity that XML does not define.
    case unknownEntity(String)
    /// Its elements are nested deeper than this.
    case tooDeep(limit: Int)
    /// It is XML of another kind, with this root element.
    case foreignRoot(String)
  }

  /// What is wrong.
  public var reason: Reason
  /// In which line, from 1, where that can be said.
  public var line: Int?

  /// An error with these fields.
  public init(_ reason: Reason, line: Int? = nil) {
    self.reason = reason
    self.line = line
  }
}

extension PlaylistError: CustomStringConvertible {
  /// What is wrong, where, and what to do, in one line.
  public var description: String {
    (line.map { "line \($0): " + sentence } ?? sentence).asMessage
  }

  private var sentence: String {
    switch reason {
    case .httpLiveStreaming(let tag):
      "this is an HLS stream (\(tag)), which is not supported; use an address that gives the audio"
        + " in one piece"
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
