// SPDX-License-Identifier: MIT

extension Unicode.Scalar {
  /// Whether the scalar steers a terminal or a reader of lines, or is no character at all: C0, DEL, C1
  /// with U+0085, the line and paragraph separators, the marks, embeddings, overrides and isolates of
  /// Unicode's annex 9, the deprecated format characters, interlinear annotation, and noncharacters.
  package var isControlling: Bool {
    switch value {
    case 0x20..<0x7F: false
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x206F,
      0xFDD0...0xFDEF, 0xFFF9...0xFFFB:
      true
    default: value & 0xFFFE == 0xFFFE
    }
  }
}

extension String {
  /// The text with controlling scalars written as `\u{…}`, and of a longer text its start and its end with
  /// `…` between them.
  ///
  /// All text from outside (file names, tags, servers' words, playlists, port names) passes here on its way
  /// to a terminal, a log or another program: printed raw, it could move a cursor, begin a line or turn the
  /// words around it. A text that has passed once passes again unchanged.
  ///
  /// - Parameter limit: the largest number of Unicode scalars, at least 2.
  package func onOneLine(atMost limit: Int) -> String {
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }), utf8.count <= limit { return self }
    var line = String.UnicodeScalarView()
    // What is cut off is not cleaned first; cleaning makes the rest longer.
    for scalar in shortened(to: limit).unicodeScalars {
      if scalar.isControlling {
        line.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      } else {
        line.append(scalar)
      }
    }
    return String(line).shortened(to: limit)
  }

  /// The text as a name that is used again: on one line, and as long as it is. Whatever bounds the text is
  /// elsewhere: the system bounds a path, the transfer a header.
  package var onOneLine: String { onOneLine(atMost: .max) }

  /// The text as a message, or a line of one: on one line, of at most 1000 scalars.
  package var asMessage: String { onOneLine(atMost: 1000) }

  /// Of a longer text its start and its end, with `…` between them; the limit is in Unicode scalars, and at
  /// least 2.
  package func shortened(to limit: Int) -> String {
    guard utf8.count > limit, unicodeScalars.count > limit else { return self }
    // A message ends in the advice, which is shorter than what it is about.
    let end = (limit - 1) / 3
    return String(unicodeScalars.prefix(limit - 1 - end)) + "…" + String(unicodeScalars.suffix(end))
  }
}
