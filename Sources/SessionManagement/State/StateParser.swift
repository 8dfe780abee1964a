// SPDX-License-Identifier: MIT

/// Parses untrusted JSON (RFC 8259): one pass, bounded depth, no trap.
struct StateParser {
  /// A syntax error.
  struct Failure: Error, Equatable {
    /// Bytes from the start.
    var offset: Int
    var message: String
  }

  static let deepest = 8

  private let bytes: [UInt8]
  private var offset = 0

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Returns the value of a whole text.
  static func parse(_ bytes: [UInt8]) throws(Failure) -> StateValue {
    var parser = StateParser(bytes)
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.offset == bytes.count else { throw parser.failure("something behind the end") }
    return value
  }

  private func failure(_ message: String) -> Failure { Failure(offset: offset, message: message) }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { offset += 1 }
  }

  private mutating func take(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    offset += 1
    return true
  }

  private mutating func value(depth: Int) throws(Failure) -> StateValue {
    guard depth < Self.deepest else { throw failure("nested too deep") }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"): return try number()
    case let digit? where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit):
      return try number()
    case nil: throw failure("the end is missing")
    default: throw failure("no value")
    }
  }

  private mutating func word(
    _ text: StaticString, _ value: StateValue
  ) throws(Failure) -> StateValue {
    let count = text.utf8CodeUnitCount
    guard bytes.count - offset >= count,
      bytes[offset..<offset + count].elementsEqual("\(text)".utf8)
    else { throw failure("no value") }
    offset += count
    return value
  }

  private mutating func object(depth: Int) throws(Failure) -> StateValue {
    var members: [StateValue.Member] = []
    offset += 1
    skipSpace()
    if take("}") { return .object(members) }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw failure("no member's name") }
      let name = try string()
      skipSpace()
      guard take(":") else { throw failure("no colon") }
      members.append(StateValue.Member(name: name, value: try value(depth: depth + 1)))
      skipSpace()
      if take("}") { return .object(members) }
      guard take(",") else { throw failure("no comma") }
    }
  }

  private mutating func array(depth: Int) throws(Failure) -> StateValue {
    var elements: [StateValue] = []
    offset += 1
    skipSpace()
    if take("]") { return .array(elements) }
    while true {
      elements.append(try value(depth: depth + 1))
      skipSpace()
      if take("]") { return .array(elements) }
      guard take(",") else { throw failure("no comma") }
    }
  }

  private mutating func number() throws(Failure) -> StateValue {
    let start = offset
    func isDigit(_ byte: UInt8?) -> Bool {
      byte.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
    }
    _ = take("-")
    let first = next
    let whole = offset
    while isDigit(next) { offset += 1 }
    guard offset > whole, first != UInt8(ascii: "0") || offset == whole + 1 else {
      throw failure("no number")
    }
    if take(".") {
      guard isDigit(next) else { throw failure("no number") }
      while isDigit(next) { offset += 1 }
    }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      guard isDigit(next) else { throw failure("no number") }
      while isDigit(next) { offset += 1 }
    }
    guard let number = Double(String(decoding: bytes[start..<offset], as: UTF8.self)),
      number.isFinite
    else { throw failure("no number") }
    return .number(number)
  }

  private mutating func string() throws(Failure) -> String {
    offset += 1
    var text: [UInt8] = []
    while true {
      guard let byte = next else { throw failure("the end is missing") }
      offset += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let string = String(validating: text, as: UTF8.self) else {
          throw failure("not UTF-8")
        }
        return string
      case UInt8(ascii: "\\"): text += try escaped()
      case 0..<0x20: throw failure("a control character")
      default: text.append(byte)
      }
    }
  }

  /// Returns the text, in UTF-8, of the escape sequence after a backslash.
  private mutating func escaped() throws(Failure) -> [UInt8] {
    guard let byte = next else { throw failure("the end is missing") }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"):
      var code = try fourDigits()
      if (0xD800...0xDBFF).contains(code) {
        guard take("\\"), take("u") else { throw failure("half a surrogate pair") }
        let low = try fourDigits()
        guard (0xDC00...0xDFFF).contains(low) else { throw failure("half a surrogate pair") }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw failure("half a surrogate pair") }
      return Array(String(Character(scalar)).utf8)
    default: throw failure("no escape")
    }
  }

  private mutating func fourDigits() throws(Failure) -> UInt32 {
    guard bytes.count - offset >= 4 else { throw failure("the end is missing") }
    var code: UInt32 = 0
    for byte in bytes[offset..<offset + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw failure("no hexadecimal digit")
      }
      code = code << 4 + UInt32(digit)
    }
    offset += 4
    return code
  }
}
