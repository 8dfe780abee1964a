// SPDX-License-Identifier: MIT

import AudioConversion
import AudioModel
import TestKit
import Testing

@Suite("Answers of the fill callback")
struct AnswerTests {
  @Test("Packets beyond those needed are kept, and used before the callback is asked again")
  func surplus() throws {
    let puller = try Puller(try Kind.linearPCM.file(), to: .float(44100, 2), packetsPerRun: 1000)
    #expect(puller.fill(100).1 == .init(packetCount: 100, status: .complete))
    #expect(puller.fill(900).1 == .init(packetCount: 900, status: .complete))
    #expect(puller.asked == [100])
    #expect(puller.fill(1).1 == .init(packetCount: 1, status: .complete))
    #expect(puller.asked == [100, 1])
  }

  @Test("With fewer packets than the minimum, the callback is asked again in the same call")
  func partial() throws {
    let puller = try Puller(try Kind.linearPCM.file(), to: .float(44100, 2), packetsPerRun: 30)
    #expect(puller.fill(100).1 == .init(packetCount: 100, status: .complete))
    #expect(puller.asked == [100, 70, 40, 10])
  }

  @Test("The minimum is counted in packets of the input")
  func minimum() throws {
    let puller = try Puller(try Kind.mp3.file(), to: .float(44100, 2))
    _ = puller.fill(3000)
    #expect(puller.asked.first == 3)
    #expect(puller.asked.last == 1)
  }

  @Test(
    "No packets at all are the end, which is remembered until a reset", arguments: Kind.allCases)
  func end(_ kind: Kind) throws {
    let puller = try Puller(try kind.file(), to: kind.destination, packetsPerRun: 64)
    let first = puller.drain()[0]
    let calls = puller.asked.count
    let (_, result) = puller.fill(100)
    #expect(result == .init(packetCount: 0, status: .endOfStream))
    #expect(result.code == 0)
    #expect(puller.asked.count == calls, "the callback was asked after the end")
    puller.converter.reset()
    puller.next = 0
    #expect(puller.drain()[0] == first)
  }

  @Test("An empty run and the status 0 are the end, too")
  func otherEnds() throws {
    for answer in [AudioConverter.Answer.packets(.init([UInt8](), count: 0)), .status(0)] {
      let puller = try Puller(try Kind.linearPCM.file(), to: .float(44100, 2))
      puller.script = [answer]
      #expect(puller.fill(10).1.status == .endOfStream)
      #expect(puller.fill(10).1.status == .endOfStream)
      #expect(puller.asked.count == 1)
    }
  }

  @Test(
    "A status stops the fill, is returned unchanged with the frames so far, and loses nothing",
    arguments: Kind.allCases)
  func status(_ kind: Kind) throws {
    let expected = try kind.reference()
    let puller = try Puller(try kind.file(), to: kind.destination, packetsPerRun: 3)
    var output: [UInt8] = []
    // 'kknd', StreamingKit's 100, -1, and two of the converter's own codes.
    let statuses: [Int32] = [0x6B6B_6E64, 100, -1, 0x666D_743F, 0x696E_737A]
    var round = 0
    while true {
      let wanted = statuses[round % statuses.count]
      round += 1
      let real = puller.next < puller.file.count ? [puller.answer(0)] : [.endOfStream]
      puller.script = real + [.status(wanted)]
      let (bytes, result) = puller.fill(5000)
      output += bytes[0]
      if result.status == .endOfStream { break }
      #expect(result.status == .stopped(wanted))
      #expect(result.code == wanted)
      puller.script = []
    }
    #expect(output == expected)
  }

  @Test("After a status the next call asks again")
  func asksAgain() throws {
    let puller = try Puller(try Kind.mp3.file(), to: .float(44100, 2))
    puller.script = [.status(7), .status(7)]
    #expect(puller.fill(10).1 == .init(packetCount: 0, status: .stopped(7)))
    #expect(puller.fill(10).1 == .init(packetCount: 0, status: .stopped(7)))
    #expect(puller.fill(10).1 == .init(packetCount: 10, status: .complete))
    #expect(puller.asked.count == 3)
  }

  @Test("A request for no frames does nothing")
  func nothing() throws {
    let puller = try Puller(try Kind.mp3.file(), to: .float(44100, 2))
    #expect(puller.fill(0).1 == .init(packetCount: 0, status: .complete))
    #expect(puller.asked.isEmpty)
  }

  @Test("A callback that calls its converter is refused")
  func reentrance() throws {
    let file = try Kind.linearPCM.file()
    let converter = try AudioConverter(decoding: file.stream, to: .float(44100, 2))
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 800, alignment: 16)
    defer { unsafe memory.deallocate() }
    var inner: AudioConverter.Fill?
    let outer = unsafe converter.fill([memory]) { _ in
      inner = unsafe converter.fill([memory]) { _ in .endOfStream }
      return .endOfStream
    }
    #expect(outer.status == .endOfStream)
    #expect(inner?.code == 0x6F70_3F3F)
  }

  @Test(
    "The output is the same for all sizes of fills and runs", arguments: Kind.allCases,
    [1, 7, 64, 1000])
  func cuts(_ kind: Kind, _ size: Int) throws {
    let expected = try kind.reference()
    var random = SystemRandomNumberGenerator()
    for runs in [1, size] {
      let puller = try Puller(try kind.file(), to: kind.destination, packetsPerRun: runs)
      #expect(puller.drain(size)[0] == expected)
    }
    let puller = try Puller(try kind.file(), to: kind.destination)
    var output: [UInt8] = []
    while true {
      puller.packetsPerRun = Int.random(in: 1...size, using: &random)
      let (bytes, result) = puller.fill(Int.random(in: 1...2 * size, using: &random))
      output += bytes[0]
      if result.status == .endOfStream { break }
    }
    #expect(output == expected)
  }
}
