// SPDX-License-Identifier: MIT

import AudioModel

/// The four bytes before every MPEG audio frame (ISO/IEC 11172-3 section 2.4.1.3, ISO/IEC 13818-3,
/// and the unofficial MPEG 2.5 for the lowest rates).
///
/// ```
///  31        21 20 19 18 17 16 15   12 11 10  9   8   7 6  5 4   3   2   1 0
/// +------------+-----+-----+--+-------+-----+---+---+-----+-----+---+---+-----+
/// | sync: ones | ver | lay |pr|bitrate| rate|pad|prv| mode| ext | © | or| emph|
/// +------------+-----+-----+--+-------+-----+---+---+-----+-----+---+---+-----+
/// ```
/// The emphasis is ignored: its reserved value occurs and is harmless.
struct MPEGAudioHeader: Equatable {
  enum Version: Equatable {
    case mpeg1, mpeg2, mpeg25
  }

  var word: UInt32

  /// Reads the header in this word; nil if no frame begins with it.
  init?(_ word: UInt32) {
    guard word & 0xFFE0_0000 == 0xFFE0_0000,
      (word >> 19) & 3 != 1,  // version 01 is reserved
      (word >> 17) & 3 != 0,  // layer 00 is reserved (an ADTS header has it)
      (word >> 12) & 15 != 15,
      (word >> 10) & 3 != 3
    else { return nil }
    self.word = word
  }

  var version: Version {
    switch (word >> 19) & 3 {
    case 3: .mpeg1
    case 2: .mpeg2
    default: .mpeg25
    }
  }

  /// The layer: 1, 2 or 3.
  var layer: Int { 4 - Int((word >> 17) & 3) }
  var bitRateIndex: Int { Int((word >> 12) & 15) }
  /// Whether no bit rate is stated, so that the distance to the next header determines the size.
  var isFreeFormat: Bool { bitRateIndex == 0 }
  var isPadded: Bool { word & 0x200 != 0 }
  var isMono: Bool { (word >> 6) & 3 == 3 }
  var channels: UInt32 { isMono ? 1 : 2 }

  /// The sample rate in Hz.
  var sampleRate: Int {
    let rate = [44_100, 48_000, 32_000][Int((word >> 10) & 3)]
    return switch version {
    case .mpeg1: rate
    case .mpeg2: rate / 2
    case .mpeg25: rate / 4
    }
  }

  /// Bits per second; 0 in free format.
  var bitRate: Int {
    Self.kilobitsPerSecond(version: version, layer: layer)[bitRateIndex] * 1000
  }

  var framesPerPacket: Int {
    switch (layer, version) {
    case (1, _): 384
    case (3, .mpeg2), (3, .mpeg25): 576
    default: 1152
    }
  }

  /// Bytes that padding adds: one slot.
  var slotBytes: Int { layer == 1 ? 4 : 1 }

  /// Bytes of side information after the header in layer III; a Xing tag follows them.
  var sideInformationBytes: Int {
    switch (version, isMono) {
    case (.mpeg1, false): 32
    case (.mpeg1, true), (_, false): 17
    case (_, true): 9
    }
  }

  /// The fewest bytes of a frame: those before any sample.
  var minimumFrameBytes: Int {
    layer == 3 ? 4 + sideInformationBytes : 4 + slotBytes
  }

  /// Returns the bytes of an unpadded frame at a bit rate that is not free format.
  func unpaddedFrameBytes(bitRate: Int) -> Int {
    framesPerPacket / 8 / slotBytes * bitRate / sampleRate * slotBytes
  }

  /// Bytes of this frame, header included; nil in free format.
  var frameBytes: Int? {
    isFreeFormat ? nil : unpaddedFrameBytes(bitRate: bitRate) + (isPadded ? slotBytes : 0)
  }

  /// Whether two headers agree in the fields that all frames of a stream share: sync, version, layer
  /// and rate, and whether there is one channel.
  func isConsistent(with other: MPEGAudioHeader) -> Bool {
    (word ^ other.word) & 0xFFFE_0C00 == 0 && isMono == other.isMono
      && isFreeFormat == other.isFreeFormat
  }

  /// Bit rates by index, ISO/IEC 11172-3 and 13818-3 section 2.4.2.3; 0 is free format.
  static func kilobitsPerSecond(version: Version, layer: Int) -> [Int] {
    switch (version, layer) {
    case (.mpeg1, 1): [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448]
    case (.mpeg1, 2): [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
    case (.mpeg1, _): [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    case (_, 1): [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256]
    default: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    }
  }

  /// The data format of such frames.
  var dataFormat: AudioStreamBasicDescription {
    let formatID: AudioFormatID =
      switch layer {
      case 1: .mpegLayer1
      case 2: .mpegLayer2
      default: .mpegLayer3
      }
    return AudioStreamBasicDescription(
      sampleRate: Double(sampleRate), formatID: formatID,
      framesPerPacket: UInt32(framesPerPacket), channelsPerFrame: channels)
  }

  /// The type of a file of such frames.
  var fileFormat: AudioFileTypeID {
    switch layer {
    case 1: .mpegLayer1
    case 2: .mpegLayer2
    default: .mpegLayer3
    }
  }
}
