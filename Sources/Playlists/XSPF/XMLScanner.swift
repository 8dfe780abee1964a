// SPDX-License-Identifier: MIT

import AudioModel

/// Reads an XML document event by event, as far as a list of tracks needs (XML 1.0): elements,
/// attributes, text, CDATA, references to characters and to XML's five entities. Comments and
/// processing instructions are skipped. Declarations in a document type are refused, so nothing can
/// expand; nesting is bounded. Each byte is read once.
struct XMLScanner {
  enum Event: Equatable {
    /// An element begins; its name has no prefix.
    case start(name: String, attributes: [Attribute])
    /// A piece of text. Comments and CDATA divide text into several pieces.
    case text(String)
    /// The last open element ends.
    case end
    case finished
  }

  /// An attribute with its name as written, prefix included.
  struct Attribute: Equatable {
    var name: String
    var value: String
  }

  static let depthLimit = 64

  private let bytes: [UInt8]
  private var place = 0
  /// The names of the open elements, with their prefixes.
  private var open: [ArraySlice<UInt8>] = []
  /// Whether `<name/>` has begun, whose end is the next event.
  private var isEmptyElement = false
  private var hasRoot = false
  private var countedPlace = 0
  private var countedLine = 1

  /// - Parameter bytes: the document in UTF-8, without a byte-order mark.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The line of the next byte, from 1.
  var line: Int {
    mutating get {
      while countedPlace < min(place, bytes.count) {
        let byte = bytes[countedPlace]
        countedPlace += 1
        let isPair = byte == 0x0D && countedPlace < bytes.count && bytes[countedPlace] == 0x0A
        if byte == 0x0A || byte == 0x0D && !isPair { countedLine += 1 }
      }
      return countedLine
    }
  }

  /// Returns the next event; after the end always `finished`.
  mutating func next() throws(PlaylistError) -> Event {
    if isEmptyElement {
      isEmptyElement = false
      open.removeLast()
      return .end
    }
    while place < bytes.count {
      if bytes[place] != UInt8(ascii: "<") {
        let text = try characters(until: UInt8(ascii: "<"))
        if !open.isEmpty { return .text(text) }
        guard text.utf8.allSatisfy(\.isXMLSpace) else {
          throw malformed("text outside of the document's element")
        }
      } else if has("<!--") {
        try skip(4, to: "-->", "a comment does not end")
      } else if has("<![CDATA[") {
        guard !open.isEmpty else { throw malformed("text outside of the document's element") }
        let start = place + 9
        try skip(9, to: "]]>", "a CDATA section does not end")
        return .text(bytes[start..<place - 3].text)
      } else if has("<?") {
        try skip(2, to: "?>", "a processing instruction does not end")
      } else if has("<!") {
        try skipDocumentType()
      } else if has("</") {
        try endElement()
        return .end
      } else {
        return try startElement()
      }
    }
    guard open.isEmpty else { throw malformed("it ends inside of <\(open.last!.prefix(64).text)>") }
    guard hasRoot else { throw malformed("there is no element in it") }
    return .finished
  }

  func malformed(_ what: String) -> PlaylistError {
    var copy = self
    return PlaylistError(.malformedXML(what, byteOffset: min(place, bytes.count)), line: copy.line)
  }

  private func has(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - place >= count else { return false }
    return bytes[place..<place + count].elementsEqual(text.description.utf8)
  }

  private mutating func skip(
    _ count: Int, to end: StaticString, _ complaint: String
  ) throws(PlaylistError) {
    let start = place
    place += count
    while place < bytes.count {
      if has(end) {
        place += end.utf8CodeUnitCount
        return
      }
      place += 1
    }
    place = start
    throw malformed(complaint)
  }

  private mutating func skipSpace() {
    while place < bytes.count, bytes[place].isXMLSpace { place += 1 }
  }

  /// Skips `<!DOCTYPE name …>` before the root; one with declarations is refused.
  private mutating func skipDocumentType() throws(PlaylistError) {
    guard has("<!DOCTYPE"), !hasRoot else { throw malformed("a misplaced declaration") }
    var quote: UInt8?
    let start = place
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: "[") {
        throw PlaylistError(.documentType, line: line)
      } else if byte == UInt8(ascii: ">") {
        return
      }
    }
    place = start
    throw malformed("the document type declaration does not end")
  }

  private mutating func name() throws(PlaylistError) -> ArraySlice<UInt8> {
    let start = place
    while place < bytes.count {
      switch bytes[place] {
      case 0...0x20, UInt8(ascii: "/"), UInt8(ascii: ">"), UInt8(ascii: "="), UInt8(ascii: "<"),
        UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "&"):
        guard place > start else { throw malformed("a name is missing") }
        return bytes[start..<place]
      default: place += 1
      }
    }
    place = start
    throw malformed("a tag does not end")
  }

  private mutating func startElement() throws(PlaylistError) -> Event {
    guard !open.isEmpty || !hasRoot else { throw malformed("a second element of the document") }
    guard open.count < Self.depthLimit else {
      throw PlaylistError(.tooDeep(limit: Self.depthLimit), line: line)
    }
    place += 1
    let name = try name()
    var attributes: [Attribute] = []
    while true {
      let before = place
      skipSpace()
      guard place < bytes.count else { throw malformed("a tag does not end") }
      switch bytes[place] {
      case UInt8(ascii: ">"):
        place += 1
      case UInt8(ascii: "/"):
        place += 1
        guard place < bytes.count, bytes[place] == UInt8(ascii: ">") else {
          throw malformed("a tag does not end")
        }
        place += 1
        isEmptyElement = true
      default:
        guard place > before else { throw malformed("no blank before an attribute") }
        attributes.append(try attribute())
        continue
      }
      break
    }
    hasRoot = true
    open.append(name)
    let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
    return .start(name: local.text, attributes: attributes)
  }

  private mutating func attribute() throws(PlaylistError) -> Attribute {
    let name = try name()
    skipSpace()
    guard place < bytes.count, bytes[place] == UInt8(ascii: "=") else {
      throw malformed("an attribute without a value")
    }
    place += 1
    skipSpace()
    guard place < bytes.count,
      bytes[place] == UInt8(ascii: "\"") || bytes[place] == UInt8(ascii: "'")
    else { throw malformed("an attribute's value without quotes") }
    let quote = bytes[place]
    place += 1
    let value = try characters(until: quote)
    guard place < bytes.count else { throw malformed("an attribute's value does not end") }
    place += 1
    return Attribute(name: name.text, value: value)
  }

  private mutating func endElement() throws(PlaylistError) {
    place += 2
    let name = try name()
    skipSpace()
    guard place < bytes.count, bytes[place] == UInt8(ascii: ">") else {
      throw malformed("a tag does not end")
    }
    guard open.last == name else {
      throw malformed("</\(name.prefix(64).text)> ends what has not begun")
    }
    place += 1
    open.removeLast()
  }

  /// Reads text with its references resolved, up to a byte that is not consumed, or to the end.
  private mutating func characters(until end: UInt8) throws(PlaylistError) -> String {
    var text: [UInt8] = []
    while place < bytes.count, bytes[place] != end {
      let byte = bytes[place]
      if byte == UInt8(ascii: "&") {
        text.append(contentsOf: UTF8.encode(try reference())!)
      } else if byte == UInt8(ascii: "<") {
        throw malformed("< in an attribute's value")
      } else {
        text.append(byte)
        place += 1
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads `&name;`, `&#decimal;` or `&#xhexadecimal;` (XML 1.0, sections 4.1 and 4.6).
  private mutating func reference() throws(PlaylistError) -> Unicode.Scalar {
    let start = place + 1
    // Longer than any valid reference.
    let limit = min(bytes.count, start + 40)
    guard let end = bytes[start..<limit].firstIndex(of: UInt8(ascii: ";")) else {
      throw malformed("& without a reference; write &amp;")
    }
    let name = bytes[start..<end]
    let scalar: Unicode.Scalar?
    switch name.text {
    case "amp": scalar = "&"
    case "lt": scalar = "<"
    case "gt": scalar = ">"
    case "quot": scalar = "\""
    case "apos": scalar = "'"
    default:
      guard name.first == UInt8(ascii: "#") else {
        throw PlaylistError(.unknownEntity(name.text), line: line)
      }
      let isHexadecimal = name.dropFirst().first == UInt8(ascii: "x")
      let digits = name.dropFirst(isHexadecimal ? 2 : 1)
      let isNumber = digits.allSatisfy { isHexadecimal ? $0.hexadecimalValue != nil : $0.isDigit }
      let value = isNumber ? UInt32(digits.text, radix: isHexadecimal ? 16 : 10) : nil
      scalar = value.flatMap { Self.isCharacter($0) ? Unicode.Scalar($0) : nil }
    }
    guard let scalar else { throw malformed("a reference to no character") }
    place = end + 1
    return scalar
  }

  /// Whether a value is a character (XML 1.0, section 2.2).
  private static func isCharacter(_ value: UInt32) -> Bool {
    switch value {
    case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }
}
