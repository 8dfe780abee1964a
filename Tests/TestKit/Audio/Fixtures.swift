// SPDX-License-Identifier: MIT

import Glibc

/// The audio files that `scripts/fixtures` makes with other projects' tools.
public enum Fixtures {
  /// The repository's root, derived from the path of this source file.
  public static var repository: String {
    let parts = #filePath.split(separator: "/").dropLast(4)
    return "/" + parts.joined(separator: "/")
  }

  /// Returns the path of a fixture. Traps with the remedy if the fixture is missing.
  public static func path(_ name: String) -> String {
    let path = repository + "/.build/fixtures/" + name
    precondition(
      unsafe access(path, R_OK) == 0, "\(path) is missing: run scripts/fixtures, or scripts/test")
    return path
  }

  /// Every MPEG audio fixture that the reference decoders decode to sound.
  public static let mpegAudio: [String] =
    [
      "mp1-384-44100-2.mp1", "mp1-mono-48000-1.mp1", "mp2-16000-2.mp2", "mp2-22050-2.mp2",
      "mp2-24000-2.mp2", "mp2-32000-2.mp2", "mp2-192-44100-2.mp2", "mp2-mono-48000-1.mp2",
      "gapless-1.mp3", "gapless-2.mp3", "mp3-997-44100-2.mp3", "mp3-abr160-44100-2.mp3",
      "mp3-cbr128-44100-2.mp3", "mp3-cbr320-44100-2.mp3", "mp3-crc-44100-2.mp3",
      "mp3-free-44100-2.mp3", "mp3-id3-big.mp3", "mp3-joint-44100-2.mp3",
      "mp3-mono-44100-1.mp3", "mp3-notag-44100-2.mp3", "mp3-short-44100-2.mp3",
      "mp3-stereo-44100-2.mp3", "mp3-tags-tail.mp3", "mp3-truncated.mp3",
      "mp3-vbr2-44100-2.mp3",
    ] + cbr(channels: 1) + cbr(channels: 2)

  private static func cbr(channels: Int) -> [String] {
    [8000, 11025, 12000, 16000, 22050, 24000, 32000, 48000].map { "mp3-cbr-\($0)-\(channels).mp3" }
  }

  /// The linear PCM fixtures.
  public static let linearPCM: [String] =
    [
      "gapless-1.wav", "gapless-2.wav", "tone-997-44100-2.wav", "wav-ext-s24-96000-6.wav",
      "wav-one-frame-44100-2.wav", "wav-unknown-size.wav",
    ]
    + ["u8", "s16", "s24", "s32", "f32", "f64"].flatMap {
      ["wav-\($0)-44100-2.wav", "wav-\($0)-48000-1.wav"]
    }
}
