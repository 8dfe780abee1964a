// SPDX-License-Identifier: MIT

import AudioModel
import TestKit
import Testing

@testable import PacketParser

/// Seeks in MPEG audio of every kind: exact where they claim to be, and otherwise within their bound.
@Suite struct MPEGAudioSeekTests {
  /// A file and its packets, found by parsing all of it.
  private struct File {
    var bytes: [UInt8]
    var dataOffset: Int64
    /// Each packet's byte offset from the data offset.
    var places: [Int64]

    init(_ bytes: [UInt8]) throws {
      self.bytes = bytes
      var stream = AudioFileStream()
      let recorder = parse(bytes, with: &stream).recorder
      dataOffset = try stream.dataOffset
      let start = dataOffset
      places = recorder.packetOffsets.map { $0 - start }
    }

    /// The number of the first packet that begins at or behind this byte.
    func firstPlace(notBelow byte: Int64) -> Int {
      var (low, end) = (0, places.count)
      while low < end {
        let middle = (low + end) / 2
        if places[middle] < byte { low = middle + 1 } else { end = middle }
      }
      return low
    }

    /// A parser that has parsed the first bytes.
    func stream(parsed: Int, isTold: Bool) throws -> AudioFileStream {
      var stream = AudioFileStream()
      if isTold { stream.tell(totalByteCount: Int64(bytes.count), tail: bytes.span) }
      var recorder = Recorder()
      try stream.parse(bytes.span.extracting(0..<min(parsed, bytes.count)), listener: &recorder)
      return stream
    }

    /// The first packet delivered after a seek.
    func firstPacket(
      _ stream: inout AudioFileStream, to target: AudioFileStreamSeekTarget
    ) throws -> (index: Int64, place: Int64)? {
      _ = try stream.seek(toPacket: target.packet)
      var recorder = Recorder()
      let start = min(bytes.count, Int(dataOffset + target.byteOffset))
      let end = min(bytes.count, start + 600_000)
      try stream.parse(
        bytes.span.extracting(start..<end), discontinuity: true, listener: &recorder)
      try stream.finish(listener: &recorder)
      guard
        case .packet(let index, let offset, _) = recorder.events.first(where: {
          if case .packet = $0 { true } else { false }
        })
      else { return nil }
      return (index, offset - dataOffset)
    }
  }

  /// Checks the seek target of every packet, and the translation from bytes back to packets.
  ///
  /// - Returns: the number of exact packets, and the largest bound of the others.
  @discardableResult
  private func check(
    _ file: File, parsed: Int, isTold: Bool = false
  ) throws -> (exact: Int, largestBound: Int64) {
    let stream = try file.stream(parsed: parsed, isTold: isTold)
    var exact = 0
    var largest: Int64 = 0
    for (packet, place) in file.places.enumerated() {
      let target = try stream.seekTarget(packet: Int64(packet))
      let bound = try #require(target.errorBoundInPackets, "packet \(packet) has no bound")
      #expect(target.packet == packet && target.byteOffset >= 0)
      if target.isEstimated {
        let next = file.firstPlace(notBelow: target.byteOffset)
        let isThere = next < file.places.count && file.places[next] == target.byteOffset
        let holding = isThere ? next : max(0, next - 1)
        #expect(
          abs(Int64(holding - packet)) <= bound && abs(Int64(next - packet)) <= bound,
          "packet \(packet): \(target), which is in \(holding)")
        largest = max(largest, bound)
      } else {
        exact += 1
        #expect(bound == 0)
        #expect(target.byteOffset == file.places[packet - Int(target.leadingPacketCount)])
      }
      if let found = try? stream.packet(containingByte: place), !found.isEstimated {
        #expect(found.packet == packet && found.byteOffsetInPacket == 0)
        let last = try stream.packet(containingByte: place + 3)
        #expect(last.packet == packet && last.byteOffsetInPacket == 3)
      }
    }
    return (exact, largest)
  }

  private static let long =
    "ffmpeg -v error -y -f lavfi -i \"aevalsrc='0.4*sin(440*t*(1+t/4)*6.28)*lt(mod(t\\,3)\\,1.6)"
    + "+0.1*random(0)*gt(mod(t\\,4)\\,2.3)':s=44100:d=12\" -ac 2 in.wav"

  @Test(
    "No seek misses by more than its bound",
    arguments: [
      "lame --quiet -b 128", "lame --quiet -t -b 128", "lame --quiet -b 320",
      "lame --quiet -t -b 56 --resample 22.05", "lame --quiet -V 4", "lame --quiet -V 0",
      "lame --quiet -V 9 -m m", "lame --quiet --abr 100", "lame --quiet --abr 150 --resample 16",
      "lame --quiet -t -V 4", "lame --quiet -t --abr 100", "lame --quiet --freeformat -b 100",
      "twolame --quiet --vbr", "twolame --quiet -b 192",
      "f() { ffmpeg -v error -y -i $1 -q:a 4 -f mp3 $2; }; f",
      "f() { ffmpeg -v error -y -i $1 -q:a 4 -write_xing 0 -f mp3 $2; }; f",
    ])
  func bounds(_ encoder: String) throws {
    let workshop = Workshop()
    try workshop.run("\(Self.long) && \(encoder) in.wav out.mp3")
    let file = try File(try workshop.read("out.mp3"))
    var lastExact = 0
    for parsed in [Int(file.dataOffset) + 4500, 40_000, 120_000, file.bytes.count] {
      for isTold in [false, true] {
        let (exact, _) = try check(file, parsed: parsed, isTold: isTold)
        if !isTold {
          #expect(exact >= lastExact, "it grows exact")
          lastExact = exact
        }
      }
    }
    #expect(lastExact == file.places.count, "all of it was seen")
  }

  @Test("A table's bound depends on its resolution, not on packet sizes")
  func tableBound() throws {
    let workshop = Workshop()
    try workshop.run("\(Self.long) && lame --quiet -V 4 in.wav out.mp3")
    let file = try File(try workshop.read("out.mp3"))
    let bound = try check(file, parsed: Int(file.dataOffset) + 4500).largestBound
    #expect(bound < Int64(file.places.count) / 10, "\(bound) of \(file.places.count)")
  }

  @Test("A variable bit rate that begins with equal packets is not mistaken for a constant one")
  func quietBeginning() throws {
    let workshop = Workshop()
    try workshop.run(
      "ffmpeg -v error -y -f lavfi -i \"aevalsrc='0.4*sin(440*t*t)*gt(t\\,4)+0.1*random(0)*gt(t\\,6)'"
        + ":s=44100:d=9\" -ac 2 in.wav && lame --quiet -t -V 4 in.wav out.mp3")
    let file = try File(try workshop.read("out.mp3"))
    try check(file, parsed: 10_000, isTold: true)
  }

  @Test("A VBRI table's bound holds, whatever its scale", arguments: [1, 3, 20])
  func vbri(_ scale: Int) throws {
    var frames: [[UInt8]] = []
    for index in 0..<300 {
      let isLarge = index / 40 % 2 == 1
      frames.append(
        SyntheticFrame(bitRateIndex: isLarge ? 11 : 5, byteCount: isLarge ? 626 : 208)
          .bytes(seed: index))
    }
    let packetsPerEntry = 8
    var entries: [Int] = []
    for start in stride(from: 0, to: 300, by: packetsPerEntry) {
      let run = frames[start..<min(300, start + packetsPerEntry)]
      entries.append((run.reduce(0) { $0 + $1.count } + (start == 0 ? 417 : 0)) / scale)
    }
    let tag = SyntheticTag.vbri(
      frames: 300, bytes: 417 + frames.reduce(0) { $0 + $1.count }, entries: entries, scale: scale,
      packetsPerEntry: packetsPerEntry)
    let file = try File(tag + frames.flatMap { $0 })
    #expect(file.places.count == 300 && file.dataOffset == 417)
    for parsed in [3000, 20_000] {
      let bound = try check(file, parsed: parsed).largestBound
      #expect(bound <= (scale == 1 ? 20 : scale == 3 ? 30 : 80), "\(bound)")
    }
  }

  @Test("A seek into packets that were seen delivers exactly the requested one")
  func seenPackets() throws {
    let workshop = Workshop()
    try workshop.run("\(Self.long) && lame --quiet -t -V 4 in.wav out.mp3")
    let tag = SyntheticTag.id3v2(300)
    var bytes = try workshop.read("out.mp3")
    // A tag and garbage in the middle do not affect the index.
    let middle = try File(bytes)
    bytes.insert(contentsOf: garbage(500), at: Int(middle.dataOffset + middle.places[200]))
    bytes.insert(contentsOf: tag, at: Int(middle.dataOffset + middle.places[100]))
    bytes.insert(contentsOf: garbage(300), at: Int(middle.dataOffset + middle.places[99]))
    let file = try File(bytes)
    for packet in [0, 1, 98, 99, 100, 199, 200, 201, 400] {
      var stream = try file.stream(parsed: bytes.count, isTold: false)
      let target = try stream.seekTarget(packet: Int64(packet))
      #expect(!target.isEstimated)
      let first = try #require(try file.firstPacket(&stream, to: target))
      #expect(first.index == packet && first.place == file.places[packet], "packet \(packet)")
    }
  }

  @Test("After a seek back, the index continues to grow from its end")
  func growsAfterSeek() throws {
    let workshop = Workshop()
    try workshop.run("\(Self.long) && lame --quiet -t -V 4 in.wav out.mp3")
    let file = try File(try workshop.read("out.mp3"))
    var stream = try file.stream(parsed: 50_000, isTold: false)
    #expect(try stream.seekTarget(packet: 440).isEstimated)
    var recorder = Recorder()
    // An estimated seek ahead first: the packets found there are not added to the index.
    let ahead = try stream.seek(toPacket: 300)
    #expect(ahead.isEstimated)
    var start = Int(file.dataOffset + ahead.byteOffset)
    try stream.parse(
      file.bytes.span.extracting(start..<start + 20_000), discontinuity: true, listener: &recorder)
    #expect(try stream.seekTarget(packet: 440).isEstimated)
    let back = try stream.seek(toPacket: 20)
    #expect(!back.isEstimated)
    start = Int(file.dataOffset + back.byteOffset)
    recorder = Recorder()
    try stream.parse(
      file.bytes.span.extracting(start..<file.bytes.count), discontinuity: true, listener: &recorder
    )
    for packet in file.places.indices.dropLast() {
      let target = try stream.seekTarget(packet: Int64(packet))
      #expect(!target.isEstimated && target.byteOffset == file.places[packet])
    }
  }

  @Test("After a discontinuity, nothing is added to the index")
  func discontinuity() throws {
    var bytes: [UInt8] = []
    for index in 0..<200 {
      let isLarge = index / 9 % 2 == 1
      let frame = SyntheticFrame(bitRateIndex: isLarge ? 11 : 5, byteCount: isLarge ? 626 : 208)
      bytes += frame.bytes(seed: index)
    }
    let file = try File(bytes)
    var stream = try file.stream(parsed: 20_000, isTold: false)
    var recorder = Recorder()
    try stream.parse(
      bytes.span.extracting(50_000..<bytes.count), discontinuity: true, listener: &recorder)
    for (packet, place) in file.places.enumerated() {
      guard let target = try? stream.seekTarget(packet: Int64(packet)) else { continue }
      #expect(target.isEstimated == (place + 620 > 20_000) || target.byteOffset == place)
      #expect(target.isEstimated || target.byteOffset == place)
    }
  }

  @Test("Packets of the first format are found again when the stream has changed to another")
  func formatChange() throws {
    let first = SyntheticFrame.stream(30)
    let other = SyntheticFrame(rateIndex: 1, byteCount: 384)
    let second = (0..<30).flatMap { other.bytes(seed: $0) }
    let file = try File(first + second)
    #expect(file.places.count == 60)
    for packet in [0, 7, 29] {
      var stream = try file.stream(parsed: file.bytes.count, isTold: false)
      #expect(try stream.dataFormat.sampleRate == 48_000)
      let target = try stream.seekTarget(packet: Int64(packet))
      #expect(!target.isEstimated)
      let found = try #require(try file.firstPacket(&stream, to: target))
      #expect(found.index == packet && found.place == file.places[packet])
    }
  }

  @Test("The packet count found at the end stays known after a seek")
  func countStays() throws {
    let file = try File(SyntheticFrame.stream(50))
    var stream = AudioFileStream()
    _ = parse(file.bytes, with: &stream)
    #expect(try stream.audioDataPacketCount == 50)
    let target = try stream.seekTarget(packet: 10)
    _ = try file.firstPacket(&stream, to: target)
    #expect(try stream.audioDataPacketCount == 50)
    #expect(try stream.audioDataByteCount == Int64(file.bytes.count))
    #expect(try stream.duration.evidence == .packetCount)
  }
}
