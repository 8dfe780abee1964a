// SPDX-License-Identifier: MIT

import Testing

@testable import TimingReport

@Suite("Markup")
struct MarkupWriterTests {
  @Test("cannot be injected by texts and attributes")
  func escaping() throws {
    let hostile = "</p><script>alert('1')</script>&amp; \"x\" onload=\"y\""
    var writer = MarkupWriter()
    writer.element("p", ["title": hostile]) { paragraph in
      paragraph.text(hostile)
      paragraph.empty("br")
    }
    let reading = try MarkupReading(writer.markup)
    #expect(reading.elements.map(\.name) == ["p", "br"])
    #expect(reading.elements[0].attributes == ["title": hostile])
    #expect(reading.elements[0].text == hostile)
  }

  @Test(
    "has no character that XML forbids or that reverses text direction",
    arguments: [
      "\u{0}", "\u{1B}", "\u{7F}", "\u{85}", "\u{FFFE}", "\u{1FFFF}", "\u{202E}", "\u{2028}",
      "\u{61C}", "\u{200F}", "\r",
    ])
  func controlCharacters(character: String) {
    #expect(MarkupWriter.escaped("a\(character)b") == "a\u{FFFD}b")
  }

  @Test("keeps what is plain text", arguments: ["µs – “Ünïcode” 🎹", "a\nb\tc"])
  func plainText(text: String) {
    #expect(MarkupWriter.escaped(text) == text)
  }

  @Test(
    "is found faulty by these tests if it is",
    arguments: [
      "<p>", "<p></q>", "<p a='1'/>", "<p>&nbsp;</p>", "<p/><p/>", "<p a=\"1\" a=\"2\"/>",
    ])
  func faults(markup: String) {
    #expect(throws: MarkupReading.Fault.self) { try MarkupReading(markup) }
  }
}
