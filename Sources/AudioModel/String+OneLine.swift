// SPDX-License-Identifier: MIT

extension Unicode.Scalar {
  /// Whether the scalar controls a terminal or a line reader, or is no character: C0, DEL, C1 with
  /// U+0085, the line and paragraph separators, the marks, embeddings, overrides and isolates of
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
  /// Returns the text with controlling scalars written as `\u{…}`. A longer text is reduced to its
  /// start and its end with `…` between them.
  ///
  /// All text from outside (file names, tags, server messages, playlists, port names) passes through
  /// here on its way to a terminal, a log or another program. Printed raw, it could move a cursor,
  /// begin a line or reverse the text around it. A second pass changes nothing.
  ///
  /// - Parameter limit: the largest number of Unicode scalars, at least 2.
  package func onOneLine(atMost limit: Int) -> String {
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }), utf8.count <= limit { return self }
    var line = String.UnicodeScalarView()
    // Shortening comes first, so that no removed text is escaped. Escaping makes the rest longer.
    for scalar in shortened(to: limit).unicodeScalars {
      if scalar.isControlling {
        line.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      } else {
        line.append(scalar)
      }
    }
    return String(line).shortened(to: limit)
  }

  /// The text on one line in full length, for names that are used again. Other limits bound it: the
  /// system's for a path, the transfer's for a header.
  package var onOneLine: String { onOneLine(atMost: .max) }

  /// The text on one line as a message or a part of one, of at most 1000 scalars.
  package var asMessage: String { onOneLine(atMost: 1000) }

  /// Returns a longer text's start and end with `…` between them. The limit is in Unicode scalars, at
  /// least 2.
  package func shortened(to limit: Int) -> String {
    guard utf8.count > limit, unicodeScalars.count > limit else { return self }
    // A message ends with advice, which is shorter than the description before it.
    let end = (limit - 1) / 3
    return String(unicodeScalars.prefix(limit - 1 - end)) + "…" + String(unicodeScalars.suffix(end))
  }
}
