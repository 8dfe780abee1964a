// SPDX-License-Identifier: MIT

import AudioConversion
import AudioModel
import TestKit
import Testing

@Suite("The output, and properties")
struct OutputTests {
  @Test("A request beyond the buffers' room is clipped to it, and no byte beyond is written")
  func clipped() throws {
    let file = try Kind.linearPCM.file()
    let puller = try Puller(file, to: .float(44100, 2).planar, packetsPerRun: 50)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 200, alignment: 16)
    defer { unsafe memory.deallocate() }
    for index in memory.indices { unsafe memory[index] = 0x55 }
    // 10 frames and 3 bytes for one channel, 12 frames for the other.
    let buffers = unsafe [
      UnsafeMutableRawBufferPointer(rebasing: memory[0..<43]),
      UnsafeMutableRawBufferPointer(rebasing: memory[100..<148]),
    ]
    let result = unsafe puller.converter.fill(buffers, packetCount: 1000, from: puller.answer)
    #expect(result == .init(packetCount: 10, status: .complete))
    #expect(unsafe memory[40..<100].allSatisfy { $0 == 0x55 })
    #expect(unsafe memory[140..<200].allSatisfy { $0 == 0x55 })
  }

  @Test("No room for a packet, or a missing buffer, is 'otsz', and the callback is not called")
  func noRoom() throws {
    let file = try Kind.linearPCM.file()
    let puller = try Puller(file, to: .float(44100, 2).planar)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 16)
    defer { unsafe memory.deallocate() }
    let short = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[0..<3])
    let cases = unsafe [[memory], [memory, short], []]
    for index in 0..<3 {
      let result = unsafe puller.converter.fill(
        cases[index], packetCount: 1, from: puller.answer)
      #expect(result.packetCount == 0)
      #expect(result.code == 0x6F74_737A)
    }
    let negative = unsafe puller.converter.fill(
      [memory, memory], packetCount: -1, from: puller.answer)
    #expect(negative.code == 0x6F74_737A)
    #expect(puller.asked.isEmpty)
  }

  @Test("MP3 decodes to mpg123's samples, encoder delay included")
  func mpg123() throws {
    let ours = try Kind.mp3.reference().floats
    let theirs = ReferenceDecoder.output(
      "mpg123 -q --no-gapless -e f32 -s '\(Samples.mp3)'"
    ).floats
    #expect(ours.count == theirs.count)
    #expect(zip(ours, theirs).allSatisfy { abs($0 - $1) < 1e-6 })
  }

  @Test("The leading frames of the prime information are dropped, again after a reset")
  func primeInfo() throws {
    let file = try Kind.mp3.file()
    let reference = try Kind.mp3.reference()
    let puller = try Puller(file, to: .float(44100, 2), packetsPerRun: 4)
    #expect(puller.converter.primeInfo == .init())
    try puller.converter.setPrimeInfo(.init(leadingFrames: 2257, trailingFrames: 100))
    for _ in 0..<2 {
      #expect(puller.drain(999)[0] == Array(reference[(8 * 2257)...]))
      puller.converter.reset()
      puller.next = 0
    }
    #expect(puller.converter.primeInfo.trailingFrames == 100)
    let plain = try AudioConverter(from: .int16(44100, 1), to: .int16(44100, 1))
    #expect(errorCode { try plain.setPrimeInfo(.init()) } == .propertyNotSupported)
  }

  @Test("Sizes of buffers follow from the formats")
  func sizes() throws {
    let half = try AudioConverter(from: .int16(44100, 2), to: .float(22050, 1))
    #expect(half.minimumInputBufferSize == 4)
    #expect(half.minimumOutputBufferSize == 4)
    #expect(half.maximumInputPacketSize == 4)
    #expect(half.maximumOutputPacketSize == 4)
    #expect(try half.inputBufferSize(forOutputSize: 400) == 800)
    #expect(try half.outputBufferSize(forInputSize: 800) == 400)
    #expect(errorCode { _ = try half.inputBufferSize(forOutputSize: 401) } == .invalidOutputSize)
    #expect(errorCode { _ = try half.outputBufferSize(forInputSize: 801) } == .invalidInputSize)
    #expect(errorCode { _ = try half.outputBufferSize(forInputSize: -4) } == .invalidInputSize)
    #expect(errorCode { _ = try half.inputBufferSize(forOutputSize: .max) } == .invalidOutputSize)

    let file = try Kind.mp3.file()
    let mp3 = try AudioConverter(decoding: file.stream, to: .float(44100, 2))
    let largest = file.descriptions.map { Int($0.dataByteSize) }.max() ?? 0
    #expect(mp3.maximumInputPacketSize >= largest)
    #expect(
      try mp3.inputBufferSize(forOutputSize: 8 * 1153) == 2 * mp3.maximumInputPacketSize)
    #expect(errorCode { _ = try mp3.outputBufferSize(forInputSize: 417) } == .operationNotSupported)
  }

  @Test("Properties keep their set values, and refuse unknown ones")
  func properties() throws {
    let converter = try AudioConverter(from: .int16(44100, 2), to: .float(48000, 2))
    #expect(converter.quality == .medium)
    #expect(converter.complexity == .normal)
    #expect(converter.primeMethod == .normal)
    #expect(converter.bitDepthHint == 16)
    #expect(try AudioConverter(from: .float(8000, 1), to: .int16(0, 1)).bitDepthHint == -32)
    #expect(converter.magicCookie.isEmpty)
    #expect(!converter.isDownmixEnabled)
    try converter.setQuality(.maximum)
    try converter.setComplexity(.mastering)
    converter.primeMethod = .pre
    converter.bitDepthHint = 24
    converter.reset()
    #expect(converter.quality == .maximum)
    #expect(converter.complexity == .mastering)
    #expect(converter.primeMethod == .pre)
    #expect(converter.bitDepthHint == 24)
    #expect(errorCode { try converter.setQuality(.init(rawValue: 128)) } == .propertyNotSupported)
    #expect(
      errorCode { try converter.setComplexity(.init(rawValue: "nope")) } == .propertyNotSupported)
    #expect(errorCode { try converter.setMagicCookie([1]) } == .propertyNotSupported)
  }

  @Test("Codes are Core Audio's numbers")
  func codes() {
    let codes: [(AudioConversionError.Code, Int32)] = [
      (.formatNotSupported, 1_718_449_215), (.operationNotSupported, 1_869_627_199),
      (.propertyNotSupported, 1_886_547_824), (.invalidInputSize, 1_768_846_202),
      (.invalidOutputSize, 1_869_902_714), (.unspecified, 2_003_329_396),
      (.badPropertySize, 561_211_770), (.requiresPacketDescriptions, 561_015_652),
      (.inputSampleRateOutOfRange, 560_558_962), (.outputSampleRateOutOfRange, 560_952_178),
    ]
    for (code, number) in codes { #expect(AudioConversionError(code, "").status == number) }
  }

  @Test("Buffers of linear PCM of one rate are converted without a callback")
  func buffers() throws {
    let converter = try AudioConverter(from: .int16(44100, 2), to: .int16(44100, 2).planar)
    var memory = [Int16](arrayLiteral: 1, 2, 3, 4, 5, 6).rawBytes + [UInt8](repeating: 0, count: 12)
    var written = 0
    try unsafe memory.withUnsafeMutableBytes { raw in
      let input = unsafe UnsafeRawBufferPointer(rebasing: raw[0..<12])
      let left = unsafe UnsafeMutableRawBufferPointer(rebasing: raw[12..<18])
      let right = unsafe UnsafeMutableRawBufferPointer(rebasing: raw[18..<24])
      written = unsafe try converter.convert([input], to: [left, right])
    }
    #expect(written == 6)
    #expect(memory.int16 == [1, 2, 3, 4, 5, 6, 1, 3, 5, 2, 4, 6])
  }

  @Test("Without a callback: part of a frame is 'insz', no room 'otsz', another rate 'op??'")
  func bufferErrors() throws {
    let converter = try AudioConverter(from: .int16(44100, 2), to: .float(44100, 2))
    let resampling = try AudioConverter(from: .int16(44100, 2), to: .float(48000, 2))
    let mp3 = try AudioConverter(
      decoding: try Kind.mp3.file().stream, to: .float(44100, 2))
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 16)
    defer { unsafe memory.deallocate() }
    func code(_ converter: AudioConverter, _ input: Int, _ output: Int) -> AudioConversionError
      .Code?
    {
      errorCode {
        try unsafe converter.convert(
          [UnsafeRawBufferPointer(rebasing: memory[..<input])],
          to: [UnsafeMutableRawBufferPointer(rebasing: memory[..<output])])
      }
    }
    #expect(code(converter, 5, 64) == .invalidInputSize)
    #expect(code(converter, 8, 15) == .invalidOutputSize)
    #expect(code(converter, 0, 0) == nil)
    #expect(code(resampling, 8, 64) == .operationNotSupported)
    #expect(code(mp3, 8, 64) == .operationNotSupported)
  }
}
