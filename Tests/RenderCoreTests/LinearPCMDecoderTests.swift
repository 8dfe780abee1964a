// SPDX-License-Identifier: MIT

import AudioModel
import Testing

@testable import RenderCore

@Suite("Linear PCM decoder")
struct LinearPCMDecoderTests {
  private func decoded(
    _ bytes: [UInt8], bits: UInt32, bytesPerSample: UInt32? = nil, flags: AudioFormatFlags,
    channels: UInt32 = 1
  ) throws -> [Float] {
    let format = AudioStreamBasicDescription.linearPCM(
      sampleRate: 44100, channels: channels, bitsPerChannel: bits, bytesPerSample: bytesPerSample,
      flags: flags)
    let decoder = try LinearPCMDecoder(format: format)
    return unsafe bytes.withUnsafeBytes { raw in
      let output = unsafe decoder.decode(
        FilledPacket(
          bytes: raw.baseAddress!, byteCount: raw.count, frameCount: raw.count, trimStartFrames: 0,
          trimEndFrames: 0))
      return (0..<output.frames * Int(channels)).map { unsafe output.samples[$0] }
    }
  }

  @Test("Eight bits are unsigned around 128, or signed when flagged")
  func eight() throws {
    #expect(try decoded([0, 128, 255], bits: 8, flags: []) == [-1, 0, 127.0 / 128])
    #expect(
      try decoded([0x80, 0, 0x7F], bits: 8, flags: .signedInteger) == [-1, 0, 127.0 / 128])
  }

  @Test("Integers of 16, 24 and 32 bits are exact in both byte orders")
  func integers() throws {
    let signed = AudioFormatFlags.signedInteger
    let big: AudioFormatFlags = [.signedInteger, .bigEndian]
    #expect(
      try decoded([0, 0x80, 0xFF, 0x7F, 1, 0], bits: 16, flags: signed)
        == [-1, 32767.0 / 32768, 1.0 / 32768])
    #expect(try decoded([0x80, 0, 0, 1], bits: 16, flags: big) == [-1, 1.0 / 32768])
    #expect(
      try decoded([0, 0, 0x80, 1, 0, 0], bits: 24, flags: signed) == [-1, 1.0 / 8_388_608])
    #expect(try decoded([0x80, 0, 0, 0, 0, 1], bits: 24, flags: big) == [-1, 1.0 / 8_388_608])
    #expect(try decoded([0, 0, 0, 0x80], bits: 32, flags: signed) == [-1])
    #expect(try decoded([0x40, 0, 0, 0], bits: 32, flags: big) == [0.5])
  }

  @Test("Samples narrower than their bytes are in the high bits if so flagged")
  func highBits() throws {
    let little: AudioFormatFlags = [.signedInteger, .alignedHigh]
    let big = little.union(.bigEndian)
    #expect(try decoded([0x80, 0, 0, 0x10], bits: 12, flags: big) == [-1, 1.0 / 2048])
    #expect(try decoded([0, 0x80, 0x10, 0], bits: 12, flags: little) == [-1, 1.0 / 2048])
    #expect(try decoded([0x40, 0, 0x10], bits: 20, flags: big) == [0.5 + 1.0 / 524_288])
    #expect(try decoded([0x10, 0, 0x40], bits: 20, flags: little) == [0.5 + 1.0 / 524_288])
    #expect(
      try decoded([0, 0x80, 0, 0x40], bits: 24, bytesPerSample: 4, flags: little)
        == [0.5 + 0x1p-16])
    #expect(try decoded([0x80, 0x08], bits: 5, flags: little) == [-1, 1.0 / 16])
    #expect(try decoded([0, 0x88], bits: 5, flags: .alignedHigh) == [-1, 1.0 / 16])
  }

  @Test("Samples in the low bits have their own sign and scale")
  func lowBits() throws {
    let little = AudioFormatFlags.signedInteger
    let big: AudioFormatFlags = [.signedInteger, .bigEndian]
    // Bits above the sample's own are ignored.
    #expect(
      try decoded([0, 8, 0xFF, 0x07, 0xFF, 0xFF, 1, 0xF0], bits: 12, flags: little)
        == [-1, 2047.0 / 2048, -1.0 / 2048, 1.0 / 2048])
    #expect(
      try decoded([8, 0, 0x07, 0xFF, 0xFF, 0xFF], bits: 12, flags: big)
        == [-1, 2047.0 / 2048, -1.0 / 2048])
    #expect(
      try decoded([0, 0, 8, 0xFF, 0xFF, 7, 1, 0, 0xF0], bits: 20, flags: little)
        == [-1, 524_287.0 / 524_288, 1.0 / 524_288])
    #expect(
      try decoded([8, 0, 0, 0x07, 0xFF, 0xFF], bits: 20, flags: big)
        == [-1, 524_287.0 / 524_288])
    #expect(
      try decoded(
        [0, 0, 0x80, 0, 0xFF, 0xFF, 0x7F, 0], bits: 24, bytesPerSample: 4, flags: little)
        == [-1, 8_388_607.0 / 8_388_608])
    #expect(
      try decoded(
        [0, 0x80, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], bits: 24, bytesPerSample: 4, flags: big)
        == [-1, -1.0 / 8_388_608])
    #expect(try decoded([0x10, 0x0F, 0xFF], bits: 5, flags: little) == [-1, 15.0 / 16, -1.0 / 16])
  }

  @Test("Unsigned integers of every width are centred on half their range")
  func unsigned() throws {
    let big = AudioFormatFlags.bigEndian
    #expect(
      try decoded([0, 0, 0, 0x80, 0xFF, 0xFF], bits: 16, flags: [])
        == [-1, 0, 32767.0 / 32768])
    #expect(try decoded([0x80, 1, 0xFF, 0xFF], bits: 16, flags: big) == [0x1p-15, 1 - 0x1p-15])
    #expect(
      try decoded([0, 0, 0, 0, 0, 0x80, 0xFF, 0xFF, 0xFF], bits: 24, flags: [])
        == [-1, 0, 1 - 0x1p-23])
    #expect(try decoded([0x80, 0, 1], bits: 24, flags: big) == [0x1p-23])
    #expect(try decoded([0, 0, 0, 0x80, 0, 0, 0, 0], bits: 32, flags: []) == [0, -1])
    #expect(try decoded([0xC0, 0, 0, 0], bits: 32, flags: big) == [0.5])
    #expect(try decoded([0, 0x08, 0xFF, 0x0F], bits: 12, flags: []) == [0, 1 - 0x1p-11])
    #expect(try decoded([0x10, 0x1F, 0], bits: 5, flags: []) == [0, 15.0 / 16, -1])
    #expect(
      try decoded([0x80, 0, 0xFF, 0xF0], bits: 12, flags: [.bigEndian, .alignedHigh])
        == [0, 1 - 0x1p-11])
  }

  @Test("Integers of 64 bits keep their upper 24")
  func long() throws {
    let signed = AudioFormatFlags.signedInteger
    #expect(
      try decoded(
        [0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x40], bits: 64, flags: signed)
        == [-1, 0.5])
    #expect(
      try decoded(
        [0x7F, 0xFF, 0xFF, 0, 0, 0, 0, 0], bits: 64, flags: [.signedInteger, .bigEndian])
        == [1 - 0x1p-23])
    #expect(try decoded([0, 0, 0, 0, 0, 0, 0, 0xC0], bits: 64, flags: []) == [0.5])
    #expect(
      try decoded(
        [0, 0, 0, 0, 0x80, 0, 0, 0], bits: 40, bytesPerSample: 8, flags: signed) == [-1])
  }

  @Test("Floats of 32 and 64 bits pass unchanged in both byte orders")
  func floats() throws {
    let little = Float(0.1).bitPattern
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: little >> UInt32(8 * $0)) }
    #expect(try decoded(bytes, bits: 32, flags: .float) == [0.1])
    #expect(try decoded(bytes.reversed(), bits: 32, flags: [.float, .bigEndian]) == [0.1])
    let double = Double(0.25).bitPattern
    let eight = (0..<8).map { UInt8(truncatingIfNeeded: double >> UInt64(8 * $0)) }
    #expect(try decoded(eight, bits: 64, flags: .float) == [0.25])
    #expect(try decoded(eight.reversed(), bits: 64, flags: [.float, .bigEndian]) == [0.25])
  }

  @Test("Only whole frames are decoded, and no more than one run")
  func wholeFrames() throws {
    #expect(
      try decoded([0, 0, 0, 0, 0, 0, 0], bits: 16, flags: .signedInteger, channels: 2) == [0, 0])
    let long = [UInt8](repeating: 128, count: 5000)
    #expect(try decoded(long, bits: 8, flags: []).count == 1024)
  }

  @Test("Layouts that are not interleaved PCM, and fixed point, are refused")
  func refused() {
    let fixedPoint: AudioFormatFlags = [.signedInteger, AudioFormatFlags(rawValue: 24 << 7)]
    for (bits, flags) in [
      (UInt32(12 * 8), AudioFormatFlags.signedInteger), (16, .float), (16, .nonInterleaved),
      (0, .signedInteger), (40, .signedInteger), (24, .float), (32, fixedPoint),
    ] {
      #expect(throws: AudioConverterError.self) {
        _ = try LinearPCMDecoder(
          format: .linearPCM(sampleRate: 1, channels: 1, bitsPerChannel: bits, flags: flags))
      }
    }
  }
}
