// SPDX-License-Identifier: MIT

/// The encoding of a stream's packets. Core Audio's `AudioFormatID` (CoreAudioBaseTypes.h).
public struct AudioFormatID: RawRepresentable, Hashable, Sendable {
  /// The four-character code.
  public var rawValue: FourCharacterCode

  /// Creates the format with this code.
  public init(rawValue: FourCharacterCode) {
    self.rawValue = rawValue
  }

  /// Uncompressed samples, laid out by the format flags: `'lpcm'`.
  public static let linearPCM = AudioFormatID(rawValue: "lpcm")
  /// MPEG-1/2 audio layer I: `'.mp1'`.
  public static let mpegLayer1 = AudioFormatID(rawValue: ".mp1")
  /// MPEG-1/2 audio layer II: `'.mp2'`.
  public static let mpegLayer2 = AudioFormatID(rawValue: ".mp2")
  /// MPEG-1/2/2.5 audio layer III: `'.mp3'`.
  public static let mpegLayer3 = AudioFormatID(rawValue: ".mp3")
  /// MPEG-4 AAC, low complexity and the other plain profiles: `'aac '`.
  public static let mpeg4AAC = AudioFormatID(rawValue: "aac ")
  /// MPEG-4 HE-AAC, with spectral band replication: `'aach'`.
  public static let mpeg4HEAAC = AudioFormatID(rawValue: "aach")
  /// MPEG-4 HE-AAC v2, which adds parametric stereo: `'aacp'`.
  public static let mpeg4HEAACv2 = AudioFormatID(rawValue: "aacp")
  /// MPEG-4 AAC low delay: `'aacl'`.
  public static let mpeg4AACLD = AudioFormatID(rawValue: "aacl")
  /// MPEG-4 AAC enhanced low delay: `'aace'`.
  public static let mpeg4AACELD = AudioFormatID(rawValue: "aace")
  /// Apple Lossless: `'alac'`.
  public static let appleLossless = AudioFormatID(rawValue: "alac")
  /// Free Lossless Audio Codec (RFC 9639): `'flac'`.
  public static let flac = AudioFormatID(rawValue: "flac")
  /// Opus (RFC 6716): `'opus'`.
  public static let opus = AudioFormatID(rawValue: "opus")
  /// Vorbis I: `'vorb'`. Core Audio has no code for it; this one is ours.
  public static let vorbis = AudioFormatID(rawValue: "vorb")
  /// Apple's IMA 4:1 ADPCM, 64 frames in 34 bytes a channel: `'ima4'`.
  public static let appleIMA4 = AudioFormatID(rawValue: "ima4")
  /// ITU-T G.711 A-law: `'alaw'`.
  public static let aLaw = AudioFormatID(rawValue: "alaw")
  /// ITU-T G.711 mu-law: `'ulaw'`.
  public static let muLaw = AudioFormatID(rawValue: "ulaw")
  /// Dolby Digital (ATSC A/52): `'ac-3'`.
  public static let ac3 = AudioFormatID(rawValue: "ac-3")
  /// Dolby Digital Plus (ATSC A/52 annex E): `'ec-3'`.
  public static let enhancedAC3 = AudioFormatID(rawValue: "ec-3")
  /// Adaptive multi-rate, narrow band (3GPP TS 26.071): `'samr'`.
  public static let amr = AudioFormatID(rawValue: "samr")
  /// Adaptive multi-rate, wide band (3GPP TS 26.171): `'sawb'`.
  public static let amrWideBand = AudioFormatID(rawValue: "sawb")
  /// Microsoft ADPCM, WAVE format 2: `'ms\0\2'`.
  public static let microsoftADPCM = AudioFormatID(waveFormatTag: 0x02)
  /// IMA (DVI) ADPCM of WAVE, format 11 hexadecimal: `'ms\0\21'`.
  public static let waveIMAADPCM = AudioFormatID(waveFormatTag: 0x11)
  /// GSM 6.10 of WAVE, format 31 hexadecimal: `'ms\01'`.
  public static let microsoftGSM = AudioFormatID(waveFormatTag: 0x31)
  /// GSM 06.10 in frames of 33 bytes, for AIFF-C and QuickTime: `'GSM '`. Core Audio has no code for
  /// it; this one is AIFF-C's.
  public static let gsm = AudioFormatID(rawValue: "GSM ")

  /// Creates Core Audio's code for an encoding that is only registered for WAVE (RFC 2361): `'ms'` and
  /// the format tag.
  public init(waveFormatTag: UInt16) {
    rawValue = FourCharacterCode(rawValue: 0x6D73_0000 | UInt32(waveFormatTag))
  }

  /// Whether this is one of the three MPEG audio layers.
  public var isMPEGAudio: Bool {
    self == .mpegLayer1 || self == .mpegLayer2 || self == .mpegLayer3
  }

  /// The encoding's name for people; the code itself if it has none here.
  public var name: String {
    switch self {
    case .linearPCM: "linear PCM"
    case .mpegLayer1: "MPEG audio layer I"
    case .mpegLayer2: "MPEG audio layer II"
    case .mpegLayer3: "MPEG audio layer III"
    case .mpeg4AAC: "AAC"
    case .mpeg4HEAAC: "HE-AAC"
    case .mpeg4HEAACv2: "HE-AAC v2"
    case .mpeg4AACLD: "AAC low delay"
    case .mpeg4AACELD: "AAC enhanced low delay"
    case .appleLossless: "Apple Lossless"
    case .flac: "FLAC"
    case .opus: "Opus"
    case .vorbis: "Vorbis"
    case .appleIMA4: "Apple IMA 4:1 ADPCM"
    case .aLaw: "A-law"
    case .muLaw: "mu-law"
    case .ac3: "AC-3"
    case .enhancedAC3: "E-AC-3"
    case .amr: "AMR"
    case .amrWideBand: "AMR wide band"
    case .microsoftADPCM: "Microsoft ADPCM"
    case .waveIMAADPCM: "IMA ADPCM"
    case .microsoftGSM, .gsm: "GSM 6.10"
    default: "'\(rawValue)'"
    }
  }
}

extension AudioFormatID: CustomStringConvertible {
  /// The code as four characters.
  public var description: String { rawValue.description }
}
