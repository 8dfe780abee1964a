// SPDX-License-Identifier: MIT

import AudioModel

/// The encodings of NeXT and Sun sound files (`soundstruct.h`, `audio_filehdr.h`).
enum NextSoundFormat {
  /// The format of the packets; nil for an encoding that is not supported.
  static func format(
    _ encoding: UInt32, sampleRate: UInt32, channels: UInt32
  ) -> AudioStreamBasicDescription? {
    let rate = Double(sampleRate)
    func linear(_ bits: UInt32, _ flags: AudioFormatFlags) -> AudioStreamBasicDescription {
      .linearPCM(
        sampleRate: rate, channels: channels, bitsPerChannel: bits, flags: flags.union(.packed))
    }
    switch encoding {
    case 1: return .g711(.muLaw, sampleRate: rate, channels: channels)
    case 2: return linear(8, .signedInteger)
    case 3: return linear(16, [.signedInteger, .bigEndian])
    case 4: return linear(24, [.signedInteger, .bigEndian])
    case 5: return linear(32, [.signedInteger, .bigEndian])
    case 6: return linear(32, [.float, .bigEndian])
    case 7: return linear(64, [.float, .bigEndian])
    case 27: return .g711(.aLaw, sampleRate: rate, channels: channels)
    default: return nil
    }
  }

  /// Returns an encoding's name for people.
  static func name(_ encoding: UInt32) -> String {
    switch encoding {
    case 8: "fragmented samples"
    case 10: "a program for a signal processor"
    case 11...16: "fixed-point numbers of a signal processor"
    case 18, 19, 20: "emphasised or compressed samples of NeXT's (number \(encoding))"
    case 23: "G.721 ADPCM"
    case 24: "G.722 ADPCM"
    case 25, 26: "G.723 ADPCM"
    default: "an encoding with the number \(encoding)"
    }
  }
}
