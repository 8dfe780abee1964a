// SPDX-License-Identifier: MIT

/// Reads a Vorbis setup header (Vorbis I section 4.2.4) for the long modes, which determine the
/// packets' durations. The modes come last, after parts whose sizes are known only by reading them.
enum VorbisSetup {
  /// Returns whether each mode's blocks are long; nil if the header is invalid.
  static func modes(_ header: Span<UInt8>, channels: Int) -> [Bool]? {
    guard header.has("\u{5}vorbis", at: 0) else { return nil }
    var bits = VorbisBits(place: 7 * 8)
    return modes(header, &bits, channels: channels)
  }

  private static func modes(
    _ header: Span<UInt8>, _ bits: inout VorbisBits, channels: Int
  ) -> [Bool]? {
    for _ in 0...bits.read(8, header) {
      guard passCodebook(header, &bits) else { return nil }
    }
    // Time-domain transforms, which are unused and always 0.
    for _ in 0...bits.read(6, header) where bits.read(16, header) != 0 { return nil }
    for _ in 0...bits.read(6, header) {
      guard passFloor(header, &bits) else { return nil }
    }
    for _ in 0...bits.read(6, header) {
      guard passResidue(header, &bits) else { return nil }
    }
    for _ in 0...bits.read(6, header) {
      guard passMapping(header, &bits, channels: channels) else { return nil }
    }
    var modes: [Bool] = []
    for _ in 0...bits.read(6, header) {
      modes.append(bits.read(1, header) == 1)
      // Window, transform and mapping.
      bits.pass(16 + 16 + 8)
    }
    guard bits.read(1, header) == 1, !bits.isPastEnd(header) else { return nil }
    return modes
  }

  /// Skips a codebook (section 3.2.1).
  private static func passCodebook(_ header: Span<UInt8>, _ bits: inout VorbisBits) -> Bool {
    guard bits.read(24, header) == 0x564342 else { return false }
    let dimensions = bits.read(16, header)
    let entries = bits.read(24, header)
    if bits.read(1, header) == 1 {
      // Lengths in ascending order: the number of entries for each.
      bits.pass(5)
      var entry = 0
      while entry < entries {
        entry += bits.read(width(entries - entry), header)
        if bits.isPastEnd(header) { return false }
      }
      guard entry == entries else { return false }
    } else {
      let isSparse = bits.read(1, header) == 1
      for _ in 0..<entries {
        if !isSparse || bits.read(1, header) == 1 { bits.pass(5) }
        if bits.isPastEnd(header) { return false }
      }
    }
    let lookup = bits.read(4, header)
    guard lookup > 0 else { return !bits.isPastEnd(header) }
    guard lookup <= 2, dimensions > 0 else { return false }
    bits.pass(32 + 32)
    let valueBits = bits.read(4, header) + 1
    bits.pass(1)
    let values = lookup == 1 ? root(entries, dimensions) : entries * dimensions
    bits.pass(values * valueBits)
    return !bits.isPastEnd(header)
  }

  /// Skips a floor (sections 6.2.1 and 7.2.2).
  private static func passFloor(_ header: Span<UInt8>, _ bits: inout VorbisBits) -> Bool {
    switch bits.read(16, header) {
    case 0:
      bits.pass(8 + 16 + 16 + 6 + 8)
      bits.pass((bits.read(4, header) + 1) * 8)
    case 1:
      let classes = (0..<bits.read(5, header)).map { _ in bits.read(4, header) }
      var dimensions: [Int] = []
      for _ in 0..<(classes.max() ?? -1) + 1 {
        dimensions.append(bits.read(3, header) + 1)
        let subclasses = bits.read(2, header)
        if subclasses > 0 { bits.pass(8) }
        bits.pass(8 << subclasses)
      }
      bits.pass(2)
      let rangeBits = bits.read(4, header)
      bits.pass(classes.reduce(0) { $0 + dimensions[$1] } * rangeBits)
    default: return false
    }
    return !bits.isPastEnd(header)
  }

  /// Skips a residue (section 8.6.1).
  private static func passResidue(_ header: Span<UInt8>, _ bits: inout VorbisBits) -> Bool {
    guard bits.read(16, header) <= 2 else { return false }
    bits.pass(24 + 24 + 24)
    let classifications = bits.read(6, header) + 1
    bits.pass(8)
    var books = 0
    for _ in 0..<classifications {
      var cascade = bits.read(3, header)
      if bits.read(1, header) == 1 { cascade |= bits.read(5, header) << 3 }
      books += cascade.nonzeroBitCount
    }
    bits.pass(books * 8)
    return !bits.isPastEnd(header)
  }

  /// Skips a mapping (section 4.2.4, step 4 of the mappings).
  private static func passMapping(
    _ header: Span<UInt8>, _ bits: inout VorbisBits, channels: Int
  ) -> Bool {
    guard bits.read(16, header) == 0 else { return false }
    let submaps = bits.read(1, header) == 1 ? bits.read(4, header) + 1 : 1
    if bits.read(1, header) == 1 {
      bits.pass((bits.read(8, header) + 1) * 2 * width(channels - 1))
    }
    guard bits.read(2, header) == 0 else { return false }
    if submaps > 1 { bits.pass(4 * channels) }
    bits.pass(submaps * 24)
    return !bits.isPastEnd(header)
  }

  /// Returns the bits that a number needs (section 9.2.1).
  private static func width(_ number: Int) -> Int { Int.bitWidth - number.leadingZeroBitCount }

  /// The largest number whose power does not exceed `entries` (section 9.2.3).
  private static func root(_ entries: Int, _ power: Int) -> Int {
    if power == 1 { return entries }
    var root = 0
    while isPower(root + 1, power, notAbove: entries) { root += 1 }
    return root
  }

  private static func isPower(_ base: Int, _ power: Int, notAbove limit: Int) -> Bool {
    guard base > 1 else { return base <= limit }
    var product = 1
    for _ in 0..<power {
      product *= base
      if product > limit { return false }
    }
    return true
  }
}

/// The position of a bit reader; the first bit of a byte is its least significant one (section 2.1.4).
struct VorbisBits {
  private(set) var place: Int

  /// Reads the next number of up to 24 bits; bits past the end are zeros.
  mutating func read(_ count: Int, _ bytes: Span<UInt8>) -> Int {
    var number = 0
    for bit in 0..<count {
      let byte = (place + bit) >> 3
      guard byte < bytes.count else { break }
      number |= Int(bytes[byte] >> UInt8((place + bit) & 7) & 1) << bit
    }
    place += count
    return number
  }

  mutating func pass(_ count: Int) {
    place += count
  }

  func isPastEnd(_ bytes: Span<UInt8>) -> Bool { place > bytes.count * 8 }
}
