// SPDX-License-Identifier: MIT

import AudioModel

/// The encoder's delay as iTunes writes it into tags (`iTunSMPB`): words of hexadecimal digits, of
/// which the second is the frames before the sound, the third those after it and the fourth those of
/// the sound.
enum ITunesGaplessInfo {
  /// The key of the statement in tags.
  static let key = AudioTagKey(rawValue: "iTunSMPB")

  static func packetTableInfo(_ text: String) -> AudioFilePacketTableInfo? {
    let words = text.split(separator: " ")
    guard words.count >= 4, let priming = Int32(words[1], radix: 16),
      let remainder = Int32(words[2], radix: 16), let valid = Int64(words[3], radix: 16),
      priming >= 0, remainder >= 0, valid > 0, valid < 1 << 48
    else { return nil }
    return AudioFilePacketTableInfo(
      numberValidFrames: valid, primingFrames: priming, remainderFrames: remainder)
  }
}
