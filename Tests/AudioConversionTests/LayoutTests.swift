// SPDX-License-Identifier: MIT

import AudioConversion
import AudioModel
import TestKit
import Testing

@Suite("Channel layouts")
struct LayoutTests {
  private let surround = AudioChannelLayout(labels: [1, 2, 3, 4, 5, 6])
  /// MPEG's order: centre, left, right, surrounds, low frequencies.
  private let centerFirst = AudioChannelLayout(labels: [3, 1, 2, 5, 6, 4])

  @Test("The output's speakers are the input's, after the channel map, or the ones that were set")
  func outputLayout() throws {
    let converter = try AudioConverter(from: .int16(44100, 6), to: .int16(44100, 6))
    #expect(converter.inputLayout == nil && converter.outputLayout == nil)
    try converter.setInputLayout(surround)
    #expect(converter.inputLayout == surround && converter.outputLayout == surround)
    try converter.setChannelMap([2, 0, 1, 4, 5, -1])
    #expect(converter.outputLayout?.labels == [3, 1, 2, 5, 6, .max])
    try converter.setOutputLayout(centerFirst)
    #expect(converter.outputLayout == centerFirst)
    try converter.setOutputLayout(nil)
    try converter.setChannelMap([])
    #expect(converter.outputLayout == surround)
  }

  @Test("The format list is the output's format with its speakers")
  func formatList() throws {
    let converter = try AudioConverter(
      from: .int16(44100, 6), to: .float(48000, 2), inputLayout: surround)
    try converter.setDownmix(true)
    let items = converter.formatList
    #expect(items.count == 1)
    #expect(items.first?.format == converter.outputFormat)
    #expect(items.first?.channelLayout?.labels == [1, 2])
  }

  @Test("A layout of another number of channels is '!siz', one for a compressed source 'prop'")
  func refused() throws {
    let converter = try AudioConverter(from: .int16(44100, 6), to: .int16(44100, 2))
    #expect(errorCode { try converter.setInputLayout(.init(labels: [1, 2])) } == .badPropertySize)
    #expect(errorCode { try converter.setOutputLayout(surround) } == .badPropertySize)
    #expect(converter.inputLayout == nil && converter.outputLayout == nil)
    let mp3 = try AudioConverter(
      decoding: PacketFile(path: Samples.mp3).stream, to: .float(44100, 2))
    #expect(
      errorCode { try mp3.setInputLayout(.init(labels: [1, 2])) } == .propertyNotSupported)
  }

  @Test("A downmix follows the speakers of both sides; without one no channel moves")
  func speakers() throws {
    let input: [Int16] = [1, 20, 300, 4000, 5, 60]
    let exchanged = try convertedFrame(input, outputs: 6) {
      try $0.setInputLayout(surround)
      try $0.setOutputLayout(centerFirst)
      try $0.setDownmix(true)
    }
    #expect(exchanged == [300, 1, 20, 5, 60, 4000])
    let straight = try convertedFrame(input, outputs: 6) {
      try $0.setInputLayout(surround)
      try $0.setOutputLayout(centerFirst)
    }
    #expect(straight == input)
  }

  @Test("Speakers that the output lacks are mixed to the nearest ones that it has")
  func nearest() throws {
    func mixed(_ labels: [UInt32], to target: [UInt32]) throws -> [Float] {
      let converter = try AudioConverter(
        from: .int16(44100, UInt32(labels.count)), to: .int16(44100, UInt32(target.count)),
        inputLayout: .init(labels: labels))
      try converter.setOutputLayout(.init(labels: target))
      try converter.setDownmix(true)
      return converter.mixMap
    }
    func isNear(_ one: [Float], _ other: [Float]) -> Bool {
      one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) < 1e-6 }
    }
    let half = Float(0.5).squareRoot()
    // 7.1 to 5.1 sends the backs to the sides, all at half because the sum is two.
    let wide = try mixed([1, 2, 3, 4, 5, 6, 10, 11], to: [1, 2, 3, 4, 5, 6])
    let identity: [[Float]] = (0..<6).map { row in (0..<6).map { $0 == row ? 0.5 : 0 } }
    #expect(isNear(wide, (identity + [identity[4], identity[5]]).flatMap { $0 }))
    // A missing centre is mixed to both sides, and the low frequencies to none.
    #expect(isNear(try mixed([42], to: [1, 2]), [half, half]))
    #expect(
      isNear(
        try mixed([1, 2, 3, 4], to: [2, 1]),
        [0, 1, 1, 0, half, half, 0, 0].map { $0 / (1 + half) }))
    // A rear centre goes to the surrounds, or else to the front.
    #expect(
      isNear(
        try mixed([1, 2, 9], to: [1, 2, 5, 6]), [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, half, half]))
    #expect(
      isNear(try mixed([1, 2, 9], to: [1, 2]), [1, 0, 0, 1, 0.5, 0.5].map { $0 / 1.5 }))
    // To mono all channels are mixed equally.
    #expect(isNear(try mixed([1, 2, 3, 4], to: [42]), [1, 1, 1, 0].map { $0 / 3 }))
    // Layouts without a speaker for each channel mix as without a layout.
    #expect(isNear(try mixed([1, 1, .max], to: [1, 2]), [0.5, 0, 0, 0.5, 0.5, 0]))
  }

  @Test("A downmix of AAC uses each channel's speaker in the decoder's output")
  func decodedOrder() throws {
    let directory = TemporaryDirectory()
    let path = directory.file("a.m4a")
    // The sound is in the centre alone.
    _ = ReferenceDecoder.output(
      "ffmpeg -nostdin -v error -f lavfi -i \"aevalsrc='0|0|0.5*sin(5000*t)|0|0|0':c=5.1:s=44100:d=0.5\""
        + " -c:a aac -b:a 448k -movflags +faststart '\(path)'")
    let file = try PacketFile(path: path)
    #expect(file.stream.layout?.labels.first == 3)
    let puller = try Puller(file, to: .float(44100, 2))
    try puller.converter.setDownmix(true)
    #expect(puller.converter.inputLayout == file.stream.layout)
    let samples = puller.drain()[0].floats
    func power(_ channel: Int) -> Float {
      stride(from: channel, to: samples.count, by: 2).reduce(0) { $0 + samples[$1] * samples[$1] }
    }
    #expect(power(0) > 10)
    #expect(abs(power(0) - power(1)) < 1e-3 * power(0))
    // The output has WAVE's order, whatever the container's is.
    let whole = try AudioConverter(decoding: file.stream, to: .float(44100, 6))
    #expect(whole.outputLayout?.labels == [1, 2, 3, 4, 5, 6])
  }
}
