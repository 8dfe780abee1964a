// SPDX-License-Identifier: MIT

import AudioModel

/// Frame counts for files whose packets have one size. The last packet may be shorter: encoders need
/// not fill a block of ADPCM.
extension AudioStreamBasicDescription {
  /// Frames in a packet with fewer bytes than the others; 0 if only complete packets can be decoded.
  func frames(ofShortPacket byteCount: Int64) -> Int64 {
    let channels = Int64(channelsPerFrame)
    guard channels > 0, byteCount < bytesPerPacket else { return 0 }
    let frames: Int64
    switch formatID {
    case .waveIMAADPCM:
      // A header with one frame, then groups of eight.
      let codes = byteCount - 4 * channels
      frames = codes < 0 ? 0 : 1 + codes / (4 * channels) * 8
    case .microsoftADPCM:
      // A header with two frames, then half a byte for each sample.
      let codes = byteCount - 7 * channels
      frames = codes < 0 ? 0 : 2 + codes * 2 / channels
    case .appleIMA4:
      // The channels follow one another, so only the last one's codes are short.
      frames = 2 * max(0, byteCount - 34 * (channels - 1) - 2)
    default: return 0
    }
    return min(frames, Int64(framesPerPacket))
  }

  /// Packets of one size in `byteCount` bytes, including a short last one.
  func packets(inBytes byteCount: Int64) -> Int64 {
    let size = Int64(bytesPerPacket)
    guard size > 0 else { return 0 }
    return byteCount / size + (frames(ofShortPacket: byteCount % size) > 0 ? 1 : 0)
  }

  /// Frames in `byteCount` bytes, limited to 2 to the 60th: a server may claim any length.
  func frames(inBytes byteCount: Int64) -> Int64 {
    let size = Int64(bytesPerPacket)
    guard size > 0 else { return 0 }
    let whole = Int64(framesPerPacket).multipliedReportingOverflow(by: byteCount / size)
    guard !whole.overflow, whole.partialValue < 1 << 60 else { return 1 << 60 }
    return whole.partialValue + frames(ofShortPacket: byteCount % size)
  }

  /// `byteCount` without bytes at the end that hold no frame.
  func usableBytes(of byteCount: Int64) -> Int64 {
    let rest = byteCount % max(1, Int64(bytesPerPacket))
    return frames(ofShortPacket: rest) > 0 ? byteCount : byteCount - rest
  }
}
