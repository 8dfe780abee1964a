// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// The encoding that a sample entry describes.
@Suite struct MPEG4EncodingTests {
  private func stream(_ entry: [UInt8], _ change: (inout SyntheticMPEG4) -> Void = { _ in })
    -> SyntheticMPEG4
  {
    var file = SyntheticMPEG4()
    file.entry = entry
    change(&file)
    return file
  }

  private func formats(_ config: [UInt8], rate: Int = 44_100) -> [AudioStreamBasicDescription] {
    let entry = SyntheticMPEG4.entry("mp4a", rate: rate, inside: SyntheticMPEG4.esds(config))
    var parser = AudioFileStream()
    _ = parse(stream(entry).bytes, with: &parser)
    return ((try? parser.formatList) ?? []).map(\.format)
  }

  private func aac(
    _ formatID: AudioFormatID, _ rate: Double, _ channels: UInt32, _ frames: UInt32
  ) -> AudioStreamBasicDescription {
    AudioStreamBasicDescription(
      sampleRate: rate, formatID: formatID, framesPerPacket: frames, channelsPerFrame: channels)
  }

  @Test("AAC's configuration yields the formats, the richest first")
  func audioSpecificConfig() {
    // Type 2, 44100 Hz, two channels.
    #expect(formats([0x12, 0x10]) == [aac(.mpeg4AAC, 44_100, 2, 1024)])
    // With 960 frames.
    #expect(formats([0x12, 0x14]) == [aac(.mpeg4AAC, 44_100, 2, 960)])
    // A rate of 24 bits: 15, then 22222.
    #expect(formats([0x17, 0x80, 0x2B, 0x67, 0x10]) == [aac(.mpeg4AAC, 22_222, 2, 1024)])
    // Explicit replication: type 5, 22050 Hz, two channels, 44100 Hz, type 2.
    #expect(
      formats([0x2B, 0x92, 0x08, 0x00])
        == [aac(.mpeg4HEAAC, 44_100, 2, 2048), aac(.mpeg4AAC, 22_050, 2, 1024)])
    // Explicit parametric stereo: type 29, one channel.
    #expect(
      formats([0xEB, 0x8A, 0x08, 0x00])
        == [
          aac(.mpeg4HEAACv2, 44_100, 2, 2048), aac(.mpeg4HEAAC, 44_100, 1, 2048),
          aac(.mpeg4AAC, 22_050, 1, 1024),
        ])
    // Backward compatible: type 2, 22050 Hz, then 2B7, type 5, present, 44100 Hz.
    #expect(
      formats([0x13, 0x90, 0x56, 0xE5, 0xA0], rate: 22_050)
        == [aac(.mpeg4HEAAC, 44_100, 2, 2048), aac(.mpeg4AAC, 22_050, 2, 1024)])
    // The same with 548, present.
    #expect(
      formats([0x13, 0x88, 0x56, 0xE5, 0xA5, 0x48, 0x80], rate: 22_050).map(\.formatID)
        == [.mpeg4HEAACv2, .mpeg4HEAAC, .mpeg4AAC])
    // SBR denied by the same extension.
    #expect(formats([0x13, 0x90, 0x56, 0xE5, 0x00], rate: 22_050).map(\.formatID) == [.mpeg4AAC])
    // Enhanced low delay: 31 and 7, 48000 Hz, two channels, 512 frames.
    #expect(formats([0xF8, 0xE6, 0x40, 0x00], rate: 48_000) == [aac(.mpeg4AACELD, 48_000, 2, 512)])
    // No configuration: the entry's own rate.
    #expect(formats([]) == [aac(.mpeg4AAC, 44_100, 2, 1024)])
  }

  @Test("A program configuration defines AAC's channels where no channel number does")
  func programConfiguration() {
    // Type 2, 44100 Hz, configuration 0; then an element with two pairs in front, one behind, one for
    // low frequencies: 7 channels.
    var bits = "00010" + "0100" + "0000" + "000"
    bits += "0000" + "01" + "0100" + "0010" + "0000" + "0001" + "01" + "000" + "0000" + "000"
    bits += "10000" + "10001" + "10010" + "0000"
    while bits.count % 8 != 0 { bits += "0" }
    bits += "00000000"
    let bytes = stride(from: 0, to: bits.count, by: 8).map { place in
      UInt8(bits.dropFirst(place).prefix(8), radix: 2)!
    }
    #expect(formats(bytes) == [aac(.mpeg4AAC, 44_100, 7, 1024)])
  }

  @Test("Channel configurations have AAC's order, centre first")
  func layouts() {
    for (configuration, labels) in [
      (1, [42]), (2, [1, 2]), (3, [3, 1, 2]), (6, [3, 1, 2, 5, 6, 4]),
      (7, [3, 7, 8, 1, 2, 5, 6, 4]),
    ] as [(Int, [UInt32])] {
      let config = [0x12, UInt8(configuration << 3)]
      let entry = SyntheticMPEG4.entry("mp4a", inside: SyntheticMPEG4.esds(config))
      var parser = AudioFileStream()
      _ = parse(stream(entry).bytes, with: &parser)
      #expect((try? parser.channelLayout.labels) == labels)
    }
  }

  @Test("The magic cookie is the descriptor for AAC, and each encoding's own header")
  func cookies() {
    func cookie(_ entry: [UInt8]) -> [UInt8]? {
      var parser = AudioFileStream()
      _ = parse(stream(entry).bytes, with: &parser)
      return try? parser.magicCookieData
    }
    typealias File = SyntheticMPEG4
    #expect(
      cookie(File.entry("mp4a", inside: File.esds([0x12, 0x10]))) == File.descriptor([0x12, 0x10]))
    // In QuickTime's `wave`, version 1.
    let inner = File.box("frma", [UInt8]("mp4a".utf8)) + File.esds([0x12, 0x10]) + bigEndian(8, 8)
    var quickTime = File.entry("mp4a", inside: bigEndian(0, 16) + File.box("wave", inner))
    quickTime[17] = 1
    #expect(cookie(quickTime) == File.descriptor([0x12, 0x10]))
    let lossless =
      bigEndian(4096, 4) + [0, 24, 40, 10, 14, 2, 0, 255] + bigEndian(0, 4)
      + bigEndian(0, 4) + bigEndian(96_000, 4)
    let alac = File.entry("alac", inside: File.full("alac", lossless))
    #expect(cookie(alac) == lossless)
    var parser = AudioFileStream()
    _ = parse(stream(alac).bytes, with: &parser)
    let format = try? parser.dataFormat
    #expect(format?.sampleRate == 96_000 && format?.formatFlags.rawValue == 3)
    let opus: [UInt8] = [0, 2, 1, 56, 0, 0, 0xBB, 0x80, 0, 3, 0]
    #expect(
      cookie(File.entry("Opus", inside: File.box("dOps", opus)))
        == [UInt8]("OpusHead".utf8) + [1, 2, 56, 1, 0x80, 0xBB, 0, 0, 3, 0, 0])
    let info = [UInt8](repeating: 7, count: 34)
    #expect(
      cookie(File.entry("fLaC", inside: File.full("dfLa", [0x80, 0, 0, 34] + info))) == info)
    #expect(cookie(File.entry("sowt")) == nil)
  }

  @Test("HE-AAC is recognised by its rate where nothing else signals it")
  func fixtures() throws {
    let workshop = Workshop()
    let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    for (name, channels) in [("he-aac-v1", UInt32(2)), ("he-aac-v2", 1)] {
      let stereo = channels == 1 ? [aac(.mpeg4HEAACv2, 44_100, 2, 2048)] : []
      try workshop.run("cp '/\(folder)/Fixtures/\(name).m4a' .")
      let bytes = try workshop.read("\(name).m4a")
      var parser = AudioFileStream(options: .repositioning)
      let (recorder, error, _) = parseFromAnywhere(bytes, sliceBytes: 3000, with: &parser)
      #expect(error == nil && recorder.failures == [])
      let probed = try ProbedFile("\(name).m4a", in: workshop)
      #expect(recorder.placedPackets == probed.packets)
      #expect(
        try parser.formatList.map(\.format)
          == stereo + [
            aac(.mpeg4HEAAC, 44_100, channels, 2048), aac(.mpeg4AAC, 22_050, channels, 1024),
          ])
      #expect(try parser.dataFormat == aac(.mpeg4AAC, 22_050, channels, 1024))
      #expect(abs(try parser.duration.seconds - (probed.duration ?? 0)) < 0.001)
    }
  }

  @Test("AMR, AC-3 and other encodings without a decoder are packetised and named")
  func recognised() {
    typealias File = SyntheticMPEG4
    for (type, name, rate, delta) in [
      ("samr", "samr", 8000, 160), ("sawb", "sawb", 16_000, 320), ("ec-3", "ec-3", 48_000, 1536),
      ("Qclp", "Qclp", 8000, 160),
    ] {
      let file = stream(File.entry(type, rate: rate)) {
        $0.timescale = rate
        $0.durations = [(8, delta)]
      }
      var parser = AudioFileStream()
      let (recorder, error) = parse(file.bytes, with: &parser)
      #expect(error == nil && recorder.placedPackets == file.packets)
      let format = try? parser.dataFormat
      #expect(format?.formatID.description == name)
      #expect(format?.framesPerPacket == UInt32(delta) && format?.sampleRate == Double(rate))
    }
    // 3/2 and low frequencies.
    let mode = File.entry("ac-3", rate: 48_000, inside: File.box("dac3", [0x10, 0x3D, 0xC0]))
    var parser = AudioFileStream()
    _ = parse(stream(mode).bytes, with: &parser)
    #expect((try? parser.channelLayout.labels) == [1, 3, 2, 5, 6, 4])
    #expect((try? parser.dataFormat.framesPerPacket) == 1536)
  }

  @Test("Samples that are frames, packets or neither yield the same packets")
  func constantPackets() throws {
    typealias File = SyntheticMPEG4
    // QuickTime: a sample is a frame and its stated size does not matter.
    let entry = File.entry("sowt", rate: 44_100)
    for size in [1, 4] {
      let file = stream(entry) {
        $0.chunks = [[4, 4, 4], [4, 4]]
        $0.uniformSize = size
        $0.durations = [(5, 1)]
      }
      let (recorder, error) = parse(file.bytes)
      #expect(error == nil && recorder.failures == [] && recorder.pcmFrames == 5)
      #expect(recorder.value(.audioDataByteCount) == "20")
    }
    // A sample holds many frames.
    let file = stream(entry) {
      $0.chunks = [[40, 40], [20], [8, 8]]
      $0.durations = [(2, 10), (1, 5), (2, 2)]
    }
    var parser = AudioFileStream()
    let (recorder, error) = parse(file.bytes, with: &parser)
    #expect(error == nil && recorder.failures == [] && recorder.pcmFrames == 29)
    for packet in Int64(0)..<29 {
      let byte = try parser.byte(ofPacket: packet).byte
      #expect(try parser.packet(containingByte: byte).packet == packet)
    }
    // Apple's IMA 4:1: 34 bytes a channel for 64 frames.
    let ima = stream(File.entry("ima4")) {
      $0.chunks = [[Int](repeating: 1, count: 128), [Int](repeating: 1, count: 64)]
      $0.uniformSize = 1
      $0.durations = [(192, 1)]
      $0.gap = 200
    }
    let (compressed, imaError) = parse(ima.bytes)
    #expect(imaError == nil && compressed.value(.audioDataPacketCount) == "3")
    #expect(compressed.value(.audioDataByteCount) == "204")
  }
}
