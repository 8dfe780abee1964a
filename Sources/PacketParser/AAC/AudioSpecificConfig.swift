// SPDX-License-Identifier: MIT

/// The configuration of an MPEG-4 audio decoder (AudioSpecificConfig, ISO/IEC 14496-3 section 1.6.2.1).
struct AudioSpecificConfig {
  /// The encoding of the core: 2 for AAC LC (ISO/IEC 14496-3 table 1.17).
  private(set) var objectType = 0
  private(set) var sampleRate = 0
  /// 0 if a program config element lists the channels.
  private(set) var channelConfiguration = 0
  private(set) var channels = 0
  private(set) var framesPerPacket = 1024
  /// Frames per second with spectral band replication; nil without it.
  private(set) var extensionSampleRate: Int?
  /// Whether parametric stereo makes stereo from mono.
  private(set) var hasParametricStereo = false

  private static let sampleRates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
    7350,
  ]

  /// Reads a configuration; nil if it is incomplete or invalid.
  init?(_ bytes: [UInt8]) {
    var bits = BitReader(bytes)
    guard let type = Self.objectType(&bits), let rate = Self.sampleRate(&bits),
      let configuration = bits.read(4)
    else { return nil }
    objectType = type
    sampleRate = rate
    channelConfiguration = configuration
    // Explicit signalling: the extension comes first, then the core's type.
    if type == 5 || type == 29 {
      guard let extended = Self.sampleRate(&bits), let core = Self.objectType(&bits) else {
        return nil
      }
      extensionSampleRate = extended
      hasParametricStereo = type == 29
      objectType = core
      if core == 22, bits.read(4) == nil { return nil }
    }
    channels = configuration < 8 ? [0, 1, 2, 3, 4, 5, 6, 8][configuration] : 0
    switch configuration {
    case 11: channels = 7
    case 12, 14: channels = 8
    default: break
    }
    switch objectType {
    case 1...4, 6, 7, 17, 19...23: guard readGeneral(&bits) else { return nil }
    case 39:
      // Enhanced low delay: 512 or 480 frames.
      guard let isShort = bits.read(1) else { return nil }
      framesPerPacket = isShort == 1 ? 480 : 512
    default: break
    }
    if extensionSampleRate == nil { readExtension(&bits) }
    guard sampleRate > 0 else { return nil }
  }

  /// Reads a GASpecificConfig (ISO/IEC 14496-3 section 4.4.1).
  private mutating func readGeneral(_ bits: inout BitReader) -> Bool {
    guard let isShort = bits.read(1), let dependsOnCore = bits.read(1),
      dependsOnCore == 0 || bits.read(14) != nil, let isExtended = bits.read(1)
    else { return false }
    framesPerPacket =
      objectType == 23 ? (isShort == 1 ? 480 : 512) : (isShort == 1 ? 960 : 1024)
    if channelConfiguration == 0 {
      guard let program = AACProgramConfig(&bits), bits.alignToByte(), let comment = bits.read(8),
        bits.skip(comment * 8)
      else { return false }
      channels = program.channelCount
    }
    if objectType == 6 || objectType == 20, bits.read(3) == nil { return false }
    guard isExtended == 1 else { return true }
    if objectType == 22, bits.read(16) == nil { return false }
    if [17, 19, 20, 23].contains(objectType), bits.read(3) == nil { return false }
    return bits.read(1) != nil
  }

  /// Backward compatible signalling, after everything that older decoders read: a sync word, a bit for
  /// spectral band replication, and the same again for parametric stereo.
  private mutating func readExtension(_ bits: inout BitReader) {
    guard bits.left >= 16, bits.read(11) == 0x2B7, Self.objectType(&bits) == 5,
      bits.read(1) == 1, let rate = Self.sampleRate(&bits)
    else { return }
    extensionSampleRate = rate
    guard bits.left >= 12, bits.read(11) == 0x548 else { return }
    hasParametricStereo = bits.read(1) == 1
  }

  private static func objectType(_ bits: inout BitReader) -> Int? {
    guard let type = bits.read(5) else { return nil }
    return type == 31 ? bits.read(6).map { $0 + 32 } : type
  }

  private static func sampleRate(_ bits: inout BitReader) -> Int? {
    guard let index = bits.read(4) else { return nil }
    if index == 15 { return bits.read(24) }
    return index < sampleRates.count ? sampleRates[index] : nil
  }
}
