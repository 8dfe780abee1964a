// SPDX-License-Identifier: MIT

import AudioModel

/// The stated encoding of a track's samples: an entry of `stsd` (ISO/IEC 14496-12 section 12.2.3;
/// QuickTime File Format, "Sound Sample Descriptions").
/// ```
/// reserved (48) | data reference (16) | version (16) | revision (16) | vendor (32) | channels (16)
/// bits (16) | compression (16) | packet size (16) | rate (16.16)
/// ```
struct SampleEntry {
  /// Bytes up to and including the rate, after the box's header.
  static let fixedBytes = 28
  /// Bytes including QuickTime's longest version.
  static let maximumBytes = fixedBytes + 36

  var type: FourCharacterCode
  private(set) var version = 0
  private(set) var channels = 0
  private(set) var bits = 0
  private(set) var sampleRate = 0.0
  /// QuickTime's versions 1 and 2: frames in a packet, and bytes of a frame or packet of all channels.
  private(set) var framesPerPacket = 0
  private(set) var bytesPerFrame = 0
  /// QuickTime's version 2: Core Audio's own flags.
  private(set) var flags: UInt32?

  /// The content of the inner boxes.
  private(set) var elementaryStream: ElementaryStreamDescriptor?
  /// The data for a decoder, in the form of `AudioFileStream.magicCookieData`.
  private(set) var cookie: [UInt8] = []
  private(set) var isLittleEndian: Bool?
  private(set) var sampleBits: Int?
  private(set) var statedLayout: AudioChannelLayout?
  private(set) var ac3Mode: AC3Mode?

  /// Reads the fields before the inner boxes; nil if they are incomplete.
  ///
  /// - Parameter hasExtension: whether QuickTime's longer versions are possible.
  init?(_ type: FourCharacterCode, _ bytes: Span<UInt8>, hasExtension: Bool) {
    guard bytes.count >= Self.fixedBytes else { return nil }
    self.type = type
    version = hasExtension ? Int(bytes.bigEndian16(at: 8)) : 0
    guard bytes.count >= Self.fixedBytes + extensionBytes else { return nil }
    channels = Int(bytes.bigEndian16(at: 16))
    bits = Int(bytes.bigEndian16(at: 18))
    sampleRate = Double(bytes.bigEndian32(at: 24)) / 65_536
    if version == 1 {
      framesPerPacket = Int(bytes.bigEndian32(at: 28))
      bytesPerFrame = Int(bytes.bigEndian32(at: 36))
    } else if version == 2 {
      sampleRate = Double(bitPattern: bytes.bigEndian64(at: 32))
      channels = Int(bytes.bigEndian32(at: 40))
      bits = Int(bytes.bigEndian32(at: 48))
      flags = bytes.bigEndian32(at: 52)
      bytesPerFrame = Int(bytes.bigEndian32(at: 56))
      framesPerPacket = Int(bytes.bigEndian32(at: 60))
    }
  }

  /// Creates an entry without content.
  init(_ type: FourCharacterCode) {
    self.type = type
  }

  /// Bytes of the longer versions, after the rate.
  var extensionBytes: Int { version == 1 ? 16 : version == 2 ? 36 : 0 }

  /// Whether the data that a decoder needs are present.
  var isComplete: Bool {
    switch type {
    case "mp4a": elementaryStream != nil
    case "alac", "fLaC", "Opus": !cookie.isEmpty
    default: true
    }
  }

  /// Whether a box within an entry is read.
  static func isUsed(_ box: FourCharacterCode) -> Bool {
    switch box {
    case "esds", "alac", "dfLa", "dOps", "dac3", "dec3", "enda", "pcmC", "chan": true
    default: false
    }
  }

  /// Reads a box within the entry or within its `wave` box.
  mutating func take(_ box: FourCharacterCode, _ content: Span<UInt8>) {
    switch box {
    case "esds":
      guard content.count > 4 else { return }
      let descriptor = content.extracting(4..<content.count)
      elementaryStream = ElementaryStreamDescriptor(descriptor)
      cookie = descriptor.bytes
    case "alac":
      guard type == "alac", content.count >= 28 else { return }
      cookie = content.extracting(4..<content.count).bytes
    case "dfLa":
      // The stream information is the first metadata block.
      guard content.count >= 42, content[4] & 0x7F == 0 else { return }
      cookie = content.extracting(8..<42).bytes
    case "dOps": cookie = Self.opusHeader(content)
    case "dac3", "dec3": ac3Mode = AC3Mode(content, isEnhanced: box == "dec3")
    case "enda": if content.count >= 2 { isLittleEndian = content.bigEndian16(at: 0) == 1 }
    case "pcmC":
      guard content.count >= 6 else { return }
      isLittleEndian = content[4] & 1 == 1
      sampleBits = Int(content[5])
    case "chan":
      // The layout follows a version.
      guard content.count > 4 else { return }
      statedLayout = StoredChannelLayout.read(content.extracting(4..<content.count))
    default: break
    }
  }

  /// Builds the Ogg identification header (RFC 7845 section 5.1) from `dOps`, whose numbers have the
  /// opposite byte order.
  private static func opusHeader(_ box: Span<UInt8>) -> [UInt8] {
    guard box.count >= 11 else { return [] }
    var header = [UInt8]("OpusHead".utf8)
    header += [1, box[1], box[3], box[2], box[7], box[6], box[5], box[4], box[9], box[8], box[10]]
    if box[10] != 0 {
      for index in 11..<min(box.count, 13 + Int(box[1])) { header.append(box[index]) }
    }
    return header
  }
}

/// The channels of AC-3 and E-AC-3 (`dac3` and `dec3`, ETSI TS 102 366 annex F).
struct AC3Mode {
  private var mode: Int
  private var hasLowFrequency: Bool

  init?(_ box: Span<UInt8>, isEnhanced: Bool) {
    // dac3: rate code (2) | version (5) | service (3) | mode (3) | low frequency (1) | ...
    // dec3: bit rate (13) | substreams (3), then rate code (2) | version (5) | reserved (1)
    //       | mixed (1) | service (3) | mode (3) | low frequency (1) | ...
    guard box.count >= (isEnhanced ? 5 : 3) else { return nil }
    mode = Int(isEnhanced ? box[3] >> 1 & 7 : box[1] >> 3 & 7)
    hasLowFrequency = (isEnhanced ? box[3] & 1 : box[1] >> 2 & 1) == 1
  }

  var channels: Int { [2, 1, 2, 3, 3, 4, 4, 5][mode] + (hasLowFrequency ? 1 : 0) }

  /// The channels in stream order; none for two separate programs.
  var layout: AudioChannelLayout? {
    let labels: [[UInt32]] = [
      [], [3], [1, 2], [1, 3, 2], [1, 2, 9], [1, 3, 2, 9], [1, 2, 5, 6], [1, 3, 2, 5, 6],
    ]
    guard mode > 0 else { return nil }
    return AudioChannelLayout(labels: labels[mode] + (hasLowFrequency ? [4] : []))
  }
}
