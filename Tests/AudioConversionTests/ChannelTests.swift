// SPDX-License-Identifier: MIT

import AudioConversion
import AudioModel
import TestKit
import Testing

@Suite("Channels")
struct ChannelTests {
  @Test("Of more channels than outputs the rest is discarded, not mixed")
  func discarded() throws {
    #expect(try convertedFrame([1, 2, 3, 4], outputs: 2) == [1, 2])
    #expect(try convertedFrame([1, 2], outputs: 1) == [1])
  }

  @Test("Outputs beyond the channels are silent, so mono sounds on the left alone")
  func silent() throws {
    #expect(try convertedFrame([9], outputs: 2) == [9, 0])
    #expect(try convertedFrame([1, 2], outputs: 4) == [1, 2, 0, 0])
  }

  @Test("A channel map selects the channel that each output plays, and -1 is silence")
  func map() throws {
    #expect(try convertedFrame([9], outputs: 2) { try $0.setChannelMap([0, 0]) } == [9, 9])
    #expect(try convertedFrame([1, 2], outputs: 2) { try $0.setChannelMap([1, 0]) } == [2, 1])
    #expect(
      try convertedFrame([1, 2], outputs: 3) { try $0.setChannelMap([-1, 1, -1]) } == [0, 2, 0])
    #expect(
      try convertedFrame([1, 2], outputs: 2) {
        try $0.setChannelMap([1, 0])
        try $0.setChannelMap([])
      } == [1, 2])
  }

  @Test("A map outlives a reset")
  func reset() throws {
    #expect(
      try convertedFrame([9], outputs: 2) {
        try $0.setChannelMap([0, 0])
        $0.reset()
      } == [9, 9])
  }

  @Test("A map of another length is '!siz', and one of missing channels 'prop'")
  func wrongMaps() throws {
    let converter = try AudioConverter(from: .int16(44100, 1), to: .int16(44100, 2))
    #expect(errorCode { try converter.setChannelMap([0]) } == .badPropertySize)
    #expect(errorCode { try converter.setChannelMap([0, 1]) } == .propertyNotSupported)
    #expect(errorCode { try converter.setChannelMap([0, -2]) } == .propertyNotSupported)
    #expect(converter.channelMap.isEmpty)
  }

  @Test("A channel map and a downmix exclude each other: 'op??'")
  func exclusion() throws {
    let converter = try AudioConverter(from: .int16(44100, 6), to: .int16(44100, 2))
    try converter.setDownmix(true)
    #expect(errorCode { try converter.setChannelMap([0, 1]) } == .operationNotSupported)
    try converter.setDownmix(false)
    try converter.setChannelMap([2, 2])
    #expect(errorCode { try converter.setDownmix(true) } == .operationNotSupported)
    #expect(converter.channelMap == [2, 2])
  }

  @Test("A downmix sends the centre to both sides, the surrounds to theirs, and never clips")
  func downmix() throws {
    let full = try convertedFrame([32767, 32767, 32767, 32767, 32767, 32767], outputs: 2) {
      try $0.setDownmix(true)
    }
    #expect(full == [32767, 32767])
    // 1 + 2 × 0.7071 is the largest sum.
    let center = try convertedFrame([0, 0, 10000, 5000, 0, 0], outputs: 2) {
      try $0.setDownmix(true)
    }
    #expect(center == [2929, 2929])
    let left = try convertedFrame([10000, 0, 0, 0, 10000, 0], outputs: 2) {
      try $0.setDownmix(true)
    }
    #expect(left == [7071, 0])
    #expect(try convertedFrame([9], outputs: 2) { try $0.setDownmix(true) } == [9, 0])
  }

  @Test("Mono MP3 to stereo is on the left channel alone, and with a map on both")
  func mono() throws {
    let file = try PacketFile(path: Samples.monoMP3)
    let left = try Puller(file, to: .int16(44100, 2)).drain()[0].int16
    #expect(left.contains { $0 != 0 })
    #expect(stride(from: 1, to: left.count, by: 2).allSatisfy { left[$0] == 0 })
    let puller = try Puller(file, to: .int16(44100, 2))
    try puller.converter.setChannelMap([0, 0])
    let both = puller.drain()[0].int16
    #expect(stride(from: 0, to: both.count, by: 2).allSatisfy { both[$0] == both[$0 + 1] })
  }
}
