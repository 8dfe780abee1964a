// SPDX-License-Identifier: MIT

/// The head of a raw data block of AAC (ISO/IEC 14496-3 section 4.4.2.1): the part that can be read
/// without decoding the spectrum.
package enum AACBlock {
  /// Bytes examined. They suffice unless long data or fill elements precede the first channel.
  private static let headBytes = 192
  /// The spectral codebook for noise of a stated energy (section 4.6.13).
  private static let noiseCodebook = 13

  /// Whether the block's first channel has bands of which only the energy is coded, which a decoder
  /// fills with its own noise. False if the block cannot be read.
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
      case 0:  // A single channel.
        guard reader.skip(4 + 8), let window = Window(&reader) else { return nil }
        return findNoise(&reader, window)
      case 1:  // A channel pair. The first channel's data come first.
        guard reader.skip(4), let hasCommonWindow = reader.read(1) else { return nil }
        guard hasCommonWindow == 1 else {
          guard reader.skip(8), let window = Window(&reader) else { return nil }
          return findNoise(&reader, window)
        }
        guard let window = Window(&reader), let middleSide = reader.read(2),
          reader.skip(middleSide == 1 ? window.groups * window.bands : 0), reader.skip(8)
        else { return nil }
        return findNoise(&reader, window)
      case 4:  // A data stream element, skipped.
        guard reader.skip(4), let isAligned = reader.read(1), var count = reader.read(8) else {
          return nil
        }
        if count == 255 {
          guard let more = reader.read(8) else { return nil }
          count += more
        }
        guard isAligned == 0 || reader.alignToByte(), reader.skip(8 * count) else { return nil }
      case 6:  // A fill element, skipped.
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

  /// Reads `section_data` (section 4.4.2.7), which assigns codebooks to bands.
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
        // Empty sections could otherwise loop for ever.
        guard length > 0 else { return nil }
        band += length
      }
    }
    return false
  }

  /// The window by `ics_info` (section 4.4.2.1).
  private struct Window {
    /// Scale factor bands that are coded, in each group.
    let bands: Int
    let groups: Int
    /// Bits of a section's length field.
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
