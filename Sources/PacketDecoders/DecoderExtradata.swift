// SPDX-License-Identifier: MIT

import AudioModel

/// libavcodec's extradata: a magic cookie in the form that its decoders need.
struct DecoderExtradata {
  /// The most bytes passed on; the largest sensible ones are Vorbis' headers.
  private static let maximumBytes = 1 << 20
  /// The most frames of an Apple Lossless packet, for each of which the decoder has memory in store.
  private static let maximumLosslessFrames: UInt32 = 1 << 20

  let bytes: [UInt8]

  /// - Returns: nil for a cookie that cannot be one of this format.
  init?(_ cookie: [UInt8], format: AudioFormatID) {
    guard cookie.count <= Self.maximumBytes else { return nil }
    let bytes: [UInt8]? =
      switch format {
      case _ where cookie.isEmpty: []
      case .mpeg4AAC, .mpeg4HEAAC, .mpeg4HEAACv2: Self.audioSpecificConfig(cookie)
      case .appleLossless: Self.losslessAtom(cookie)
      case .flac: Self.streamInfo(cookie)
      case .vorbis, .opus: cookie
      // Each packet of AC-3 and MPEG audio has the data that its decoder needs.
      default: []
      }
    guard let bytes else { return nil }
    self.bytes = bytes
  }

  /// Returns the AudioSpecificConfig of an ES_Descriptor (ISO/IEC 14496-1 section 7.2.6.5), alone or in an
  /// `esds` atom, or a bare one.
  private static func audioSpecificConfig(_ cookie: [UInt8]) -> [UInt8]? {
    let start = has("esds", cookie, at: 4) ? 12 : 0
    // Bare, a first byte of 3 would be an object type of 0, which is none.
    guard start < cookie.count, cookie[start] == 3 else { return start == 0 ? cookie : nil }
    let info = ElementaryStreamDescriptor(cookie.span.extracting(start...)).specificInfo
    return info.isEmpty ? nil : info
  }

  /// Returns the 24 bytes of an ALACSpecificConfig, bare or in QuickTime's atoms, as an atom: size, `alac`,
  /// version. The layout behind it is left out: the packets' elements state it as well.
  private static func losslessAtom(_ cookie: [UInt8]) -> [UInt8]? {
    var start = has("frmaalac", cookie, at: 4) ? 12 : 0
    if has("alac", cookie, at: start + 4) { start += 12 }
    guard cookie.count - start >= 24 else { return nil }
    let frames = cookie[start..<start + 4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    guard frames <= maximumLosslessFrames else { return nil }
    return [0, 0, 0, 36] + Array("alac".utf8) + [0, 0, 0, 0] + cookie[start..<start + 24]
  }

  /// Returns the 34 bytes of a STREAMINFO block (RFC 9639 section 8.2), bare or behind its header and the
  /// stream's marker.
  private static func streamInfo(_ cookie: [UInt8]) -> [UInt8]? {
    var start = has("fLaC", cookie, at: 0) ? 4 : 0
    // As STREAMINFO these bytes would be block sizes that contradict each other.
    if cookie.count - start >= 38, cookie[start] & 0x7F == 0,
      cookie[start + 1..<start + 4].elementsEqual([0, 0, 34])
    {
      start += 4
    }
    guard cookie.count - start >= 34 else { return nil }
    return Array(cookie[start..<start + 34])
  }

  private static func has(_ text: StaticString, _ bytes: [UInt8], at place: Int) -> Bool {
    let wanted = Array(text.description.utf8)
    return bytes.count >= place + wanted.count
      && bytes[place..<place + wanted.count].elementsEqual(wanted)
  }
}
