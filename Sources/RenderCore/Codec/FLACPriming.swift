// SPDX-License-Identifier: MIT

#if DRAWBAR_FLAC
  /// Frames that make libFLAC allocate, before the render thread sees it, all memory that any frame of any stream can
  /// need. libFLAC grows its buffers to the largest frame so far: those for samples by channels and block size, those
  /// for each channel's partitions by their order, and one more for samples of 32 bits.
  ///
  /// The frames end just behind the fields for which libFLAC allocates, so it decodes next to nothing of them and
  /// touches little of the memory.
  enum FLACPriming {
    /// Eight channels, 32 bits, 48 kHz, blocks of up to 65535.
    static let streamInfo: [UInt8] =
      [0, 16, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0x0B, 0xB8, 0x0F, 0xF0]
      + [UInt8](repeating: 0, count: 20)

    static var frames: [[UInt8]] {
      [
        // The largest block, of 16 bits and of 32, which older versions of the library do not support.
        frame(sizeCode: 7, bitsCode: 4, blockSize: [0xFF, 0xFE], content: []),
        frame(sizeCode: 7, bitsCode: 7, blockSize: [0xFF, 0xFE], content: []),
      ]
        + (0..<8).map { channel in
          // Blocks of 32768 frames: constant subframes, then one of predictor order 0 in 2^15 partitions, the
          // format's maximum.
          frame(
            sizeCode: 15, bitsCode: 4, blockSize: [],
            content: [UInt8](repeating: 0, count: 3 * channel) + [0x10, 0b0011_1100, 0, 0, 0])
        }
    }

    /// Returns a frame of eight channels at 48 kHz without its checksum (RFC 9639 section 9).
    private static func frame(
      sizeCode: UInt8, bitsCode: UInt8, blockSize: [UInt8], content: [UInt8]
    ) -> [UInt8] {
      let header = [0xFF, 0xF8, sizeCode << 4 | 10, 7 << 4 | bitsCode << 1, 0] + blockSize
      return header + [checksum(header)] + content
    }

    /// Returns the CRC-8 with polynomial x^8 + x^2 + x + 1 (section 9.1.8).
    private static func checksum(_ bytes: [UInt8]) -> UInt8 {
      var crc: UInt8 = 0
      for byte in bytes {
        crc ^= byte
        for _ in 0..<8 { crc = crc & 0x80 != 0 ? crc << 1 ^ 0x07 : crc << 1 }
      }
      return crc
    }
  }
#endif
