// SPDX-License-Identifier: MIT

/// An AIFF or AIFF-C file, right or wrong in any field.
struct SyntheticAIFF {
  /// The compression type; makes the file AIFF-C.
  var compression: String?
  var channels = 2
  var bits = 16
  /// The sampling rate as stored in the file: 44100 Hz.
  var rate: [UInt8] = [0x40, 0x0E, 0xAC, 0x44, 0, 0, 0, 0, 0, 0]
  var bytesPerPacket = 4
  var statedFrames: Int?
  var statedSoundSize: Int?
  /// Bytes between the sound chunk's header and the sound.
  var offset = 0
  var before: [(String, [UInt8])] = []
  var after: [(String, [UInt8])] = []
  var hasSoundFirst = false

  static func chunk(_ id: String, _ content: [UInt8], stated: Int? = nil) -> [UInt8] {
    let pad: [UInt8] = content.count % 2 == 1 ? [0] : []
    return [UInt8](id.utf8) + bigEndian(stated ?? content.count, 4) + content + pad
  }

  func bytes(packets: Int, more: [UInt8] = []) -> [UInt8] {
    var common =
      bigEndian(channels, 2) + bigEndian(statedFrames ?? packets, 4) + bigEndian(bits, 2) + rate
    if let compression { common += [UInt8](compression.utf8) + [0, 0] }
    let format = Self.chunk("COMM", common)
    let samples = SyntheticWave.samples(packets * bytesPerPacket) + more
    let content =
      bigEndian(offset, 4) + bigEndian(0, 4) + [UInt8](repeating: 9, count: offset) + samples
    let sound = Self.chunk("SSND", content, stated: statedSoundSize)
    let body =
      [UInt8]((compression == nil ? "AIFF" : "AIFC").utf8)
      + before.flatMap { Self.chunk($0.0, $0.1) }
      + (hasSoundFirst ? sound + format : format + sound)
      + after.flatMap { Self.chunk($0.0, $0.1) }
    return Self.chunk("FORM", body)
  }
}
