// SPDX-License-Identifier: MIT

import ByteSources
import Glibc
import PacketParser
import TestKit
import Testing

@testable import PlayerEngine

@Suite("Stream driver")
struct StreamDriverTests {
  private static let sound: [UInt8] = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) }

  /// Returns a WAVE file of 8-bit mono with chunks before and behind its sound.
  private static func wave(junkBytes: Int, behind: Int = 0) -> [UInt8] {
    func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
      Array(name.utf8) + little(body.count) + body
    }
    let format: [UInt8] = [1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0x40, 0x1F, 0, 0, 1, 0, 8, 0]
    var chunks = chunk("fmt ", format)
    if junkBytes > 0 { chunks += chunk("JUNK", [UInt8](repeating: 0x55, count: junkBytes)) }
    chunks += chunk("data", sound)
    if behind > 0 { chunks += chunk("LIST", [UInt8](repeating: 0x77, count: behind)) }
    return Array("RIFF".utf8) + little(chunks.count + 4) + Array("WAVE".utf8) + chunks
  }

  private static func little(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// Steps to the end, and returns the error if one occurred.
  private func run(_ driver: StreamDriver<PacketRecorder>) -> PlayerError? {
    do throws(PlayerError) {
      for _ in 0..<1_000_000 {
        if try driver.step(timeoutNanoseconds: 1_000_000_000) == .ended { return nil }
      }
      Issue.record("it does not end")
      return nil
    } catch {
      return error
    }
  }

  /// Returns whether the sound arrived whole. A Boolean keeps the bytes out of a failure's message.
  private func hasSound(_ driver: StreamDriver<PacketRecorder>) -> Bool {
    driver.listener.bytes == Self.sound
  }

  @Test("A large chunk that is not audio is skipped without being read")
  func largeChunk() {
    let file = Self.wave(junkBytes: 1_000_000)
    for manner in [MemorySource.Manner.server(offersRanges: true), .file] {
      let source = MemorySource(file, manner)
      let driver = StreamDriver(source, listener: PacketRecorder())
      #expect(run(driver) == nil)
      #expect(hasSound(driver))
      let behindTheChunk: UInt64 = 1_000_044
      #expect(source.repositions.last == behindTheChunk)
      #expect(source.bytesRead < 400_000)
      let seconds = try? driver.stream.duration.seconds
      #expect(seconds == 25)
    }
  }

  @Test("A small chunk is read and dropped, and so is any chunk of a source that cannot seek")
  func readOn() {
    let manners: [(MemorySource.Manner, Int)] = [
      (.server(offersRanges: true), 60_000), (.server(offersRanges: false), 1_000_000),
      (.pipe, 1_000_000), (.server(offersRanges: true), 0),
    ]
    for (manner, junk) in manners {
      let file = Self.wave(junkBytes: junk, behind: 1000)
      let source = MemorySource(file, manner)
      let driver = StreamDriver(source, listener: PacketRecorder())
      #expect(run(driver) == nil)
      #expect(hasSound(driver))
      #expect(source.repositions == [] && source.bytesRead == file.count)
    }
  }

  @Test("The last 128 KiB of a file are read first, and a shorter file from its start")
  func tail() {
    let long = MemorySource(Self.wave(junkBytes: 0), .file)
    #expect(run(StreamDriver(long, listener: PacketRecorder())) == nil)
    let tailStart = UInt64(long.bytes.count - (128 << 10))
    #expect(long.repositions == [tailStart, 0])
    let short = MemorySource(Array(long.bytes[..<100_000]), .file)
    let driver = StreamDriver(short, listener: PacketRecorder())
    #expect(run(driver) == nil)
    #expect(short.repositions == [0, 0])
    #expect(driver.listener.packetCount == 100_000 - 44)
  }

  @Test(
    "Pieces of any size, of the source or for the parser, yield the same packets",
    arguments: [1, 7, 4096])
  func slices(_ count: Int) {
    let file = Self.wave(junkBytes: 90_002, behind: 70_000)
    for manner in [MemorySource.Manner.file, .server(offersRanges: true), .pipe] {
      let source = MemorySource(file, manner)
      let sliced = StreamDriver(source, sliceBytes: count, listener: PacketRecorder())
      #expect(run(sliced) == nil)
      #expect(hasSound(sliced))
      let pieces = MemorySource(file, manner)
      pieces.pieceBytes = count
      let driver = StreamDriver(pieces, listener: PacketRecorder())
      #expect(run(driver) == nil)
      #expect(hasSound(driver))
    }
  }

  @Test("A chunk that claims to extend beyond the end is the end")
  func beyondTheEnd() {
    var file = Self.wave(junkBytes: 1_000_000)
    file.replaceSubrange(40..<44, with: [0xF0, 0xFF, 0xFF, 0xFF])
    for manner in [MemorySource.Manner.server(offersRanges: true), .file, .pipe] {
      let source = MemorySource(file, manner)
      let error = run(StreamDriver(source, listener: PacketRecorder()))
      guard case .parser(let reason)? = error?.reason else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(reason.code == .invalidFile)
      #expect(source.repositions.allSatisfy { $0 < 2_000_000 })
    }
  }

  @Test("A file that shrinks or grows while it is read causes no crash")
  func changingLength() throws {
    for manner in [MemorySource.Manner.server(offersRanges: true), .file] {
      for change in 0..<4 {
        let source = MemorySource(Self.wave(junkBytes: 100_000), manner)
        let whole = source.bytes
        let driver = StreamDriver(source, listener: PacketRecorder())
        if change == 0 { source.bytes = Array(whole[..<50_000]) }
        if change == 1 { source.bytes = Array(whole[..<20]) }
        _ = try? driver.step(timeoutNanoseconds: 0)
        _ = try? driver.step(timeoutNanoseconds: 0)
        if change == 2 { source.bytes = Array(whole[..<120_000]) }
        if change == 3 { source.bytes = whole + whole }
        _ = run(driver)
        let bytes = driver.listener.bytes
        let isStart = Self.sound.starts(with: bytes)
        #expect(isStart, "\(change)")
        #expect(bytes.isEmpty == (change < 2), "\(change)")
      }
    }
  }

  @Test("Packets before a failure of the source are reported")
  func brokenSource() {
    let source = MemorySource(Self.wave(junkBytes: 0), .server(offersRanges: true))
    source.breaksAt = 100_000
    let driver = StreamDriver(source, listener: PacketRecorder())
    let error = run(driver)
    #expect(
      error?.reason
        == .source(
          ByteSourceError(
            .interrupted(receivedBytes: 100_000, expectedBytes: nil), at: "memory")))
    #expect(driver.listener.packetCount == 100_000 - 44)
    #expect(run(driver) == nil)
  }

  @Test("Bytes behind a discontinuity are parsed separately: no packet is joined of both sides")
  func discontinuity() {
    let file = contents(ofFile: Fixtures.path("mp3-cbr128-44100-2.mp3"))
    func packets(_ bytes: [UInt8], discontinuities: [Int] = [], pieceBytes: Int = .max) -> [UInt8] {
      let source = MemorySource(bytes, .pipe)
      source.discontinuities = discontinuities
      source.pieceBytes = pieceBytes
      let driver = StreamDriver(source, listener: PacketRecorder())
      let error = run(driver)
      #expect(error == nil)
      return driver.listener.bytes
    }
    // The cut is within one frame, and the continuation within another.
    for (cut, next) in [(20_000, 40_123), (20_001, 20_003), (30_000, 9_000)] {
      let (one, other) = (Array(file[..<cut]), Array(file[next...]))
      let separate = packets(one) + packets(other)
      for pieceBytes in [Int.max, 1000, 417] {
        let joined = packets(one + other, discontinuities: [cut], pieceBytes: pieceBytes)
        let isSame = joined == separate
        #expect(isSame, "\(cut), \(next), \(pieceBytes)")
      }
    }
  }

  /// Returns ADTS frames of stereo at 44.1 kHz, which no test decodes.
  private static func adts(frameCount: Int) -> [UInt8] {
    let byteCount = 207
    let header: [UInt8] = [
      0xFF, 0xF1, 0x50, 0x80 | UInt8(byteCount >> 11), UInt8(byteCount >> 3 & 0xFF),
      UInt8(byteCount & 7) << 5 | 0x1F, 0xFC,
    ]
    return (0..<frameCount).flatMap { _ in header + [UInt8](repeating: 0x55, count: 200) }
  }

  @Test("Live sound that returns in another format continues as another stream")
  func otherFormat() {
    let layer3 = contents(ofFile: Fixtures.path("mp3-cbr128-44100-2.mp3"))
    let formats = [Array(layer3[..<30_000]), Self.adts(frameCount: 200), Self.wave(junkBytes: 100)]
    func packets(_ bytes: [UInt8], discontinuities: [Int] = [], pieceBytes: Int = .max) -> [UInt8] {
      let source = MemorySource(bytes, .pipe)
      source.discontinuities = discontinuities
      source.pieceBytes = pieceBytes
      let driver = StreamDriver(source, listener: PacketRecorder())
      #expect(run(driver) == nil)
      #expect(
        driver.listener.offsets == driver.listener.offsets.sorted() || !discontinuities.isEmpty)
      return driver.listener.bytes
    }
    for (index, former) in formats.enumerated() {
      // A stream with a head also starts again in its own format; the others are searched for frames.
      for (place, next) in formats.enumerated() where place != index || index == 2 {
        let one = Array(former[..<20_011])
        let separate = packets(one) + packets(next)
        for pieceBytes in [Int.max, 1000] {
          let joined = packets(one + next, discontinuities: [one.count], pieceBytes: pieceBytes)
          let isSame = joined == separate
          #expect(isSame, "\(index) to \(place), pieces of \(pieceBytes)")
        }
      }
    }
  }

  @Test("Live sound without further frames ends with an error, in bounded bytes")
  func nothingFound() {
    let layer3 = contents(ofFile: Fixtures.path("mp3-cbr128-44100-2.mp3"))
    for filler: UInt8 in [0, 0x55, 0xFF] {
      let one = Array(layer3[..<30_000])
      let source = MemorySource(one + [UInt8](repeating: filler, count: 4 << 20), .pipe)
      source.discontinuities = [one.count]
      let driver = StreamDriver(source, listener: PacketRecorder())
      guard case .parser(let error)? = run(driver)?.reason else {
        Issue.record("no error")
        continue
      }
      #expect(error.code == .invalidFile)
      #expect(source.bytesRead < 3 << 20)
      let isKept = driver.listener.packetCount > 60
      #expect(isKept)
    }
  }

  @Test("A head that was lost before its end is read again")
  func lostHead() {
    let file = Self.wave(junkBytes: 1000)
    for cut in [1, 11, 12, 30, 500] {
      let source = MemorySource(Array(file[..<cut]) + file, .pipe)
      source.discontinuities = [cut]
      let driver = StreamDriver(source, listener: PacketRecorder())
      #expect(run(driver) == nil)
      #expect(hasSound(driver), "\(cut)")
    }
  }

  @Test("Linear PCM reports that it cannot continue behind a discontinuity")
  func discontinuousWave() {
    // A repeated 0xFF might be the start of frames.
    let other = (0..<100_000).map { UInt8($0 % 251) }
    let source = MemorySource(Self.wave(junkBytes: 0)[..<100_000] + other, .pipe)
    source.discontinuities = [100_000]
    let driver = StreamDriver(source, listener: PacketRecorder())
    guard case .parser(let error)? = run(driver)?.reason else {
      Issue.record("no error")
      return
    }
    #expect(error.code == .discontinuityCantRecover)
  }

  @Test("A server whose first byte comes late, behind its response's head, gets one request")
  func lateBody() throws {
    let server = LoopbackHTTPServer()
    defer { server.stop() }
    let gate = Gate()
    var plan = ResponsePlan(body: .bytes(Self.wave(junkBytes: 0)), ranges: .honoured)
    plan.fault = .stall(afterBytes: 0, until: gate)
    server.serve("/late", plan)
    let driver = StreamDriver(
      try openByteSource(server.url("/late")), listener: PacketRecorder())
    let hasAnswered = try eventually {
      let step = try driver.step(timeoutNanoseconds: 1_000_000)
      #expect(step == .waiting)
      return driver.source.information.isRepositionable
    }
    try #require(hasAnswered)
    for _ in 0..<3 {
      #expect(try driver.step(timeoutNanoseconds: 1_000_000) == .waiting)
    }
    gate.open()
    #expect(run(driver) == nil)
    #expect(hasSound(driver))
    #expect(server.requests.count == 1)
  }

  @Test("Over HTTP a large chunk costs one more request, and a wrong answer to it is an error")
  func overHTTP() throws {
    let server = LoopbackHTTPServer()
    defer { server.stop() }
    let file = Self.wave(junkBytes: 1_000_000)
    func serve(_ path: String, _ ranges: ResponsePlan.Ranges) {
      server.serve(path, ResponsePlan(body: .bytes(file), ranges: ranges))
    }
    serve("/ranges", .honoured)
    serve("/none", .notOffered)
    for (path, requests) in [("/ranges", 2), ("/none", 1)] {
      let driver = StreamDriver(
        try openByteSource(server.url(path)), listener: PacketRecorder())
      #expect(run(driver) == nil)
      #expect(hasSound(driver))
      #expect(server.requests.count { $0.target == path } == requests)
    }
    serve("/ignored", .ignored)
    let driver = StreamDriver(
      try openByteSource(server.url("/ignored")), listener: PacketRecorder())
    guard case .source(let error)? = run(driver)?.reason else {
      Issue.record("no error")
      return
    }
    #expect(error.reason == .wrongRange(byteOffset: 1_000_044))
    #expect(driver.listener.bytes == [])
  }
}
