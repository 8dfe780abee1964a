// SPDX-License-Identifier: MIT

#if DRAWBAR_OPUS
  /// The contents of an Opus stream's magic cookie: the identification header (RFC 7845 section 5.1).
  struct OpusHeader {
    let streams: Int
    /// The number of stereo streams, which come first.
    let coupledStreams: Int
    /// The decoded channel that each output channel plays; 255 is silence.
    let mapping: [UInt8]
    /// Gain to apply, in 1/256 dB.
    let gain: Int

    /// - Parameter magicCookie: the header. Without one (Core Audio files have none) the stream is
    ///   mono or stereo, at its own level.
    init(_ magicCookie: [UInt8], channels: Int) throws(AudioConverterError) {
      let header = magicCookie.isEmpty ? Self.plain(channels: channels) : magicCookie
      guard header.count >= 19, header.starts(with: "OpusHead".utf8) else {
        throw Self.refused("it is no identification header")
      }
      guard header[8] & 0xF0 == 0 else { throw Self.refused("version \(header[8]) is not known") }
      guard channels > 0, Int(header[9]) == channels else {
        throw Self.refused("it has \(header[9]) channels, the stream \(channels)")
      }
      gain = Int(Int16(bitPattern: UInt16(header[17]) << 8 | UInt16(header[16])))
      switch header[18] {
      case 0:
        guard channels <= 2 else { throw Self.refused("family 0 has no \(channels) channels") }
        streams = 1
        coupledStreams = channels - 1
        mapping = Array([0, 1].prefix(channels))
      case 1, 255:
        guard header.count >= 21 + channels, header[18] == 255 || channels <= 8 else {
          throw Self.refused("family \(header[18]) with \(channels) channels is cut or cannot be")
        }
        streams = Int(header[19])
        coupledStreams = Int(header[20])
        mapping = Array(header[21..<21 + channels])
        let decoded = streams + coupledStreams
        guard streams > 0, coupledStreams <= streams, decoded <= 255,
          mapping.allSatisfy({ $0 == 255 || Int($0) < decoded })
        else { throw Self.refused("it maps channels to streams that are not there") }
      case let family:
        throw AudioConverterError.formatNotSupported("Opus of channel mapping family \(family)")
      }
    }

    /// Returns a header of version 1, no pre-skip, 48 kHz, no gain, family 0, which refuses more than two channels.
    private static func plain(channels: Int) -> [UInt8] {
      [UInt8]("OpusHead".utf8) + [1, UInt8(clamping: channels), 0, 0, 0x80, 0xBB, 0, 0, 0, 0, 0]
    }

    private static func refused(_ reason: String) -> AudioConverterError {
      .magicCookieRefused(format: "Opus", reason)
    }
  }
#endif
