// SPDX-License-Identifier: MIT

import AudioModel

/// A URI or a relative reference in its five parts, as written (RFC 3986).
struct URIReference: Hashable {
  /// The scheme in lower case.
  var scheme: String?
  var authority: String?
  var path: String
  var query: String?
  var fragment: String?

  /// Splits a text into its parts; every text is valid (RFC 3986, appendix B).
  init(_ text: String) {
    var rest = text.utf8[...]
    if let colon = Self.endOfScheme(rest) {
      scheme = String(rest[..<colon])?.lowercased()
      rest = rest[colon...].dropFirst()
    }
    if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
      fragment = String(Substring(rest[hash...].dropFirst()))
      rest = rest[..<hash]
    }
    if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
      query = String(Substring(rest[mark...].dropFirst()))
      rest = rest[..<mark]
    }
    if rest.starts(with: "//".utf8) {
      let behind = rest.dropFirst(2)
      let end = behind.firstIndex(of: UInt8(ascii: "/")) ?? behind.endIndex
      authority = String(Substring(behind[..<end]))
      rest = behind[end...]
    }
    path = String(Substring(rest))
  }

  /// Returns the index of the colon after a scheme (RFC 3986, section 3.1).
  private static func endOfScheme(_ text: Substring.UTF8View) -> Substring.Index? {
    guard let first = text.first, first.isLetter else { return nil }
    let end = text.firstIndex { !($0.isLetter || $0.isDigit || "+-.".utf8.contains($0)) }
    guard let end, text[end] == UInt8(ascii: ":") else { return nil }
    return end
  }

  /// The host and port, without user name and password.
  var hostAndPort: String? {
    authority.map {
      $0.split(separator: "@", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    }
  }

  /// Returns the URI of this reference in a document at `base` (RFC 3986, section 5.2.2, strict).
  func resolved(against base: URIReference) -> URIReference {
    var target = self
    if scheme == nil {
      target.scheme = base.scheme
      if authority == nil {
        target.authority = base.authority
        if path.isEmpty {
          target.path = base.path
          target.query = query ?? base.query
          return target
        }
        if path.utf8.first != UInt8(ascii: "/") { target.path = base.merged(with: path) }
      }
    }
    target.path = Self.removingDotSegments(target.path)
    return target
  }

  /// The reference as text (RFC 3986, section 5.3).
  var text: String {
    var text = ""
    if let scheme { text += scheme + ":" }
    if let authority { text += "//" + authority }
    text += path
    if let query { text += "?" + query }
    if let fragment { text += "#" + fragment }
    return text
  }

  /// Returns a relative path in the folder of this one (RFC 3986, section 5.2.3).
  private func merged(with relative: String) -> String {
    if authority != nil, path.isEmpty { return "/" + relative }
    return path.folder + relative
  }

  /// Returns the path without `.` and `..`, which never go above the root (RFC 3986, section 5.2.4).
  static func removingDotSegments(_ path: String) -> String {
    let segments = path.utf8.split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
    ).map { Substring($0) }
    let isAbsolute = path.utf8.first == UInt8(ascii: "/")
    var kept: [Substring] = []
    for (index, segment) in segments.enumerated() where !(isAbsolute && index == 0) {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        if !kept.isEmpty { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return (isAbsolute ? "/" : "") + kept.joined(separator: "/")
  }
}

extension String {
  /// The text up to and including the last slash; empty without one.
  var folder: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
    return String(self[...slash])
  }

  /// The text with each `%` and two hexadecimal digits replaced by the byte that they encode, and every
  /// other `%` unchanged; nil if the result is not UTF-8 or has a NUL.
  var percentDecoded: String? {
    guard utf8.contains(UInt8(ascii: "%")) else { return self }
    var bytes: [UInt8] = []
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%"), let high = rest.first?.hexadecimalValue,
        let low = rest.dropFirst().first?.hexadecimalValue
      else {
        bytes.append(byte)
        continue
      }
      rest = rest.dropFirst(2)
      bytes.append(high << 4 | low)
    }
    guard !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The text with slashes instead of backslashes.
  var withSlashes: String {
    guard utf8.contains(UInt8(ascii: "\\")) else { return self }
    return String(
      decoding: utf8.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }, as: UTF8.self)
  }
}
