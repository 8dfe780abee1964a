// SPDX-License-Identifier: MIT

import TestKit

extension Workshop {
  /// The number of frames that mpg123 decodes from a file, with the encoder's delay trimmed or not.
  func framesByMPG123(_ name: String, gapless: Bool) throws -> Int {
    try run(
      "mpg123 -q \(gapless ? "" : "--no-gapless") --resync-limit -1 -e s16 -w decoded.wav \(name)")
    let wave = try read("decoded.wav")
    let channels = Int(wave[22])
    return (wave.count - 44) / 2 / channels
  }

  /// The number of packets that ffmpeg's demuxer finds.
  func packetsByFFprobe(_ name: String) throws -> Int {
    try run(
      "ffprobe -v error -count_packets -show_entries stream=nb_read_packets -of csv=p=0 \(name) >count"
    )
    return Int(String(decoding: try read("count").prefix { $0 >= 0x30 }, as: UTF8.self)) ?? -1
  }
}
