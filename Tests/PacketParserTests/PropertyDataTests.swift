// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import Testing

/// Properties as C structures: their sizes, bytes, and errors.
@Suite struct PropertyDataTests {
  private func stream(_ bytes: [UInt8]) throws -> AudioFileStream {
    var stream = AudioFileStream()
    stream.tell(totalByteCount: Int64(bytes.count), tail: bytes.span)
    let (recorder, error) = parse(bytes, with: &stream)
    #expect(error == nil && recorder.failures == [])
    return stream
  }

  private func copied(
    _ stream: borrowing AudioFileStream, _ property: AudioFileStreamPropertyID, room: Int? = nil
  ) throws(AudioFileStreamError) -> [UInt8] {
    var buffer = [UInt8](repeating: 0xEE, count: room ?? 1000)
    var span = buffer.mutableSpan
    let count = try stream.copyProperty(property, into: &span)
    return Array(buffer[..<count])
  }

  private static let mp3: [UInt8] = {
    let maker = SyntheticID3(version: 3)
    let words = "0 00000240 00000351 0000000000001E6F"
    return maker.tag(maker.frame("TXXX", [0] + "iTunSMPB\0\(words)".utf8))
      + SyntheticFrame.stream(8)
  }()

  @Test("Every property has the size of its C type")
  func sizes() throws {
    let stream = try stream(Self.mp3)
    let sizes: [(AudioFileStreamPropertyID, Int)] = [
      (.readyToProducePackets, 4), (.fileFormat, 4), (.dataFormat, 40), (.formatList, 48),
      (.channelLayout, 12), (.dataOffset, 8), (.audioDataByteCount, 8),
      (.audioDataPacketCount, 8), (.maximumPacketSize, 4), (.packetSizeUpperBound, 4),
      (.averageBytesPerPacket, 8), (.bitRate, 4), (.packetTableInfo, 16),
    ]
    for (property, size) in sizes {
      #expect(try stream.propertyByteCount(property) == size, "\(property)")
      #expect(try copied(stream, property).count == size)
      #expect(try copied(stream, property, room: size).count == size)
      do throws(AudioFileStreamError) {
        _ = try copied(stream, property, room: size - 1)
        Issue.record("no error for \(property)")
      } catch {
        #expect(error.code == .badPropertySize)
      }
    }
  }

  @Test("The bytes are the fields in the header's order, little-endian")
  func bytes() throws {
    let stream = try stream(Self.mp3)
    #expect(try copied(stream, .fileFormat) == [UInt8]("3GPM".utf8))
    #expect(try copied(stream, .readyToProducePackets) == [1, 0, 0, 0])
    let audioBytes = SyntheticFrame.stream(8).count
    #expect(try copied(stream, .dataOffset) == littleEndian(Self.mp3.count - audioBytes, 8))
    #expect(try copied(stream, .audioDataByteCount) == littleEndian(audioBytes, 8))
    #expect(try copied(stream, .audioDataPacketCount) == littleEndian(8, 8))
    #expect(try copied(stream, .bitRate) == littleEndian(128_000, 4))
    #expect(try copied(stream, .maximumPacketSize) == littleEndian(418, 4))
    #expect(
      try copied(stream, .averageBytesPerPacket)
        == littleEndian(Int(bitPattern: UInt((Double(audioBytes) / 8).bitPattern)), 8))
    #expect(
      try copied(stream, .packetTableInfo)
        == littleEndian(0x1E6F, 8) + littleEndian(0x240, 4) + littleEndian(0x351, 4))
    let format =
      littleEndian(Int(bitPattern: UInt((44_100.0).bitPattern)), 8) + [UInt8]("3pm.".utf8)
      + littleEndian(0, 4) + littleEndian(0, 4) + littleEndian(1152, 4) + littleEndian(0, 4)
      + littleEndian(2, 4) + littleEndian(0, 4) + littleEndian(0, 4)
    #expect(try copied(stream, .dataFormat) == format)
    #expect(
      try copied(stream, .formatList) == format + littleEndian(101 << 16 | 2, 4) + [0, 0, 0, 0])
    #expect(
      try copied(stream, .channelLayout)
        == littleEndian(0x10000, 4) + littleEndian(3, 4) + littleEndian(0, 4))
  }

  @Test("Properties without a C form, without a value, or requested too early are refused")
  func refusals() throws {
    let stream = try stream(SyntheticFrame.stream(8))
    func code(
      _ stream: borrowing AudioFileStream, _ property: AudioFileStreamPropertyID
    ) -> AudioFileStreamError.Code? {
      do throws(AudioFileStreamError) {
        _ = try stream.propertyByteCount(property)
        return nil
      } catch {
        return error.code
      }
    }
    for property in [
      AudioFileStreamPropertyID.infoDictionary, .packetToFrame, .frameToPacket, .packetToByte,
      .byteToPacket, .magicCookieData, AudioFileStreamPropertyID(rawValue: "zzzz"),
    ] { #expect(code(stream, property) == .unsupportedProperty, "\(property)") }
    #expect(code(stream, .packetTableInfo) == .valueUnknown)
    let new = AudioFileStream()
    #expect(code(new, .dataFormat) == .dataUnavailable)
    #expect(try copied(new, .readyToProducePackets) == [0, 0, 0, 0])
  }
}
