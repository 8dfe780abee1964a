// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// The packets of each file, compared with ffprobe's.
@Suite struct PacketComparisonTests {
  @Test("The packets of each file are ffprobe's", arguments: CorpusFile.readable)
  func packets(_ file: CorpusFile) {
    let bytes = file.bytes
    let outcome = parse(bytes)
    #expect(outcome.error == nil)
    #expect(!outcome.isEndless)
    #expect(outcome.log.failures == [])
    // Without this check, a file without packets would pass.
    #expect(outcome.log.packets.count + outcome.log.data.count > 0)
    expectDescribed(outcome, bytes)
    if file.differences["packets"] != nil { return }
    let probe = file.probe
    switch file.mode {
    case .packets: expectPackets(outcome.log.packetsOfStream, probe.packets, file)
    case .sizes:
      var theirs = probe.packets
      if file.differences["last"] != nil { theirs = theirs.dropLast() }
      if file.differences["links"] != nil { theirs = file.links.flatMap(\.probe.packets) }
      expectEqual(outcome.log.packets.map(\.size), theirs.map(\.size))
    case .data:
      #expect(outcome.log.packets == [])
      let data = file.data
      let count = zip(outcome.log.data, data).prefix { $0 == $1 }.count
      // ffmpeg also copies the rest of a cut packet; our data end before it.
      let left = file.differences["last"] == nil ? 0 : data.count - outcome.log.data.count
      #expect(left >= 0 && left < Int(outcome.atEnd.dataFormat?.bytesPerPacket ?? 0) || left == 0)
      #expect(
        outcome.log.data.count == data.count - left && count == outcome.log.data.count,
        "\(outcome.log.data.count) bytes, ffmpeg copies \(data.count); equal up to byte \(count)")
    case .none: break
    }
  }

  @Test(
    "If packets differ in duration, each duration is ffprobe's",
    arguments: CorpusFile.readable.filter { $0.mode != .data })
  func durations(_ file: CorpusFile) {
    let outcome = parse(file.bytes)
    guard outcome.atEnd.dataFormat?.framesPerPacket == 0 else {
      #expect(outcome.log.packets.allSatisfy { $0.frames == 0 })
      return
    }
    if file.differences["links"] != nil || file.differences["durations"] != nil { return }
    let isVorbis = outcome.atEnd.dataFormat?.formatID == .vorbis
    // The trims of the first and the last packet are reported in different ways.
    let ours = outcome.log.packets.map { Int64($0.frames) }.dropFirst().dropLast()
    let theirs = zip(ours, file.probe.packetFrames.dropFirst()).map { frames, duration in
      // ffprobe omits some durations; and for a short Vorbis packet behind a long one it prints the
      // duration of a short one behind a short one (Vorbis I section 4.3.8), so that its own time stamps
      // jump. The sum of ours is the last page's position.
      isVorbis ? max(frames, duration ?? 0) : duration ?? frames
    }
    expectEqual(Array(ours), theirs)
  }

  @Test(
    "In one pass without its length, each file yields the same packets or is refused",
    arguments: CorpusFile.readable)
  func onePass(_ file: CorpusFile) {
    let bytes = file.bytes
    let whole = parse(bytes)
    let stream = parse(bytes, Feed(isFile: false))
    if let error = stream.error {
      #expect(error.code == .notOptimized)
      #expect(file.group == "mpeg4" || file.group == "caf" || file.name.contains("late"))
      #expect(stream.log.packets == [] && stream.log.data == [])
    } else {
      #expect(stream.log.packets == whole.log.packets)
      #expect(stream.log.data == whole.log.data)
    }
  }

  @Test(
    "A recognised file that cannot be read is refused as an unsupported format",
    arguments: CorpusFile.all.filter { $0.mode == .none })
  func unreadable(_ file: CorpusFile) {
    let outcome = parse(file.bytes)
    #expect(outcome.error?.code == .unsupportedDataFormat)
    #expect(outcome.log.packets == [] && outcome.log.data == [])
  }

  @Test(
    "Free format, which ffmpeg does not support, has the frames that mpg123 decodes",
    arguments: CorpusFile.readable.filter { $0.name.hasPrefix("mp3-free") })
  func freeFormat(_ file: CorpusFile) {
    let folder = TemporaryDirectory()
    let wave = folder.file("out.wav")
    let path = Fixtures.repository + "/.build/corpus/files/" + file.name
    let decoder = Subprocess.run(
      ["mpg123", "-q", "--no-gapless", "-e", "s16", "-w", wave, path], seconds: 60)
    #expect(decoder.exit == .status(0))
    let bytes = contents(ofFile: wave)
    let frames = bytes.count > 44 ? (bytes.count - 44) / 2 / Int(bytes[22]) : 0
    let outcome = parse(file.bytes)
    #expect(outcome.log.packets.count * 1152 == frames)
  }

  private func expectPackets(
    _ ours: [StreamLog.Packet], _ theirs: [Probe.Packet], _ file: CorpusFile
  ) {
    var theirs = theirs.map { Probe.Packet(offset: $0.offset, size: $0.size, duration: nil) }
    var ours = ours.map { Probe.Packet(offset: $0.offset, size: $0.size, duration: nil) }
    if file.differences["last"] != nil { theirs = theirs.dropLast() }
    if file.differences["starts"] != nil {
      ours = ours.map(\.byItsEnd)
      theirs = theirs.map(\.byItsEnd)
    }
    if file.differences["offsets"] != nil {
      for index in ours.indices { ours[index].offset = nil }
      for index in theirs.indices { theirs[index].offset = nil }
    }
    expectEqual(ours, theirs)
  }

  private func expectEqual<Value: Equatable>(_ ours: [Value], _ theirs: [Value]) {
    let place = zip(ours, theirs).prefix { $0 == $1 }.count
    guard place < max(ours.count, theirs.count) else { return }
    Issue.record(
      """
      \(ours.count) packets, ffprobe has \(theirs.count); number \(place) is \
      \(place < ours.count ? "\(ours[place])" : "missing"), ffprobe's \
      \(place < theirs.count ? "\(theirs[place])" : "missing")
      """)
  }

  /// Expects the stream's properties to agree with its packets.
  private func expectDescribed(_ outcome: Outcome, _ bytes: [UInt8]) {
    let log = outcome.log
    guard let first = log.packets.first?.offset ?? log.extents.first?.lowerBound else { return }
    #expect(outcome.atEnd.fileFormat != nil && outcome.atEnd.dataFormat != nil)
    #expect((outcome.atEnd.dataOffset ?? -1) <= first)
    let packets = log.packetsOfStream
    for packet in packets { #expect(packet.end <= bytes.count) }
    let count = log.data.isEmpty ? Int64(log.packets.count) : log.packetsOfData
    let size = log.data.isEmpty ? packets.reduce(0) { $0 + $1.size } : log.data.count
    #expect(outcome.atEnd.packetCount == count)
    #expect(outcome.atEnd.byteCount == Int64(size))
    // Truncated files state more packets before the first one than they deliver.
    if let stated = outcome.atReady?.packetCount { #expect(stated >= count) }
  }
}
