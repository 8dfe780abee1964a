// SPDX-License-Identifier: MIT

/// Expands zlib data (RFC 1950 and 1951) up to a limit: a few bytes may expand to gigabytes.
struct ZlibData {
  /// The expanded bytes: all of them, or the first ones if the data are longer or incomplete.
  private(set) var expanded: [UInt8] = []
  /// Whether the data were expanded to their end.
  private(set) var isWhole = false

  private let source: ArraySlice<UInt8>
  private let limit: Int
  private var place: Int
  private var bits: UInt32 = 0
  private var bitCount = 0

  /// Expands data.
  ///
  /// - Parameter limit: the most bytes to expand.
  /// - Returns: nil if the data are damaged or not zlib data.
  init?(_ source: ArraySlice<UInt8>, limit: Int) {
    self.source = source
    self.limit = limit
    place = source.startIndex
    guard let method = read(8), let flags = read(8), method & 15 == 8, flags & 0x20 == 0,
      (method << 8 | flags) % 31 == 0
    else { return nil }
    var isLast = false
    while !isLast, expanded.count < limit {
      guard let last = read(1), let kind = read(2) else { return }
      isLast = last == 1
      let outcome =
        switch kind {
        case 0: copyStored()
        case 1: expand(Self.fixedLiterals, Self.fixedDistances)
        case 2: expandDynamic()
        default: Outcome.damaged
        }
      switch outcome {
      case .ended: continue
      case .stopped: return
      case .damaged: return nil
      }
    }
    isWhole = isLast
  }

  /// The result of a block.
  private enum Outcome {
    case ended
    /// The data are incomplete, or the limit is reached.
    case stopped
    case damaged
  }

  /// Reads the next bits as a number, the first one the lowest; nil past the end.
  private mutating func read(_ count: Int) -> Int? {
    while bitCount < count {
      guard place < source.endIndex else { return nil }
      bits |= UInt32(source[place]) << UInt32(bitCount)
      place += 1
      bitCount += 8
    }
    defer {
      bits >>= UInt32(count)
      bitCount -= count
    }
    return Int(bits & ((1 << UInt32(count)) &- 1))
  }

  private mutating func copyStored() -> Outcome {
    // A stored block begins at a byte boundary.
    bits >>= UInt32(bitCount & 7)
    bitCount -= bitCount & 7
    guard let count = read(16), let complement = read(16) else { return .stopped }
    guard count == complement ^ 0xFFFF else { return .damaged }
    for _ in 0..<count {
      guard expanded.count < limit, let byte = read(8) else { return .stopped }
      expanded.append(UInt8(byte))
    }
    return .ended
  }

  /// Expands a block with its own codes (RFC 1951 section 3.2.7).
  private mutating func expandDynamic() -> Outcome {
    guard let literals = read(5), let distances = read(5), let lengths = read(4) else {
      return .stopped
    }
    var lengthsOfLengths = [Int](repeating: 0, count: 19)
    let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    for index in 0..<lengths + 4 {
      guard let length = read(3) else { return .stopped }
      lengthsOfLengths[order[index]] = length
    }
    let code = PrefixCode(lengthsOfLengths[...])
    var all: [Int] = []
    let wanted = literals + 257 + distances + 1
    while all.count < wanted {
      guard let symbol = decode(code) else { return .stopped }
      var length = symbol
      var count = 1
      switch symbol {
      case 0...15: break
      case 16:
        guard let last = all.last else { return .damaged }
        guard let more = read(2) else { return .stopped }
        (length, count) = (last, 3 + more)
      case 17:
        guard let more = read(3) else { return .stopped }
        (length, count) = (0, 3 + more)
      case 18:
        guard let more = read(7) else { return .stopped }
        (length, count) = (0, 11 + more)
      default: return .damaged
      }
      all += [Int](repeating: length, count: count)
    }
    guard all.count == wanted else { return .damaged }
    return expand(PrefixCode(all[..<(literals + 257)]), PrefixCode(all[(literals + 257)...]))
  }

  /// Expands literals and copies of earlier bytes (RFC 1951 section 3.2.5).
  private mutating func expand(_ literals: PrefixCode, _ distances: PrefixCode) -> Outcome {
    while expanded.count < limit {
      guard let symbol = decode(literals) else { return .stopped }
      if symbol < 256 {
        expanded.append(UInt8(truncatingIfNeeded: symbol))
        continue
      }
      if symbol == 256 { return .ended }
      guard symbol < 286 else { return .damaged }
      let length = symbol - 257
      guard let lengthBits = read(Self.lengthBits[length]) else { return .stopped }
      guard let distance = decode(distances) else { return .stopped }
      guard distance < 30 else { return .damaged }
      guard let distanceBits = read(max(0, distance / 2 - 1)) else { return .stopped }
      let back = Self.distanceStart(distance) + distanceBits
      guard back <= expanded.count else { return .damaged }
      let count = min(Self.lengthStarts[length] + lengthBits, limit - expanded.count)
      for _ in 0..<count { expanded.append(expanded[expanded.count - back]) }
    }
    return .stopped
  }

  /// Reads the next symbol; nil past the end, and a number above all symbols for an invalid code.
  private mutating func decode(_ code: PrefixCode) -> Int? {
    var value = 0
    var first = 0
    var index = 0
    for count in code.counts {
      guard let bit = read(1) else { return nil }
      value = value << 1 | bit
      first <<= 1
      if value - first < count { return code.symbols[index + value - first] }
      first += count
      index += count
    }
    return 1 << 16
  }

  private static let lengthBits =
    [Int](repeating: 0, count: 8) + (1...5).flatMap { [$0, $0, $0, $0] } + [0]

  /// The lengths of copies, from 3 bytes on; the last one is 258.
  private static let lengthStarts: [Int] = {
    var starts: [Int] = []
    var start = 3
    for bits in lengthBits.dropLast() {
      starts.append(start)
      start += 1 << bits
    }
    return starts + [258]
  }()

  private static func distanceStart(_ symbol: Int) -> Int {
    symbol < 4 ? symbol + 1 : ((2 + (symbol & 1)) << (symbol / 2 - 1)) + 1
  }

  private static let fixedLiterals = PrefixCode(
    ([Int](repeating: 8, count: 144) + [Int](repeating: 9, count: 112)
      + [Int](repeating: 7, count: 24) + [Int](repeating: 8, count: 8))[...])
  private static let fixedDistances = PrefixCode([Int](repeating: 5, count: 30)[...])
}

/// A prefix code (RFC 1951 section 3.2.2).
private struct PrefixCode {
  /// The numbers of symbols of one bit, of two, and so on up to fifteen.
  let counts: [Int]
  /// The symbols by their bits, then by their number.
  let symbols: [Int]

  /// Creates the code from each symbol's number of bits; 0 for unused symbols.
  init(_ lengths: ArraySlice<Int>) {
    counts = (1...15).map { length in lengths.count { $0 == length } }
    symbols = (1...15).flatMap { length in
      lengths.indices.filter { lengths[$0] == length }.map { $0 - lengths.startIndex }
    }
  }
}
