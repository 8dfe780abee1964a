// SPDX-License-Identifier: MIT

import AudioModel
import PacketDecoders
import TestKit
import Testing

@Suite("AAC decoded ahead", .enabled(if: AheadCodec.library(for: .mpeg4AAC) != nil))
struct AACDecodingTests {
  @Test(
    "AAC in any container decodes to ffmpeg's samples",
    arguments: ["m4a", "mov", "3gp", "aac"])
  func containers(_ type: String) throws {
    let workshop = Workshop()
    try workshop.makeSource()
    try workshop.run("ffmpeg -v error -i source.wav -c:a aac -b:a 128k a.\(type)")
    let file = try CodedFile(workshop.path("a.\(type)"))
    let decoded = try file.decode()
    let reference = workshop.reference("a.\(type)")
    #expect(decoded.samples.count == reference.count)
    #expect(difference(decoded.samples, reference) < -90)
    #expect(decoded.outputs.allSatisfy { $0.isDecoded && $0.frames == 1024 && !$0.changesFormat })
  }

  @Test(
    "HE-AAC decodes at twice the rate of its core, parametric stereo to two channels",
    arguments: ["he-aac-v1.m4a", "he-aac-v1.aac", "he-aac-v2.m4a", "he-aac-v2.aac"])
  func highEfficiency(_ name: String) throws {
    let path = Fixtures.repository + "/Tests/Fixtures/" + name
    let file = try CodedFile(path)
    let decoded = try file.decode()
    let reference = floats(
      ReferenceDecoder.output(
        "ffmpeg -v error -flags2 +skip_manual -i '\(path)' -f f32le -"))
    #expect(decoded.samples.count == reference.count)
    #expect(difference(decoded.samples, reference) < -120)
  }

  @Test("AAC of six channels is decoded in WAVE's order", arguments: ["m4a", "aac"])
  func surround(_ type: String) throws {
    let workshop = Workshop()
    try workshop.makeSource(layout: "5.1", channels: 6)
    try workshop.run("ffmpeg -v error -i source.wav -c:a aac -b:a 448k a.\(type)")
    let decoded = try CodedFile(workshop.path("a.\(type)")).decode()
    #expect(decoded.layout?.labels == [1, 2, 3, 4, 5, 6])
    #expect(difference(decoded.samples, workshop.reference("a.\(type)")) < -120)
    // Skip 1024 frames of the encoder's delay. The band-limited LFE channel is not compared.
    let source = ReferenceDecoder.ffmpeg(workshop.path("source.wav"))
    for channel in [0, 1, 2, 4, 5] {
      let wanted = stride(from: channel, to: source.count, by: 6).map { source[$0] }
      let got = stride(from: 1024 * 6 + channel, to: decoded.samples.count, by: 6).map {
        decoded.samples[$0]
      }
      #expect(
        difference(wanted, got) < difference(wanted, [Float](repeating: 0, count: wanted.count))
          - 10)
    }
  }

  @Test("Every form of the cookie has the same result")
  func cookies() throws {
    let file = try #require(CodedSample.made[.aac])
    let straight = try file.decode()
    let descriptor = file.stream.magicCookie
    #expect(descriptor.first == 3)
    let config: [UInt8] = [0x12, 0x10]
    let atom: [UInt8] =
      [0, 0, 0, UInt8(descriptor.count + 12)] + Array("esds".utf8) + [0, 0, 0, 0]
    for cookie in [config, config + [0x56, 0xE5, 0x00], atom + descriptor] {
      var stream = file.stream
      stream.magicCookie = cookie
      let decoded = file.decode(with: try AheadDecoder(stream))
      #expect(decoded.samples == straight.samples)
    }
  }

  @Test("Explicit HE-AAC decodes alike, whichever of its two formats is stated", arguments: [1, 2])
  func explicitReplication(_ factor: Int) throws {
    let file = try #require(CodedSample.made[.heAAC])
    let straight = try file.decode()
    var stream = file.stream
    // Spectral band replication, 22.05 kHz, two channels, to 44.1 kHz, low complexity.
    stream.magicCookie = [0x2B, 0x92, 0x08, 0x00]
    stream.format.sampleRate *= Double(factor)
    if factor == 2 { stream.format.formatID = .mpeg4HEAAC }
    let decoder = try AheadDecoder(stream)
    var samples: [Float] = []
    for (index, packet) in file.packets.enumerated() {
      let output = decoder.decode(packet.span, frameCount: 1024 * factor)
      #expect(output.frames == 2048 && output.changesFormat == (index == 0 && factor == 1))
      unsafe decoder.samples.withUnsafeBufferPointer { unsafe samples.append(contentsOf: $0) }
    }
    #expect(samples == straight.samples)
  }

  @Test("An ADTS frame of several blocks decodes to the sound of all", arguments: [false, true])
  func severalBlocks(_ hasChecksums: Bool) throws {
    let file = try #require(CodedSample.made[.adts])
    let straight = try file.decode()
    let decoder = try AheadDecoder(file.stream)
    var samples: [Float] = []
    for first in stride(from: 0, to: file.packets.count - 1, by: 2) {
      let packet = Self.joined(file.packets[first], file.packets[first + 1], hasChecksums)
      let output = decoder.decode(packet.span, frameCount: 2048)
      #expect(output.isDecoded && output.frames == 2048)
      unsafe decoder.samples.withUnsafeBufferPointer { unsafe samples.append(contentsOf: $0) }
    }
    #expect(samples == Array(straight.samples.prefix(samples.count)))
  }

  /// Joins two frames of one block into one frame of two blocks. No decoder checks the checksums.
  private static func joined(
    _ one: [UInt8], _ other: [UInt8], _ hasChecksums: Bool
  ) -> [UInt8] {
    var header = Array(one[..<7])
    let blocks = [Array(one[7...]), Array(other[7...])]
    let checksum: [UInt8] = hasChecksums ? [0, 0] : []
    var body: [UInt8] = []
    if hasChecksums {
      let second = blocks[0].count + 2
      body = [UInt8(second >> 8), UInt8(second & 0xFF)] + checksum
      header[1] &= 0xFE
    }
    body += blocks[0] + checksum + blocks[1] + checksum
    let size = 7 + body.count
    header[3] = header[3] & 0xFC | UInt8(size >> 11)
    header[4] = UInt8(size >> 3 & 0xFF)
    header[5] = header[5] & 0x1F | UInt8(size & 7) << 5
    header[6] = header[6] & 0xFC | 1
    return header + body
  }
}
