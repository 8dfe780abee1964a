// SPDX-License-Identifier: MIT

/// The kind of file or stream that carries the packets. Core Audio's `AudioFileTypeID` (AudioFile.h).
public struct AudioFileTypeID: RawRepresentable, Hashable, Sendable {
  /// The four-character code.
  public var rawValue: FourCharacterCode

  /// Creates the file type with this code.
  public init(rawValue: FourCharacterCode) {
    self.rawValue = rawValue
  }

  /// A bare MPEG audio layer I stream: `'MPG1'`.
  public static let mpegLayer1 = AudioFileTypeID(rawValue: "MPG1")
  /// A bare MPEG audio layer II stream: `'MPG2'`.
  public static let mpegLayer2 = AudioFileTypeID(rawValue: "MPG2")
  /// A bare MPEG audio layer III stream: `'MPG3'`.
  public static let mpegLayer3 = AudioFileTypeID(rawValue: "MPG3")
  /// AAC in the audio data transport stream format: `'adts'`.
  public static let aacADTS = AudioFileTypeID(rawValue: "adts")
  /// RIFF WAVE: `'WAVE'`.
  public static let wave = AudioFileTypeID(rawValue: "WAVE")
  /// WAVE with 64-bit sizes (EBU Tech 3306): `'RF64'`.
  public static let rf64 = AudioFileTypeID(rawValue: "RF64")
  /// WAVE with 64-bit sizes (ITU-R BS.2088): `'BW64'`.
  public static let bw64 = AudioFileTypeID(rawValue: "BW64")
  /// Sony's Wave64: `'W64f'`.
  public static let wave64 = AudioFileTypeID(rawValue: "W64f")
  /// Audio Interchange File Format: `'AIFF'`.
  public static let aiff = AudioFileTypeID(rawValue: "AIFF")
  /// AIFF with a stated encoding: `'AIFC'`.
  public static let aifc = AudioFileTypeID(rawValue: "AIFC")
  /// NeXT and Sun sound, `.au` and `.snd`: `'NeXT'`.
  public static let next = AudioFileTypeID(rawValue: "NeXT")
  /// Core Audio Format: `'caff'`.
  public static let caf = AudioFileTypeID(rawValue: "caff")
  /// MPEG-4 and QuickTime, sound and pictures: `'mp4f'`.
  public static let mpeg4 = AudioFileTypeID(rawValue: "mp4f")
  /// MPEG-4 with sound alone: `'m4af'`.
  public static let m4a = AudioFileTypeID(rawValue: "m4af")
  /// An MPEG-4 audio book: `'m4bf'`.
  public static let m4b = AudioFileTypeID(rawValue: "m4bf")
  /// 3GPP, `.3gp`: `'3gpp'`.
  public static let threeGPP = AudioFileTypeID(rawValue: "3gpp")
  /// 3GPP2, `.3g2`: `'3gp2'`.
  public static let threeGPP2 = AudioFileTypeID(rawValue: "3gp2")
  /// FLAC's native file: `'flac'`.
  public static let flac = AudioFileTypeID(rawValue: "flac")
  /// Ogg: `'Oggf'`.
  public static let ogg = AudioFileTypeID(rawValue: "Oggf")
  /// A bare AC-3 stream: `'ac-3'`.
  public static let ac3 = AudioFileTypeID(rawValue: "ac-3")
  /// An AMR file: `'amrf'`.
  public static let amr = AudioFileTypeID(rawValue: "amrf")

  /// The type's name for people; the code itself if it has none here.
  public var name: String {
    switch self {
    case .mpegLayer1, .mpegLayer2, .mpegLayer3: "MPEG audio stream"
    case .aacADTS: "ADTS"
    case .wave: "WAVE"
    case .rf64: "RF64"
    case .bw64: "BW64"
    case .wave64: "Wave64"
    case .aiff: "AIFF"
    case .aifc: "AIFF-C"
    case .next: "NeXT/Sun"
    case .caf: "Core Audio Format"
    case .mpeg4: "MPEG-4"
    case .m4a: "MPEG-4 audio"
    case .m4b: "MPEG-4 audio book"
    case .threeGPP: "3GPP"
    case .threeGPP2: "3GPP2"
    case .flac: "FLAC"
    case .ogg: "Ogg"
    case .ac3: "AC-3 stream"
    case .amr: "AMR"
    default: "'\(rawValue)'"
    }
  }
}

extension AudioFileTypeID: CustomStringConvertible {
  /// The code as four characters.
  public var description: String { rawValue.description }
}
