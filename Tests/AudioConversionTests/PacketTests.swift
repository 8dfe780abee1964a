// SPDX-License-Identifier: MIT

import AudioConversion
import AudioModel
import TestKit
import Testing

@Suite("The packets of an answer")
struct PacketTests {
  @Test(
    "Their memory is not used once the callback is called again or fill has returned",
    arguments: Kind.allCases)
  func lifetime(_ kind: Kind) throws {
    let expected = try kind.reference()
    let file = try kind.file()
    let converter = try AudioConverter(decoding: file.stream, to: kind.destination)
    var handedOver: UnsafeMutableRawBufferPointer?
    // A use of poisoned memory is audible; the address sanitizer finds a use of freed memory.
    func release() {
      guard let memory = unsafe handedOver else { return }
      for index in memory.indices { unsafe memory[index] = 0xAA }
      unsafe memory.deallocate()
      unsafe handedOver = nil
    }
    var next = 0
    var output: [UInt8] = []
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: 8 * 700, alignment: 16)
    defer { unsafe target.deallocate() }
    while true {
      let result = unsafe converter.fill([target]) { _ in
        release()
        let count = min(5, file.count - next)
        guard count > 0 else { return .endOfStream }
        let (bytes, descriptions) = file.run(next..<next + count)
        next += count
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        unsafe memory.copyBytes(from: bytes)
        unsafe handedOver = memory
        let packets = unsafe AudioConverter.Packets(
          UnsafeRawBufferPointer(memory), descriptions: descriptions, count: count)
        return .packets(packets)
      }
      release()
      unsafe output.append(contentsOf: target[..<(8 * result.packetCount)])
      if result.status == .endOfStream { break }
    }
    #expect(output == expected)
  }

  @Test("A packet that lies outside of the buffer is 'insz', and the next call asks again")
  func outside() throws {
    let file = try Kind.mp3.file()
    let (bytes, descriptions) = file.run(0..<2)
    for (offset, size) in [(-1, 10), (0, bytes.count + 1), (bytes.count, 1), (Int.max, 10)] {
      let puller = try Puller(file, to: .float(44100, 2))
      let wrong = AudioStreamPacketDescription(
        startOffset: Int64(offset), variableFramesInPacket: 0, dataByteSize: UInt32(size))
      puller.script = [
        .packets(.init(bytes, descriptions: [descriptions[0], wrong], count: 2))
      ]
      let (_, result) = puller.fill(2000)
      #expect(result.packetCount == 0)
      #expect(result.code == 0x696E_737A)
      #expect(puller.fill(2000).1 == .init(packetCount: 2000, status: .complete))
    }
  }

  @Test("One packet without a description is all of its buffer; several are '!pkd'")
  func descriptions() throws {
    let file = try Kind.mp3.file()
    let puller = try Puller(file, to: .float(44100, 2))
    let reference = try Puller(file, to: .float(44100, 2)).fill(1152).0
    puller.script = [.packets(.init(file.run(0..<1).bytes, count: 1))]
    #expect(puller.fill(1152).0 == reference)
    puller.script = [.packets(.init(file.run(1..<3).bytes, count: 2))]
    let (_, result) = puller.fill(1152)
    #expect(result.code == 0x2170_6B64)
  }

  @Test("Of constant size, missing bytes leave only whole packets, and less than one is 'insz'")
  func clamp() throws {
    let bytes = [Int16](repeating: 1, count: 20).rawBytes
    let puller = try Puller(
      PacketFile(.int16(44100, 2), bytes: bytes), to: .int16(44100, 2))
    puller.script = [
      .packets(.init(Array(bytes[..<11]), count: 5)), .status(3),
      .packets(.init(Array(bytes[..<3]), count: 5)),
    ]
    #expect(puller.fill(5).1 == .init(packetCount: 2, status: .stopped(3)))
    #expect(puller.fill(5).1.code == 0x696E_737A)
  }

  @Test("Linear PCM may come with a description of each frame")
  func oneFrameDescriptions() throws {
    let file = try Kind.linearPCM.file()
    let puller = try Puller(file, to: file.format, packetsPerRun: 333)
    #expect(puller.drain()[0] == file.bytes)
  }

  @Test("The stated frames of a packet are ignored if the format states them")
  func statedFrames() throws {
    let file = try Kind.mp3.file()
    var (bytes, descriptions) = file.run(0..<4)
    let reference = try Puller(file, to: .float(44100, 2)).fill(4 * 1152).0
    for index in descriptions.indices { descriptions[index].variableFramesInPacket = 1 }
    let puller = try Puller(file, to: .float(44100, 2))
    puller.script = [.packets(.init(bytes, descriptions: descriptions, count: 4))]
    bytes = []
    #expect(puller.fill(4 * 1152).0 == reference)
  }

  @Test("MPEG audio yields its frames for every packet: the first, damaged ones, after a reset")
  func exactFrames() throws {
    let file = try Kind.mp3.file()
    let puller = try Puller(file, to: .float(44100, 2))
    func frames(_ packet: [UInt8]) -> Int {
      puller.script = [.packets(.init(packet, count: 1)), .status(1)]
      return puller.fill(5000).1.packetCount
    }
    #expect(frames([UInt8](repeating: 0, count: 417)) == 1152)
    #expect(puller.converter.failedPacketCount == 1)
    for index in [0, 1, 7, 3] { #expect(frames(file.run(index..<index + 1).bytes) == 1152) }
    #expect(frames([1, 2, 3]) == 1152)
    puller.converter.reset()
    // These packets are in the middle of the stream, where the bit reservoir is missing.
    for index in 6..<10 { #expect(frames(file.run(index..<index + 1).bytes) == 1152) }
  }
}
