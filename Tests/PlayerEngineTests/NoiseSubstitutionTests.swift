// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

@testable import PlayerEngine

@Suite("Finding AAC's substituted noise")
struct NoiseSubstitutionTests {
  /// Returns whether substituted noise is found in any packet of encoded pink noise.
  private func isFound(_ options: String, fileExtension: String, channels: Int) throws -> Bool {
    let workshop = Workshop()
    try workshop.run(
      "sox -R -D -n -r 44100 -b 16 -c \(channels) noise.wav synth 5 pinknoise gain -6")
    let name = "out.\(fileExtension)"
    try workshop.run("ffmpeg -v error -i noise.wav -c:a aac -b:a 64k \(options) \(name)")
    let source = MemorySource(try workshop.read(name), .file)
    source.isLocal = true
    let reader = TrackReader(source, location: "memory")
    while try reader.step(timeoutNanoseconds: 0) != .ended {}
    #expect(reader.output.packets.first != nil)
    return reader.driver.listener.substitutesNoise
  }

  @Test(
    "Substituted noise is found if the encoder's option is on, and not if it is off",
    .enabled(if: DecoderChoice(.mpeg4AAC) != nil), arguments: ["m4a", "aac"], [1, 2])
  func encoder(_ fileExtension: String, _ channels: Int) throws {
    #expect(try isFound("", fileExtension: fileExtension, channels: channels))
    #expect(try !isFound("-aac_pns 0", fileExtension: fileExtension, channels: channels))
  }

  private func isNoise(_ packet: [UInt8]) -> Bool { AACBlock.substitutesNoise(packet.span) }

  @Test("Any bytes are scanned to their end at most")
  func anyBytes() {
    var random = SplitMix(state: 1)
    for count in 0..<300 {
      for _ in 0..<20 {
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        _ = isNoise(bytes)
        // These are elements without an end.
        _ = isNoise(bytes.map { $0 & 0x0F | 0xC0 })
      }
    }
  }
}
