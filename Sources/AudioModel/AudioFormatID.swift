// SPDX-License-Identifier: MIT

/// What a stream's packets are encoded with. Core Audio's `AudioFormatID` (CoreAudioBaseTypes.h).
public struct AudioFormatID: RawRepresentable, Hashable, Sendable {
  /// The four-character code.
  public var rawValue: FourCharacterCode

  /// The format with this code.
  public init(rawValue: FourCharacterCode) {
    self.rawValue = rawValue
  }

  /// Uncompressed samples, laid out as the format flags say: `'lpcm'`.
  public static let linearPCM = AudioFormatID(rawValue: "lpcm")
  /// MPEG-1/2 audio layer I: `'.mp1'`.
  public static let mpegLayer1 = AudioFormatID(rawValue: ".mp1")
  /// MPEG-1/2 audio layer II: `'.mp2'`.
  public static let mpegLayer2 = AudioFormatID(rawValue: ".mp2")
  /// MPEG-1/2/2.5 audio layer III: `'.mp3'`.
  public static let mpegLayer3 = AudioFormatID(rawValue: ".mp3")
  /// ITU-T G.711 A-law: `'alaw'`.
  public static let aLaw = AudioFormatID(rawValue: "alaw")
  /// ITU-T G.711 mu-law: `'ulaw'`.
  public static let muLaw = AudioFormatID(rawValue: "ulaw")

  /// Whether this is one of the three MPEG audio layers.
  public var isMPEGAudio: Bool {
    self == .mpegLayer1 || self == .mpegLayer2 || self == .mpegLayer3
  }
}

extension AudioFormatID: CustomStringConvertible {
  /// The code as four characters.
  public var description: String { rawValue.description }
}

/// What kind of file or stream carries the packets. Core Audio's `AudioFileTypeID` (AudioFile.h).
public struct AudioFileTypeID: RawRepresentable, Hashable, Sendable {
  /// The four-character code.
  public var rawValue: FourCharacterCode

  /// The file type with this code.
  public init(rawValue: FourCharacterCode) {
    self.rawValue = rawValue
  }

  /// A bare MPEG audio layer I stream: `'MPG1'`.
  public static let mpegLayer1 = AudioFileTypeID(rawValue: "MPG1")
  /// A bare MPEG audio layer II stream: `'MPG2'`.
  public static let mpegLayer2 = AudioFileTypeID(rawValue: "MPG2")
  /// A bare MPEG audio layer III stream: `'MPG3'`.
  public static let mpegLayer3 = AudioFileTypeID(rawValue: "MPG3")
  /// RIFF WAVE: `'WAVE'`.
  public static let wave = AudioFileTypeID(rawValue: "WAVE")
}

extension AudioFileTypeID: CustomStringConvertible {
  /// The code as four characters.
  public var description: String { rawValue.description }
}
