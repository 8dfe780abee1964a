// SPDX-License-Identifier: MIT

import AudioConversion
import AudioModel
import TestKit
import Testing

@Suite("Mix map")
struct MixMapTests {
  /// Converts one frame with a mix map.
  private func frame(
    _ input: [Int16], outputs: UInt32, rate: Double = 44100, _ map: [Float]
  ) throws -> [Int16] {
    try convertedFrame(input, outputs: outputs, rate: rate) {
      try $0.setDownmix(true)
      try $0.setMixMap(map)
    }
  }

  @Test("Each output is the sum of the inputs by their gains, a row of which is an input's")
  func sums() throws {
    #expect(try frame([1000, 200], outputs: 2, [0.5, 0.25, 1, 0.5]) == [700, 350])
    #expect(try frame([1000, 200, 30], outputs: 1, [0.5, 1, 0]) == [700])
    // The map has more outputs than inputs.
    #expect(try frame([1000], outputs: 3, [1, 0.5, 0]) == [1000, 500, 0])
    // The map inverts a channel, and has a gain above one.
    #expect(try frame([1000, 200], outputs: 2, [-1, 0, 0, 2]) == [-1000, 400])
  }

  @Test("Sums are not scaled, and integers are clipped")
  func clipped() throws {
    #expect(try frame([30000, 30000], outputs: 1, [1, 1]) == [32767])
    #expect(try frame([-30000, -30000], outputs: 1, [1, 1]) == [-32768])
  }

  @Test("The whole stream is mixed, through a rate conversion and to separate buffers")
  func stream() throws {
    let file = try PacketFile(path: Samples.wave16)
    for rate in [44100.0, 48000] {
      let straight = try Puller(file, to: .float(rate, 2)).drain()[0].floats
      let puller = try Puller(file, to: .float(rate, 3).planar)
      try puller.converter.setDownmix(true)
      try puller.converter.setMixMap([0.5, 0, 1, 0.25, 1, 0])
      let mixed = puller.drain(777).map(\.floats)
      #expect(mixed.count == 3 && mixed[0].count == straight.count / 2)
      let isMixed = mixed[0].indices.allSatisfy { index in
        let (left, right) = (straight[2 * index], straight[2 * index + 1])
        return abs(mixed[0][index] - (0.5 * left + 0.25 * right)) < 1e-6
          && abs(mixed[1][index] - right) < 1e-6 && abs(mixed[2][index] - left) < 1e-6
      }
      #expect(isMixed)
    }
  }

  @Test("Without a callback channels are mixed as well")
  func buffers() throws {
    let converter = try AudioConverter(from: .int16(44100, 2), to: .int16(44100, 1))
    try converter.setDownmix(true)
    try converter.setMixMap([0.5, 0.25])
    let input = ([1000, 200, -1000, 400] as [Int16]).rawBytes
    var output = [UInt8](repeating: 0, count: 4)
    try unsafe input.withUnsafeBytes { source in
      try unsafe output.withUnsafeMutableBytes { target in
        _ = try unsafe converter.convert([source], to: [target])
      }
    }
    #expect(output.int16 == [550, -400])
  }

  @Test("Another number of gains is '!siz', one that is not finite 'prop', and the old map stays")
  func wrongMaps() throws {
    let converter = try AudioConverter(from: .int16(44100, 2), to: .int16(44100, 3))
    try converter.setDownmix(true)
    let map: [Float] = [1, 0, 0.5, 0, 1, 0.5]
    try converter.setMixMap(map)
    #expect(errorCode { try converter.setMixMap([1, 0, 0, 1]) } == .badPropertySize)
    #expect(errorCode { try converter.setMixMap(map + [0]) } == .badPropertySize)
    #expect(errorCode { try converter.setMixMap([1, 0, 0, 1, .nan, 0]) } == .propertyNotSupported)
    #expect(
      errorCode { try converter.setMixMap([1, 0, 0, 1, .infinity, 0]) } == .propertyNotSupported)
    #expect(converter.mixMap == map)
  }

  @Test("A mix map is refused without the downmix, and so beside a channel map: 'op??'")
  func exclusion() throws {
    let converter = try AudioConverter(from: .int16(44100, 2), to: .int16(44100, 2))
    #expect(errorCode { try converter.setMixMap([0, 1, 1, 0]) } == .operationNotSupported)
    try converter.setChannelMap([1, 0])
    #expect(errorCode { try converter.setMixMap([0, 1, 1, 0]) } == .operationNotSupported)
    try converter.setChannelMap([])
    try converter.setDownmix(true)
    try converter.setMixMap([0, 1, 1, 0])
    #expect(errorCode { try converter.setChannelMap([0, 0]) } == .operationNotSupported)
    #expect(converter.mixMap == [0, 1, 1, 0])
  }

  @Test("A mix map outlives a reset and a downmix that is disabled for a while")
  func lifetime() throws {
    let file = PacketFile(.int16(44100, 2), bytes: ([1000, 200, 1000, 200] as [Int16]).rawBytes)
    let puller = try Puller(file, to: .int16(44100, 2))
    try puller.converter.setDownmix(true)
    try puller.converter.setMixMap([0, 1, 1, 0])
    try puller.converter.setDownmix(false)
    #expect(puller.converter.mixMap == [1, 0, 0, 1])
    #expect(puller.fill(1).0[0].int16 == [1000, 200])
    puller.converter.reset()
    try puller.converter.setDownmix(true)
    #expect(puller.converter.mixMap == [0, 1, 1, 0])
    #expect(puller.fill(1).0[0].int16 == [200, 1000])
    try puller.converter.setMixMap([])
    #expect(puller.converter.mixMap == [1, 0, 0, 1])
  }

  @Test("If no mix map was set, the property returns the mix that is in effect")
  func effective() throws {
    let wider = try AudioConverter(from: .int16(44100, 1), to: .int16(44100, 2))
    #expect(wider.mixMap == [1, 0])
    try wider.setChannelMap([0, 0])
    #expect(wider.mixMap == [1, 1])
    let narrower = try AudioConverter(from: .int16(44100, 3), to: .int16(44100, 2))
    try narrower.setDownmix(true)
    let half = Float(0.5).squareRoot()
    let expected = [1, 0, 0, 1, half, half].map { $0 / (1 + half) }
    #expect(zip(narrower.mixMap, expected).allSatisfy { abs($0 - $1) < 1e-6 })
  }
}
