// SPDX-License-Identifier: MIT

import AudioModel

/// The meaning of a location that a user enters.
enum SourceLocation: Hashable {
  /// `-`.
  case standardInput
  /// A path of the file system, not empty and without a NUL.
  case file(path: String)
  /// An `http:` or `https:` URL.
  case web(WebURL)

  /// Parses a location. Only `scheme://` and `file:/` make a URL, so that `a:b.mp3` is a file.
  init(_ text: String) throws(ByteSourceError) {
    let malformed = ByteSourceError(.malformedLocation, at: text.onOneLine)
    guard !text.isEmpty else { throw ByteSourceError(.malformedLocation, at: "\"\"") }
    // A NUL would end the C string early: another file or URL than the one that was checked.
    guard !text.utf8.contains(0) else { throw malformed }
    if text == "-" {
      self = .standardInput
      return
    }
    guard let (scheme, rest) = Self.scheme(of: text) else {
      self = .file(path: text)
      return
    }
    switch scheme {
    case "file":
      guard let path = Self.path(ofFileURL: rest) else { throw malformed }
      self = .file(path: path)
    case "http", "https":
      guard CurlLibrary.functions != nil else {
        throw ByteSourceError(.libraryNotInstalled, at: WebURL.withoutCredentials(text))
      }
      guard let url = WebURL(text) else {
        throw ByteSourceError(.malformedLocation, at: WebURL.withoutCredentials(text))
      }
      self = .web(url)
    default:
      throw ByteSourceError(.unsupportedScheme(scheme), at: WebURL.withoutCredentials(text))
    }
  }

  /// Returns the scheme in lower case (RFC 3986, section 3.1) and the text after its colon.
  private static func scheme(of text: String) -> (scheme: String, rest: Substring)? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = text[..<colon].lowercased()
    let rest = text[text.utf8.index(after: colon)...]
    guard let first = scheme.utf8.first, first.isLowercaseLetter,
      scheme.utf8.allSatisfy({ $0.isLowercaseLetter || $0.isDigit || "+-.".utf8.contains($0) })
    else { return nil }
    guard rest.utf8.starts(with: "//".utf8) || scheme == "file" && rest.utf8.first == 0x2F else {
      return nil
    }
    return (scheme, rest)
  }

  /// Returns the path of `//host/path` or `/path` (RFC 8089, section 2); nil for another machine's.
  private static func path(ofFileURL rest: Substring) -> String? {
    var encoded = rest
    if rest.utf8.starts(with: "//".utf8) {
      let authority = rest.dropFirst(2)
      guard let slash = authority.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
      guard ["", "localhost"].contains(authority[..<slash].lowercased()) else { return nil }
      encoded = authority[slash...]
    }
    var bytes: [UInt8] = []
    var remaining = encoded.utf8[...]
    while let byte = remaining.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = remaining.popFirst()?.hexadecimalValue,
        let low = remaining.popFirst()?.hexadecimalValue, high << 4 | low != 0
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var isLowercaseLetter: Bool { (0x61...0x7A).contains(self) }
}
