// SPDX-License-Identifier: MIT

import AudioConversion
import AudioModel
import PacketDecoders
import TestKit
import Testing

@Suite(
  "Formats that are decoded ahead", .enabled(if: AheadCodec.library(for: .mpeg4AAC) != nil))
struct AheadCodecTests {
  private let folder = TemporaryDirectory()

  /// Encodes the sound with ffmpeg, and returns the path.
  private func encoded(_ name: String, _ options: String) throws -> String {
    let path = folder.file(name)
    _ = Samples.bytes(
      "ffmpeg -v error -i IN \(options) -movflags +faststart '\(path)'", of: Samples.wave16)
    return path
  }

  private func untrimmed(_ path: String) -> [Float] {
    Samples.bytes(
      "ffmpeg -v error -flags2 +skip_manual -ignore_editlist 1 -i IN -f f32le -", of: path
    ).floats
  }

  @Test("AAC yields every frame of every packet, encoder delay included, as ffmpeg decodes them")
  func aac() throws {
    let path = try encoded("a.m4a", "-c:a aac -b:a 128k")
    let file = try PacketFile(path: path)
    let expected = untrimmed(path)
    for (fill, run) in [(4096, 8), (7, 1), (1000, 3)] {
      let ours = try Puller(file, to: .float(44100, 2), packetsPerRun: run).drain(fill)[0].floats
      #expect(ours.count == file.count * 1024 * 2)
      #expect(ours.count == expected.count)
      #expect(zip(ours, expected).allSatisfy { abs($0 - $1) < 1e-3 })
    }
  }

  @Test("With the priming frames set, the sound begins with its first frame")
  func priming() throws {
    let file = try PacketFile(path: try encoded("a.m4a", "-c:a aac -b:a 256k"))
    let info = try #require(file.tableInfo)
    let puller = try Puller(file, to: .int16(44100, 2))
    try puller.converter.setPrimeInfo(
      .init(
        leadingFrames: UInt32(info.primingFrames), trailingFrames: UInt32(info.remainderFrames)))
    let ours = puller.drain()[0].int16
    let sound = try PacketFile(path: Samples.wave16).bytes.int16
    #expect(ours.count / 2 == Int(info.numberValidFrames) + Int(info.remainderFrames))
    // The encoding is lossy, so the samples are compared for similarity, which a shift of one frame reduces.
    func distance(_ shift: Int) -> Double {
      (2000..<18000).reduce(0.0) { sum, index in
        let error = Double(ours[index + 2 * shift]) - Double(sound[index])
        return sum + error * error
      }
    }
    #expect(distance(0) < distance(1) && distance(0) < distance(-1))
  }

  @Test("Apple Lossless restores the input bit for bit")
  func lossless() throws {
    let file = try PacketFile(path: try encoded("a.m4a", "-c:a alac"))
    let wave = try PacketFile(path: Samples.wave16)
    let puller = try Puller(file, to: wave.format, packetsPerRun: 3)
    for fill in [333, 4096] {
      let ours = puller.drain(fill)[0]
      // The last packet is shorter than the format states, and states its own length.
      #expect(ours == wave.bytes)
      puller.converter.reset()
      puller.next = 0
    }
    #expect(puller.converter.failedPacketCount == 0)
  }

  @Test("A magic cookie may be set later; until then nothing is decoded")
  func lateCookie() throws {
    var file = try PacketFile(path: try encoded("a.m4a", "-c:a alac"))
    let cookie = file.stream.magicCookie
    file.stream.magicCookie = []
    let wave = try PacketFile(path: Samples.wave16)
    let puller = try Puller(file, to: wave.format)
    #expect(puller.fill(100).1.code == 0x666D_743F)
    try puller.converter.setMagicCookie(cookie)
    #expect(puller.converter.magicCookie == cookie)
    puller.next = 0
    #expect(Array(puller.drain()[0].prefix(wave.bytes.count)) == wave.bytes)
  }

  /// Returns the samples of a file decoded from a packet on.
  ///
  /// - Parameter isStated: whether the packets come with the frames that the parser states.
  private func decoded(_ file: PacketFile, isStated: Bool, from first: Int = 0) throws -> [Float] {
    let puller = try Puller(file, to: .float(file.format.sampleRate, 2))
    puller.next = first
    if !isStated {
      puller.script = file.packets.dropFirst(first).map { .packets(.init($0, count: 1)) }
      puller.next = file.count
    }
    let samples = puller.drain(1000)[0].floats
    #expect(puller.converter.failedPacketCount == 0)
    return samples
  }

  @Test(
    "Vorbis yields the frames that its packets state, none for the first, or else its decoder's",
    arguments: [true, false])
  func vorbis(_ isStated: Bool) throws {
    let path = try encoded("a.ogg", "-c:a libvorbis")
    var file = try PacketFile(path: path)
    let stated = file.descriptions.map { Int($0.variableFramesInPacket) }
    #expect(stated[0] == 0)
    let expected = ReferenceDecoder.ffmpeg(path)
    let ours = try decoded(file, isStated: isStated)
    #expect(ours.count == 2 * stated.reduce(0, +))
    // The converter does not cut the last packet, so only the range of the count is checked.
    #expect((2 * 11_025...ours.count).contains(expected.count))
    #expect(zip(ours, expected).allSatisfy { abs($0 - $1) < 1e-3 })
    // Behind a seek the parser states no frames for the packet that only starts the overlap.
    file.descriptions[7].variableFramesInPacket = 0
    let rest = try decoded(file, isStated: isStated, from: 7)
    #expect(rest.count == 2 * stated[8...].reduce(0, +))
    #expect(zip(rest, ours.suffix(rest.count)).allSatisfy { abs($0 - $1) < 1e-3 })
  }

  @Test("A stream that does not state its packets' frames has those that its decoder returns")
  func untoldFrames() throws {
    var file = try PacketFile(path: try encoded("a.mov", "-c:a eac3"))
    let expected = try decoded(file, isStated: false)
    #expect(expected.count == 2 * 1536 * file.count)
    file.stream.format.framesPerPacket = 0
    #expect(try decoded(file, isStated: false) == expected)
  }

  @Test(
    "HE-AAC signalled only in its packets keeps its time",
    arguments: [("he-aac-v1.aac", 2), ("he-aac-v2.aac", 2)])
  func highEfficiency(_ name: String, _ channels: UInt32) throws {
    let path = Fixtures.repository + "/Tests/Fixtures/" + name
    let file = try PacketFile(path: path)
    let reference = Samples.bytes(
      "ffmpeg -v error -flags2 +skip_manual -i IN -f f32le -", of: path
    ).floats
    let rate = Double(ReferenceDecoder.ffprobe(path, "sample_rate") ?? 0)
    let puller = try Puller(file, to: .float(rate, channels), packetsPerRun: 5)
    let ours = puller.drain(700)[0].floats
    #expect(ours.count == reference.count)
    #expect(zip(ours, reference).allSatisfy { abs($0 - $1) < 1e-3 })
  }
}
