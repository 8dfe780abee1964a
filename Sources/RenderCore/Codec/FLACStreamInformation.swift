// SPDX-License-Identifier: MIT

#if DRAWBAR_FLAC
  internal import AudioModel

  /// The contents of a FLAC stream's magic cookie: the STREAMINFO block (RFC 9639 section 8.2).
  struct FLACStreamInformation {
    static let byteCount = 34

    /// The block's bytes.
    let bytes: [UInt8]
    /// Most frames of sound in a packet.
    let maximumBlockSize: Int
    let sampleRate: Int

    /// - Parameter magicCookie: the block, bare or in its containers' wrappers: its block header, a file's signature
    ///   before that, or an MP4 file's `dfLa` box. More blocks may follow.
    init(_ magicCookie: [UInt8], channels: Int) throws(AudioConverterError) {
      var block = magicCookie[...]
      // 4 bytes of size, the type, 4 bytes of version and flags.
      if block.dropFirst(4).starts(with: "dfLa".utf8) { block = block.dropFirst(12) }
      if block.starts(with: "fLaC".utf8) { block = block.dropFirst(4) }
      if block.starts(with: [0, 0, 0, 34]) || block.starts(with: [0x80, 0, 0, 34]) {
        block = block.dropFirst(4)
      }
      guard block.count >= Self.byteCount else {
        throw Self.refused("it has \(magicCookie.count) bytes, too few for the stream information")
      }
      bytes = Array(block.prefix(Self.byteCount))
      let stated = Int(bytes[2]) << 8 | Int(bytes[3])
      maximumBlockSize = stated >= 16 ? stated : 65535
      sampleRate = Int(bytes[10]) << 12 | Int(bytes[11]) << 4 | Int(bytes[12]) >> 4
      let streamChannels = Int(bytes[12] >> 1 & 7) + 1
      let bits = Int(bytes[12] & 1) << 4 | Int(bytes[13] >> 4) + 1
      guard streamChannels == channels else {
        throw Self.refused("it has \(streamChannels) channels, the stream \(channels)")
      }
      guard sampleRate > 0, bits >= 4 else {
        throw Self.refused("\(bits) bits a sample at \(sampleRate) Hz cannot be")
      }
    }

    /// Makes the block of a stream that has none, as in some Core Audio files, from the container and the first frame's
    /// header (RFC 9639 section 9.1). Blocks may have any size: a container may state the mean, and the first frame
    /// passed here may be a short last one.
    init(
      _ format: AudioStreamBasicDescription, firstFrame: UnsafeRawBufferPointer
    ) throws(AudioConverterError) {
      let sizes = [0, 8, 12, 0, 16, 20, 24, 32]
      let bits = unsafe firstFrame.count > 3 ? sizes[Int(firstFrame[3] >> 1 & 7)] : 0
      let channels = format.channelsPerFrame
      guard bits > 0, (1...8).contains(channels), format.sampleRate >= 1,
        format.sampleRate < 0x1p20
      else {
        throw Self.refused("there is none, and the first frame does not state the same facts")
      }
      let rate = UInt32(format.sampleRate)
      let packed = rate << 12 | (channels - 1) << 9 | UInt32(bits - 1) << 4
      var made: [UInt8] = [0, 16, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0]
      made += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: packed >> $0) }
      made += [UInt8](repeating: 0, count: Self.byteCount - made.count)
      try self.init(made, channels: Int(channels))
    }

    private static func refused(_ reason: String) -> AudioConverterError {
      .magicCookieRefused(format: "FLAC", reason)
    }
  }
#endif
