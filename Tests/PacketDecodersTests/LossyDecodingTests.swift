// SPDX-License-Identifier: MIT

import AudioModel
import PacketDecoders
import TestKit
import Testing

@Suite("Lossy codecs decoded ahead", .enabled(if: AheadCodec.library(for: .ac3) != nil))
struct LossyDecodingTests {
  static let layouts = [
    Layout("mono", 1, [3]), Layout("stereo", 2, [1, 2]), Layout("3.0", 3, [1, 2, 3]),
    Layout("5.0", 5, [1, 2, 3, 5, 6]), Layout("5.1", 6, [1, 2, 3, 4, 5, 6]),
  ]

  struct Layout: Sendable, CustomStringConvertible {
    let name: String
    let channels: Int
    let labels: [UInt32]

    init(_ name: String, _ channels: Int, _ labels: [UInt32]) {
      self.name = name
      self.channels = channels
      self.labels = labels
    }

    var description: String { name }
  }

  /// Encodes, parses, decodes, and compares with ffmpeg.
  private func check(
    _ workshop: Workshop, _ name: String, _ labels: [UInt32]?
  ) throws -> (file: CodedFile, decoded: CodedFile.Decoded) {
    let file = try CodedFile(workshop.path(name))
    let decoded = try file.decode()
    let reference = workshop.reference(name)
    #expect(decoded.samples.count == reference.count)
    #expect(difference(decoded.samples, reference) < -120)
    #expect(decoded.outputs.allSatisfy { $0.isDecoded && !$0.changesFormat })
    #expect(decoded.layout?.labels == labels)
    #expect(decoded.outputs.map(\.frames) == file.frames)
    return (file, decoded)
  }

  @Test(
    "AC-3 and E-AC-3 decode to ffmpeg's samples, in WAVE's order of channels",
    arguments: [("ac3", "mp4"), ("eac3", "mov")], layouts)
  func dolby(_ kind: (codec: String, type: String), _ layout: Layout) throws {
    let workshop = Workshop()
    try workshop.makeSource(
      layout: layout.name, channels: layout.channels, rate: 48_000, seconds: 0.5)
    let name = "a.\(kind.type)"
    try workshop.run("ffmpeg -v error -i source.wav -c:a \(kind.codec) -b:a 448k \(name)")
    _ = try check(workshop, name, layout.labels)
  }

  @Test(
    "Vorbis decodes to the samples of ffmpeg and oggdec, in WAVE's order of channels",
    arguments: ["libvorbis", "oggenc"], layouts)
  func vorbis(_ encoder: String, _ layout: Layout) throws {
    let workshop = Workshop()
    try workshop.makeSource(layout: layout.name, channels: layout.channels, seconds: 0.5)
    try workshop.run(
      encoder == "oggenc"
        ? "oggenc -Q -q 6 source.wav -o a.ogg"
        : "ffmpeg -v error -i source.wav -c:a libvorbis -q:a 6 a.ogg")
    let (_, decoded) = try check(workshop, "a.ogg", layout.labels)
    // -R keeps the stream's channel order (Vorbis I section 4.3.9): oggdec's own reordering to WAVE is wrong.
    try workshop.run("oggdec -Q -R a.ogg -o a.raw")
    let order = [1: [0], 2: [0, 1], 3: [0, 2, 1], 5: [0, 2, 1, 3, 4], 6: [0, 2, 1, 5, 3, 4]]
    let oggdec = integers(
      contents(ofFile: workshop.path("a.raw")), order: try #require(order[layout.channels]))
    #expect(oggdec.count > 0 && oggdec.count <= decoded.samples.count)
    #expect(difference(decoded.samples, oggdec) < -90)
  }

  @Test("Opus decodes to opusdec's samples, with its pre-skip in front", arguments: [1, 2, 6])
  func opus(_ channels: Int) throws {
    let workshop = Workshop()
    let layout = try #require(Self.layouts.first { $0.channels == channels })
    try workshop.makeSource(
      layout: layout.name, channels: channels, rate: 48_000, seconds: 0.5)
    try workshop.run("opusenc --quiet --bitrate 96 source.wav a.opus")
    let file = try CodedFile(workshop.path("a.opus"))
    let decoded = try file.decode()
    try workshop.run("opusdec --quiet --float a.opus a.wav")
    let opusdec = ReferenceDecoder.ffmpeg(workshop.path("a.wav"))
    let priming = Int(try #require(file.info).primingFrames) * channels
    #expect(priming > 0 && opusdec.count <= decoded.samples.count - priming)
    #expect(difference(Array(decoded.samples.dropFirst(priming)), opusdec) < -120)
    #expect(decoded.layout?.labels == layout.labels)
    #expect(decoded.outputs.map(\.frames) == file.frames)
  }

  @Test(
    "MPEG audio decodes to mpg123's samples, neither shifted nor trimmed",
    arguments: ["libmp3lame", "libtwolame"], [1, 2])
  func mpegAudio(_ encoder: String, _ channels: Int) throws {
    let workshop = Workshop()
    let layout = try #require(Self.layouts.first { $0.channels == channels })
    try workshop.makeSource(layout: layout.name, channels: channels)
    let name = encoder == "libmp3lame" ? "a.mp3" : "a.mp2"
    try workshop.run("ffmpeg -v error -i source.wav -c:a \(encoder) -b:a 128k \(name)")
    let file = try CodedFile(workshop.path(name))
    let decoded = try file.decode()
    let mpg123 = floats(
      ReferenceDecoder.output("mpg123 -q --no-gapless -e f32 -s '\(workshop.path(name))'"))
    #expect(decoded.samples.count == mpg123.count)
    #expect(difference(decoded.samples, mpg123) < -120)
    #expect(decoded.outputs.allSatisfy { $0.isDecoded && $0.frames == 1152 })
  }

  /// Reads frames of 16-bit little-endian samples, with the channels reordered.
  private func integers(_ bytes: [UInt8], order: [Int]) -> [Float] {
    var samples: [Float] = []
    for frame in 0..<bytes.count / 2 / order.count {
      for channel in order {
        let place = 2 * (frame * order.count + channel)
        let bits = UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8
        samples.append(Float(Int16(bitPattern: bits)) / 32_768)
      }
    }
    return samples
  }
}
