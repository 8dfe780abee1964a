// SPDX-License-Identifier: MIT

import AudioModel
import Testing

@Suite("Text from outside")
struct OneLineTests {
  @Test(
    "contains no control characters for terminals, line readers or text direction",
    arguments: [
      0x00, 0x07, 0x0A, 0x0D, 0x1B, 0x7F, 0x80, 0x85, 0x9B, 0x9F, 0x61C, 0x200E, 0x200F, 0x2028,
      0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069, 0xFDD0,
      0xFFFE,
      0xFFFF, 0x10FFFF,
    ] as [UInt32])
  func controls(_ value: UInt32) throws {
    let scalar = try #require(Unicode.Scalar(value))
    let shown = "a\\u{\(String(value, radix: 16))}b"
    #expect("a\(scalar)b".onOneLine == shown)
    #expect("a\(scalar)b".asMessage == shown)
    #expect(shown.asMessage == shown)
  }

  @Test("keeps letters of all scripts, joiners and emoji")
  func kept() {
    for text in [
      "Ænima", "שלום", "مرحبا", "日本", "क्\u{200D}ष", "👩\u{200D}🚀", "e\u{301}", " ", "\\u{1b}", "…",
    ] {
      #expect(text.onOneLine == text && text.asMessage == text)
    }
  }

  @Test("keeps its start and its end if it is too long")
  func bounds() {
    let long = String(repeating: "x", count: 3_000_000)
    #expect("no such file: \(long); check the path".asMessage.unicodeScalars.count == 1000)
    #expect("no such file: \(long); check the path".asMessage.hasPrefix("no such file: xxx"))
    #expect("no such file: \(long); check the path".asMessage.hasSuffix("xxx; check the path"))
    #expect(long.asMessage.asMessage == long.asMessage)
    #expect(String(repeating: "\u{1B}", count: 5000).asMessage.unicodeScalars.count == 1000)
    #expect(long.onOneLine == long)
    for limit in 2...7 {
      #expect("abcdefgh".onOneLine(atMost: limit).unicodeScalars.count == limit)
      #expect("äbcdefgh".onOneLine(atMost: limit).unicodeScalars.count == limit)
    }
    #expect("abcdefgh".onOneLine(atMost: 8) == "abcdefgh")
    #expect("äöüäöü".onOneLine(atMost: 6) == "äöüäöü")
  }
}
