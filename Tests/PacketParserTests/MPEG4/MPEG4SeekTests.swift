// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Seeks in MPEG-4, and the packets found there.
@Suite struct MPEG4SeekTests {
  static let recipes: [MPEG4OracleTests.Recipe] = [
    .init("out.m4a", "\(MPEG4OracleTests.sound()) -c:a aac -movflags +faststart"),
    .init("out.m4a", "\(MPEG4OracleTests.sound()) -c:a libvorbis -f mp4 -movflags +faststart"),
    .init("out.mp4", "\(MPEG4OracleTests.video) -c:a aac -movflags +faststart"),
    .init(
      "out.mp4", "\(MPEG4OracleTests.sound()) -c:a aac -frag_duration 300000 -movflags +empty_moov"),
    .init(
      "out.mp4",
      "\(MPEG4OracleTests.sound(48_000)) -c:a libopus -frag_duration 300000 -movflags +empty_moov"),
    .init(
      "out.mp4", "\(MPEG4OracleTests.video) -c:a aac -frag_duration 300000 -movflags +frag_keyframe"
    ),
    .init(
      "out.mp4",
      "\(MPEG4OracleTests.sound()) -c:a aac -frag_duration 300000 "
        + "-movflags +dash+empty_moov+global_sidx"),
    .init(
      "out.mp4",
      "\(MPEG4OracleTests.sound()) -c:a aac -frag_duration 300000 -movflags frag_keyframe"
    ),
    .init("out.mp4", "\(MPEG4OracleTests.sound()) -c:a aac -frag_duration 300000 -f ismv"),
  ]

  @Test(
    "Every packet that was seen is found exactly, and its byte and frame translate back",
    arguments: recipes)
  func seen(_ recipe: MPEG4OracleTests.Recipe) throws {
    let workshop = Workshop()
    try workshop.run("\(recipe.arguments) \(recipe.name)")
    let bytes = try workshop.read(recipe.name)
    var stream = AudioFileStream()
    let (recorder, error) = parse(bytes, with: &stream)
    #expect(error == nil)
    let packets = recorder.packets
    let places = recorder.placedPackets
    let framesPerPacket = Int64(try stream.dataFormat.framesPerPacket)
    let dataOffset = try stream.dataOffset
    for number in packets.indices.shuffled().prefix(60) + [0, packets.count - 1] {
      let target = try stream.seek(toPacket: Int64(number))
      #expect(!target.isEstimated && target.byteOffset >= 0)
      let first = try #require(firstPacket(bytes, &stream))
      #expect(first.number == Int64(number) && first.bytes == packets[number])
      guard recipe.arguments.contains("faststart") else { continue }
      let byte = places[number].offset - dataOffset
      #expect(target.byteOffset == byte && target.leadingPacketCount == 0)
      #expect(try stream.byte(ofPacket: Int64(number)).byte == byte)
      let found = try stream.packet(containingByte: byte + Int64(places[number].byteCount) - 1)
      #expect(found.packet == Int64(number) && !found.isEstimated)
      #expect(found.byteOffsetInPacket == Int64(places[number].byteCount) - 1)
      let frame = try stream.firstFrame(ofPacket: Int64(number))
      if framesPerPacket > 0 { #expect(frame == Int64(number) * framesPerPacket) }
      let held = try stream.packet(containingFrame: frame)
      #expect(framesPerPacket == 0 || held.packet == Int64(number))
      #expect(held.frameOffsetInPacket == 0)
    }
    #expect(throws: AudioFileStreamError.self) { try stream.seekTarget(packet: -1) }
  }

  /// Parses from the seek's byte offset until a packet is delivered.
  private func firstPacket(
    _ bytes: [UInt8], _ stream: inout AudioFileStream
  ) -> (number: Int64, bytes: [UInt8])? {
    var recorder = Recorder()
    var place = Int(clamping: stream.nextByteOffset)
    while place < bytes.count, recorder.packetCount == 0 {
      let end = min(bytes.count, place + 700)
      guard (try? stream.parse(bytes.span.extracting(place..<end), listener: &recorder)) != nil
      else {
        return nil
      }
      place = end
    }
    guard let number = recorder.packetNumbers.first, let packet = recorder.packets.first else {
      return nil
    }
    return (number, packet)
  }

  @Test(
    "After a seek, all packets up to the end are delivered with their numbers and times",
    arguments: recipes)
  func upToTheEnd(_ recipe: MPEG4OracleTests.Recipe) throws {
    let workshop = Workshop()
    try workshop.run("\(recipe.arguments) \(recipe.name)")
    try checkSeeks(try workshop.read(recipe.name), every: 13)
  }

  @Test("Fragments that follow a table, or state no time, lose no packet after a seek")
  func fragmentsUpToTheEnd() throws {
    let fragments = [[5, 6, 7, 8], [4, 3, 2, 1], [9, 9, 9, 9]]
    for table in [[], [[10, 20], [30]]] {
      for hasTime in [true, false] {
        try checkSeeks(
          MPEG4IndexTests.fragmented(fragments, table: table, hasTime: hasTime), every: 1)
      }
    }
  }

  /// Seeks to some of the packets, and parses to the end each time.
  private func checkSeeks(_ bytes: [UInt8], every step: Int) throws {
    var stream = AudioFileStream()
    let (whole, error) = parse(bytes, with: &stream)
    #expect(error == nil)
    let packets = whole.events.filter(\.isOfPacket)
    for number in stride(from: 0, to: whole.packetCount, by: step).shuffled() {
      _ = try stream.seek(toPacket: Int64(number))
      var recorder = Recorder()
      let start = Int(stream.nextByteOffset)
      try stream.parse(bytes.span.extracting(start..<bytes.count), listener: &recorder)
      try stream.finish(listener: &recorder)
      let rest = recorder.events.filter(\.isOfPacket)
      #expect(recorder.packetNumbers == Array(Int64(number)..<Int64(whole.packetCount)))
      let isSame = rest == packets.suffix(rest.count)
      #expect(isSame, "from packet \(number)")
    }
  }

  @Test("If a fragment states no time, an estimated packet's number and frame agree")
  func estimatedWithoutTime() throws {
    let bytes = MPEG4IndexTests.fragmented(
      [[5, 6, 7, 8], [4, 3, 2, 1], [9, 9, 9, 9]], hasTime: false)
    var stream = AudioFileStream()
    var recorder = Recorder()
    var place = 0
    while recorder.packetCount == 0 {
      try stream.parse(bytes.span.extracting(place..<place + 1), listener: &recorder)
      place += 1
    }
    #expect(try stream.seek(toPacket: 9).isEstimated)
    recorder = Recorder()
    // A fragment follows, whatever the byte offset.
    try stream.parse(bytes.span.extracting(place..<bytes.count), listener: &recorder)
    #expect(recorder.packetNumbers.first == 9)
    let times = recorder.events.compactMap { event -> Int64? in
      if case .time(let frame, _) = event { frame } else { nil }
    }
    #expect(times == recorder.packetNumbers.map { $0 * 1024 })
  }

  @Test(
    "In a fragmented stream, a packet not seen yet is found by its time",
    arguments: ["empty_moov", "dash+empty_moov+global_sidx"])
  func unseen(_ flags: String) throws {
    let workshop = Workshop()
    try workshop.run(
      "\(MPEG4OracleTests.sound()) -c:a aac -frag_duration 300000 -movflags +\(flags) out.mp4")
    let bytes = try workshop.read("out.mp4")
    let all = parse(bytes).recorder.packets
    for number in stride(from: 20, to: all.count, by: 7) {
      var stream = AudioFileStream()
      var recorder = Recorder()
      // Parse only up to the first packets.
      var place = 0
      while recorder.packetCount == 0 {
        try stream.parse(bytes.span.extracting(place..<place + 100), listener: &recorder)
        place += 100
      }
      let target = try stream.seek(toPacket: Int64(number))
      #expect(target.isEstimated)
      let first = try #require(firstPacket(bytes, &stream))
      // The packet's number is its true one in any case.
      #expect(first.bytes == all[Int(first.number)])
      if flags.hasPrefix("dash") {
        #expect(first.number == Int64(number))
        #expect((target.errorBoundInPackets ?? .max) < 20)
      }
    }
  }

  @Test("A fragmented stream recovers from a discontinuity at the next fragment")
  func lostContinuity() throws {
    let workshop = Workshop()
    try workshop.run(
      "\(MPEG4OracleTests.sound()) -c:a aac -frag_duration 200000 -movflags +empty_moov out.mp4")
    let bytes = try workshop.read("out.mp4")
    let all = parse(bytes).recorder.packets
    var stream = AudioFileStream()
    var recorder = Recorder()
    try stream.parse(bytes.span.extracting(0..<6000), listener: &recorder)
    #expect(recorder.packetCount > 0)
    recorder = Recorder()
    let rest = bytes.count / 2
    try stream.parse(
      bytes.span.extracting(rest..<bytes.count), discontinuity: true, listener: &recorder)
    try stream.finish(listener: &recorder)
    #expect(recorder.packetCount > 20)
    for (number, packet) in zip(recorder.packetNumbers, recorder.packets) {
      #expect(packet == all[Int(number)])
    }
  }

  @Test("Packets that differ in duration translate to frames and back")
  func variableFrames() throws {
    var file = SyntheticMPEG4()
    file.entry = SyntheticMPEG4.entry("what", rate: 48_000)
    file.timescale = 24_000
    file.durations = [(3, 1000), (2, 500), (3, 1)]
    var stream = AudioFileStream()
    let (recorder, error) = parse(file.bytes, with: &stream)
    #expect(error == nil)
    let frames = recorder.events.compactMap { event -> UInt32? in
      if case .time(_, let frames) = event { frames } else { nil }
    }
    #expect(frames == [2000, 2000, 2000, 1000, 1000, 2, 2, 2])
    var start: Int64 = 0
    for (packet, count) in frames.enumerated() {
      #expect(try stream.firstFrame(ofPacket: Int64(packet)) == start)
      for frame in [start, start + Int64(count) - 1] {
        let found = try stream.packet(containingFrame: frame)
        #expect(found.packet == Int64(packet) && found.frameOffsetInPacket == frame - start)
      }
      start += Int64(count)
    }
    #expect(try stream.duration.frames == start)
  }
}

extension Recorder.Event {
  fileprivate var isOfPacket: Bool {
    switch self {
    case .packet, .time: true
    case .property, .skipped: false
    }
  }
}
