// SPDX-License-Identifier: MIT

import AudioConversion
import AudioModel
import TestKit
import Testing

/// A layout of samples, as a format and by ffmpeg's name.
struct Layout: CustomTestStringConvertible, Sendable {
  var name: String
  var bits: UInt32
  var flags: AudioFormatFlags

  var testDescription: String { name }

  var format: AudioStreamBasicDescription {
    .linearPCM(sampleRate: 44100, channels: 2, bitsPerChannel: bits, flags: flags)
  }

  static let all = [
    Layout(name: "u8", bits: 8, flags: [.packed]),
    Layout(name: "s8", bits: 8, flags: [.packed, .signedInteger]),
    Layout(name: "s16le", bits: 16, flags: [.packed, .signedInteger]),
    Layout(name: "s16be", bits: 16, flags: [.packed, .signedInteger, .bigEndian]),
    Layout(name: "s24le", bits: 24, flags: [.packed, .signedInteger]),
    Layout(name: "s24be", bits: 24, flags: [.packed, .signedInteger, .bigEndian]),
    Layout(name: "s32le", bits: 32, flags: [.packed, .signedInteger]),
    Layout(name: "s32be", bits: 32, flags: [.packed, .signedInteger, .bigEndian]),
    Layout(name: "f32le", bits: 32, flags: [.packed, .float]),
    Layout(name: "f32be", bits: 32, flags: [.packed, .float, .bigEndian]),
    Layout(name: "f64le", bits: 64, flags: [.packed, .float]),
    Layout(name: "f64be", bits: 64, flags: [.packed, .float, .bigEndian]),
  ]
}

@Suite("Linear PCM to linear PCM")
struct LinearPCMTests {
  private func converted(
    _ bytes: [UInt8], _ from: AudioStreamBasicDescription, _ to: AudioStreamBasicDescription
  ) throws -> [[UInt8]] {
    try Puller(PacketFile(from, bytes: bytes), to: to, packetsPerRun: 500).drain(1024)
  }

  /// Returns the sound of 32 bits in a layout, as ffmpeg converts it by way of doubles.
  private func sound(_ layout: Layout, from path: String) -> [UInt8] {
    Samples.bytes(
      "ffmpeg -v error -i IN -af aformat=sample_fmts=dbl -f \(layout.name) -", of: path)
  }

  @Test("Samples of 16 bits survive the round trip through every layout", arguments: Layout.all)
  func roundTrip(_ layout: Layout) throws {
    let file = try PacketFile(path: Samples.wave16)
    let there = try converted(file.bytes, file.format, layout.format)[0]
    if layout.bits > 8 {
      let back = try converted(there, layout.format, file.format)[0]
      #expect(back == file.bytes)
    }
    #expect(there == sound(layout, from: Samples.wave16))
  }

  @Test("Every layout is converted to every other as ffmpeg converts it", arguments: Layout.all)
  func pairs(_ source: Layout) throws {
    let input = sound(source, from: Samples.brief32)
    for target in Layout.all {
      let name = "-ar 44100 -ac 2 -channel_layout stereo"
      // ffmpeg has no 24-bit samples of its own, and truncates 32 bits to 24 on output. It does not change samples if
      // source and target have equal widths.
      if target.bits == 24, source.bits > 24 { continue }
      let folder = TemporaryDirectory()
      let raw = folder.file("raw")
      write(input, to: raw)
      let expected = Samples.bytes(
        "ffmpeg -v error -f \(source.name) \(name) -i IN -af aformat=sample_fmts=dbl "
          + "-f \(target.name) -", of: raw)
      #expect(
        try converted(input, source.format, target.format)[0] == expected, "to \(target.name)")
    }
  }

  @Test("Reduced widths equal sox's, except for exact halves", arguments: [16, 24])
  func sox(_ bits: UInt32) throws {
    let file = try PacketFile(path: Samples.wave32)
    let target = AudioStreamBasicDescription.linearPCM(
      sampleRate: 44100, channels: 2, bitsPerChannel: bits, flags: [.packed, .signedInteger])
    let expected = Samples.bytes("sox -D IN -t raw -b \(bits) -", of: Samples.wave32)
    let ours = try converted(file.bytes, file.format, target)[0]
    #expect(ours.count == expected.count)
    let mask = (UInt32(1) << (32 - bits)) - 1
    let half = mask / 2 + 1
    let size = Int(bits / 8)
    let differing = (0..<ours.count / size).filter { index in
      let word = (0..<4).reduce(UInt32(0)) { $0 | UInt32(file.bytes[4 * index + $1]) << (8 * $1) }
      return word & mask != half
        && ours[size * index..<size * (index + 1)] != expected[size * index..<size * (index + 1)]
    }
    #expect(differing.isEmpty)
  }

  @Test("Interleaved and planar have the same samples, and convert back")
  func planar() throws {
    let file = try PacketFile(path: Samples.wave16)
    let planes = try converted(file.bytes, file.format, file.format.planar)
    let left = Samples.bytes("sox -D IN -t raw - remix 1", of: Samples.wave16)
    let right = Samples.bytes("sox -D IN -t raw - remix 2", of: Samples.wave16)
    #expect(planes == [left, right])
    let converter = try AudioConverter(from: file.format.planar, to: file.format)
    var place = 0
    var bytes = [UInt8](repeating: 0, count: file.bytes.count)
    var span = bytes.mutableSpan
    let result = converter.fill(&span) { _ in
      let size = min(1000, left.count - place)
      guard size > 0 else { return .endOfStream }
      defer { place += size }
      return .packets(
        .init(
          planes: [Array(left[place..<place + size]), Array(right[place..<place + size])],
          count: size / 2))
    }
    #expect(result.status == .complete)
    #expect(bytes == file.bytes)
  }

  @Test("Samples in the high bits of their bytes keep their values")
  func aligned() throws {
    let aligned = AudioStreamBasicDescription.linearPCM(
      sampleRate: 44100, channels: 1, bitsPerChannel: 20, bytesPerSample: 4,
      flags: [.signedInteger, .alignedHigh])
    let samples: [Int16] = [0, 1, -1, 32767, -32768, 1000]
    let out = try converted(samples.rawBytes, .int16(44100, 1), aligned)[0]
    let words = out.floats.map { Int32(bitPattern: $0.bitPattern) }
    #expect(words == samples.map { Int32($0) << 16 })
    #expect(try converted(out, aligned, .int16(44100, 1))[0].int16 == samples)
  }

  @Test("The fixed point of 8.24 bits is supported")
  func fixedPoint() throws {
    let fixed = AudioStreamBasicDescription.linearPCM(
      sampleRate: 44100, channels: 1, bitsPerChannel: 32,
      flags: AudioFormatFlags(rawValue: 24 << 7 | 4 | 8))
    let out = try converted([Int16](arrayLiteral: 16384, -32768).rawBytes, .int16(44100, 1), fixed)
    let words: [Int32] = out[0].floats.map { Int32(bitPattern: $0.bitPattern) }
    let expected: [Int32] = [0x80_0000, -0x100_0000]
    #expect(words == expected)
  }

  @Test("Integers are rounded to the nearest, halves to even, and clipped; NaN is silence")
  func rounding() throws {
    let unit = Float(0x1p-15)
    let input: [Float] = [
      0.5 * unit, 1.5 * unit, 2.5 * unit, -0.5 * unit, -1.5 * unit, 0.49 * unit, 0.51 * unit, 1, -1,
      2, -2, .infinity, -.infinity, .nan,
    ]
    let bytes = input.flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> UInt32(8 * $0)) }
    }
    let out = try converted(bytes, .float(44100, 1), .int16(44100, 1))[0].int16
    #expect(
      out == [0, 2, 2, 0, -2, 0, 1, 32767, -32768, 32767, -32768, 32767, -32768, 0])
  }

  @Test("Floats are not clipped")
  func floats() throws {
    let bytes = [Float(1.5), -3].flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> UInt32(8 * $0)) }
    }
    #expect(try converted(bytes, .float(44100, 1), .float(44100, 1).planar)[0] == bytes)
  }

  @Test("Fields that are 0 are filled in, and the packed flag is implied")
  func completion() throws {
    // The tutorial's format: signed, with no other flag.
    let loose = AudioStreamBasicDescription(
      sampleRate: 44100, formatID: .linearPCM, formatFlags: .signedInteger, channelsPerFrame: 2,
      bitsPerChannel: 16)
    let converter = try AudioConverter(from: loose, to: .float(0, 2))
    #expect(converter.inputFormat == .int16(44100, 2))
    #expect(converter.outputFormat == .float(44100, 2))
  }

  @Test("Formats without a conversion are 'fmt?'")
  func refusals() throws {
    let good = AudioStreamBasicDescription.int16(44100, 2)
    var wrong: [AudioStreamBasicDescription] = []
    func add(_ change: (inout AudioStreamBasicDescription) -> Void) {
      var format = good
      change(&format)
      wrong.append(format)
    }
    add { $0.channelsPerFrame = 0 }
    add { $0.channelsPerFrame = .max }
    add { $0.bitsPerChannel = 0 }
    add { $0.bitsPerChannel = 12 }
    add { $0.bitsPerChannel = 64 }
    add { $0.formatFlags = [] }
    add { $0.formatFlags = [.float] }
    add { $0.bytesPerFrame = 5 }
    add { $0.bytesPerFrame = .max }
    add { $0.bytesPerPacket = 8 }
    add { $0.framesPerPacket = 2 }
    add { $0.formatID = AudioFormatID(rawValue: "nope") }
    for format in wrong {
      for (from, to) in [(format, good), (good, format)] {
        #expect {
          _ = try AudioConverter(from: from, to: to)
        } throws: { error in
          (error as? AudioConversionError)?.code == .formatNotSupported
        }
      }
    }
  }

  @Test("Encoding is 'fmt?', and the error states that the destination must be linear PCM")
  func encoding() throws {
    let mp3 = try Kind.mp3.file()
    #expect {
      _ = try AudioConverter(from: .int16(44100, 2), to: mp3.format)
    } throws: { error in
      "\(error)"
        == "cannot encode MPEG audio layer III: the destination must be linear PCM ('fmt?')"
    }
  }
}
