// SPDX-License-Identifier: MIT

import AudioModel
import Glibc
import TestKit

/// The files that the tests read, made once by other projects' tools: tests run side by side, and no test may read a
/// file while another one writes it.
enum Samples {
  private static let folder = TemporaryDirectory()

  /// Makes a file of noise and a tone, stereo at 44.1 kHz.
  private static func wave(_ name: String, _ options: String, seconds: Double = 0.25) -> String {
    let path = folder.file(name)
    _ = ReferenceDecoder.output(
      "sox -R -D -V1 -n -r 44100 -c 2 \(options) '\(path)' synth \(seconds) pinknoise sine 997 gain -3"
    )
    return path
  }

  /// A quarter of a second, in 16 bits.
  static let wave16 = wave("s16.wav", "-b 16")
  /// A quarter of a second, in 32 bits.
  static let wave32 = wave("s32.wav", "-b 32")
  /// A twentieth of a second, in 32 bits.
  static let brief32 = wave("brief-s32.wav", "-b 32", seconds: 0.05)
  /// A second, in 32 bits.
  static let second32 = wave("second-s32.wav", "-b 32", seconds: 1)

  /// The same sound as layer III, by lame, without its tag.
  static let mp3: String = {
    let path = folder.file("sound.mp3")
    _ = ReferenceDecoder.output("lame --quiet -t -b 128 '\(wave16)' '\(path)'")
    return path
  }()

  /// Mono, likewise.
  static let monoMP3: String = {
    let path = folder.file("mono.mp3")
    _ = ReferenceDecoder.output("lame --quiet -t -m m -b 64 '\(wave16)' '\(path)'")
    return path
  }()

  /// Returns the output of a shell command, in which `IN` stands for a file.
  static func bytes(_ command: String, of path: String) -> [UInt8] {
    var text = ""
    for word in command.split(separator: " ") { text += (word == "IN" ? "'\(path)'" : word) + " " }
    return ReferenceDecoder.output(text)
  }
}

extension AudioStreamBasicDescription {
  /// Returns the format of interleaved floats of 32 bits.
  static func float(_ rate: Double, _ channels: UInt32) -> AudioStreamBasicDescription {
    .linearPCM(
      sampleRate: rate, channels: channels, bitsPerChannel: 32, flags: [.float, .packed])
  }

  /// Returns the format of interleaved integers of 16 bits.
  static func int16(_ rate: Double, _ channels: UInt32) -> AudioStreamBasicDescription {
    .linearPCM(
      sampleRate: rate, channels: channels, bitsPerChannel: 16, flags: [.signedInteger, .packed])
  }

  /// The same with a buffer for each channel.
  var planar: AudioStreamBasicDescription {
    var result = self
    result.formatFlags.insert(.nonInterleaved)
    result.bytesPerFrame /= channelsPerFrame
    result.bytesPerPacket = result.bytesPerFrame
    return result
  }
}

extension [Int16] {
  /// The samples in memory.
  var rawBytes: [UInt8] {
    flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
  }
}

extension [UInt8] {
  /// The bytes as samples of 16 bits.
  var int16: [Int16] {
    (0..<count / 2).map { Int16(bitPattern: UInt16(self[2 * $0]) | UInt16(self[2 * $0 + 1]) << 8) }
  }

  /// The bytes as floats of 32 bits.
  var floats: [Float] {
    (0..<count / 4).map { index in
      Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(self[4 * index + $1]) << (8 * $1) })
    }
  }
}

/// Writes a file.
func write(_ bytes: [UInt8], to path: String) {
  guard let file = unsafe fopen(path, "w") else { return }
  unsafe fwrite(bytes, 1, bytes.count, file)
  unsafe fclose(file)
}
