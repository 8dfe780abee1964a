// SPDX-License-Identifier: MIT

/// The head of a raw data block of AAC (ISO/IEC 14496-3 section 4.4.2.1), as far as it is read without
/// decoding the spectrum.
package enum AACBlock {
  /// Bytes in which all that is read here lies, but for a block that begins with much that is no sound.
  private static let headBytes = 192
  /// The spectral codebook that stands for noise of a given energy (section 4.6.13).
  private static let noiseCodebook = 13

  /// Whether the block's first channel has bands of which only the energy is coded, to be filled with the
  /// decoder's own noise. False for what cannot be read.
  ///
  /// - Parameter packet: a block, or an ADTS frame with its header.
  package static func substitutesNoise(_ packet: Span<UInt8>) -> Bool {
    var start = 0
    // A bare block does not begin with these bits: its first element would be the end.
    if packet.count > 7, packet[0] == 0xFF, packet[1] & 0xF6 == 0xF0 {
      start = packet[1] & 1 == 0 ? 9 : 7
    }
    guard packet.count > start else { return false }
    let end = min(packet.count, start + headBytes)
    var reader = BitReader(packet.extracting(start..<end).bytes)
    return findNoise(&reader) ?? false
  }

  private static func findNoise(_ reader: inout BitReader) -> Bool? {
    while let element = reader.read(3) {
      switch element {
      case 0:  // One channel.
        guard reader.skip(4 + 8), let window = Window(&reader) else { return nil }
        return findNoise(&reader, window)
      case 1:  // A pair, of which the first comes first.
        guard reader.skip(4), let hasCommonWindow = reader.read(1) else { return nil }
        guard hasCommonWindow == 1 else {
          guard reader.skip(8), let window = Window(&reader) else { return nil }
          return findNoise(&reader, window)
        }
        guard let window = Window(&reader), let middleSide = reader.read(2),
          reader.skip(middleSide == 1 ? window.groups * window.bands : 0), reader.skip(8)
        else { return nil }
        return findNoise(&reader, window)
      case 4:  // Data for somebody else.
        guard reader.skip(4), let isAligned = reader.read(1), var count = reader.read(8) else {
          return nil
        }
        if count == 255 {
          guard let more = reader.read(8) else { return nil }
          count += more
        }
        guard isAligned == 0 || reader.alignToByte(), reader.skip(8 * count) else { return nil }
      case 6:  // Filling.
        guard var count = reader.read(4) else { return nil }
        if count == 15 {
          guard let more = reader.read(8) else { return nil }
          count += more - 1
        }
        guard reader.skip(8 * count) else { return nil }
      default: return nil
      }
    }
    return nil
  }

  /// Section 4.4.2.7, `section_data`: which codebook is for which bands.
  private static func findNoise(_ reader: inout BitReader, _ window: Window) -> Bool? {
    let escape = (1 << window.lengthBits) - 1
    for _ in 0..<window.groups {
      var band = 0
      while band < window.bands {
        guard let codebook = reader.read(4) else { return nil }
        var length = 0
        while true {
          guard let part = reader.read(window.lengthBits) else { return nil }
          length += part
          if part != escape { break }
        }
        if codebook == noiseCodebook, length > 0 { return true }
        // Sections of no bands must not go on for ever.
        guard length > 0 else { return nil }
        band += length
      }
    }
    return false
  }

  /// Section 4.4.2.1, `ics_info`.
  private struct Window {
    /// Scale factor bands that are coded, in each group.
    let bands: Int
    let groups: Int
    /// Of a section's length.
    let lengthBits: Int

    /// - Returns: nil for a window with a prediction, whose length depends on the profile.
    init?(_ reader: inout BitReader) {
      guard reader.skip(1), let sequence = reader.read(2), reader.skip(1) else { return nil }
      if sequence == 2 {
        guard let bands = reader.read(4), let grouping = reader.read(7) else { return nil }
        self.bands = bands
        // Each bit that is not set begins another group.
        groups = 8 - grouping.nonzeroBitCount
        lengthBits = 3
      } else {
        guard let bands = reader.read(6), reader.read(1) == 0 else { return nil }
        self.bands = bands
        groups = 1
        lengthBits = 5
      }
    }
  }
}
