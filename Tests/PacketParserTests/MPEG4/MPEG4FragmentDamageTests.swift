// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import Testing

/// Fragments with foreign or damaged bytes between them.
@Suite struct MPEG4FragmentDamageTests {
  private typealias File = SyntheticMPEG4

  /// Four fragments of four packets each.
  private static func bytes(hasTime: Bool = true) -> [UInt8] {
    MPEG4IndexTests.fragmented([[Int]](repeating: [50, 60, 70, 80], count: 4), hasTime: hasTime)
  }

  /// The byte offset of the box of this type with this number, counted from 0.
  private static func place(of type: String, _ number: Int, in bytes: [UInt8]) -> Int {
    let name = Array(type.utf8)
    let places = bytes.indices.dropLast(3).filter { bytes[$0..<$0 + 4].elementsEqual(name) }
    return places[number] - 4
  }

  static let foreign: [[UInt8]] = [
    Array("these are thirty bytes of text".utf8), garbage(600), [UInt8](repeating: 0, count: 600),
    [1], [0, 0, 0, 0],
  ]

  @Test("Foreign bytes between fragments are skipped, and are no loss", arguments: foreign)
  func foreignBytes(_ foreign: [UInt8]) {
    let whole = Self.bytes()
    for number in [0, 1, 3] {
      let place = Self.place(of: "moof", number, in: whole)
      let bytes = Array(whole[..<place]) + foreign + whole[place...]
      let (recorder, error) = parse(bytes)
      #expect(error == nil)
      #expect(recorder.packetCount == 16, "before fragment \(number)")
      #expect(
        recorder.gaps == [
          AudioFileStreamGap(
            .foreignBytes, byteOffset: Int64(place), byteCount: Int64(foreign.count))
        ])
      for slicing in [Slicing.pieces(1), .pieces(7), .random(seed: 3)] {
        #expect(outcome(bytes, slicing) == outcome(bytes, .whole))
      }
    }
  }

  @Test("Foreign bytes behind the last fragment are no loss", arguments: foreign)
  func foreignTail(_ foreign: [UInt8]) {
    let bytes = Self.bytes() + foreign
    for total in [nil, Int64(bytes.count)] {
      let (recorder, error) = parse(bytes, totalByteCount: total)
      #expect(error == nil)
      #expect(recorder.packetCount == 16)
      #expect(recorder.gaps.filter(\.isLoss) == [])
    }
  }

  @Test("A damaged or missing fragment is reported as lost frames", arguments: [true, false])
  func damage(_ hasTime: Bool) throws {
    let whole = Self.bytes(hasTime: hasTime)
    let start = Self.place(of: "moof", 1, in: whole)
    let media = Self.place(of: "mdat", 1, in: whole)
    let next = Self.place(of: "moof", 2, in: whole)
    func changed(_ place: Int, _ bytes: [UInt8]) -> [UInt8] {
      var changed = whole
      changed.replaceSubrange(place..<place + bytes.count, with: bytes)
      return changed
    }
    let damaged: [(String, [UInt8])] = [
      ("no header", changed(start, [UInt8](repeating: 0, count: 8))),
      ("another type", changed(start + 4, Array("xxof".utf8))),
      ("zeros", changed(start, [UInt8](repeating: 0, count: media - start))),
      ("no track", changed(Self.place(of: "traf", 1, in: whole) + 4, Array("free".utf8))),
      ("no moof", Array(whole[..<start]) + whole[media...]),
      ("no fragment", Array(whole[..<start]) + whole[next...]),
    ]
    for (name, bytes) in damaged {
      if !hasTime, name == "no fragment" { continue }
      var stream = AudioFileStream()
      let (recorder, error) = parse(bytes, with: &stream)
      #expect(error == nil, "\(name)")
      #expect(recorder.packetCount == 12, "\(name)")
      #expect(recorder.gaps.map(\.cause) == [.damage], "\(name)")
      #expect(recorder.gaps.first?.frameCount == (hasTime ? 4096 : nil), "\(name)")
      #expect(try stream.duration.frames == 12 * 1024, "\(name)")
      let isWithin = recorder.gaps.allSatisfy {
        $0.byteOffset >= Int64(start) && $0.byteOffset + $0.byteCount <= Int64(next)
      }
      #expect(isWithin, "\(name): \(recorder.gaps)")
      for slicing in [Slicing.pieces(1), .random(seed: 4)] {
        #expect(outcome(bytes, slicing) == outcome(bytes, .whole), "\(name)")
      }
    }
  }

  @Test("A damaged first fragment whose media data are present is reported as a loss")
  func firstFragment() {
    let whole = Self.bytes()
    let start = Self.place(of: "moof", 0, in: whole)
    for damage in [Array("xxof".utf8), [0, 0, 0, 0]] {
      var bytes = whole
      bytes.replaceSubrange(start + 4..<start + 8, with: damage)
      let (recorder, error) = parse(bytes, totalByteCount: Int64(bytes.count))
      #expect(error == nil)
      #expect(recorder.packetCount == 12)
      #expect(recorder.gaps.map(\.cause) == [.damage])
      #expect(recorder.gaps.first?.frameCount == 4096)
      #expect(outcome(bytes, .pieces(1)) == outcome(bytes, .whole))
    }
    // A stream that is joined at its second fragment has lost nothing.
    let second = Self.place(of: "moof", 1, in: whole)
    let joined = parse(Array(whole[..<start] + whole[second...])).recorder
    #expect(joined.packetCount == 12 && joined.gaps == [])
  }

  @Test("A damaged last fragment whose media data are present is reported as a loss")
  func lastFragment() {
    let whole = Self.bytes()
    let start = Self.place(of: "moof", 3, in: whole)
    for damage in [Array("xxof".utf8), [0, 0, 0, 0]] {
      var bytes = whole
      bytes.replaceSubrange(start + 4..<start + 8, with: damage)
      let (recorder, error) = parse(bytes, totalByteCount: Int64(bytes.count))
      #expect(error == nil)
      #expect(recorder.packetCount == 12)
      #expect(recorder.gaps.map(\.cause) == [.damage])
    }
  }

  @Test("Times that are rounded, or one packet late, are no loss")
  func roundedTimes() {
    var bytes = Self.bytes()
    let place = Self.place(of: "tfdt", 2, in: bytes) + 12
    for time in [8192 - 600, 8192 + 600, 8192 + 1024] {
      bytes.replaceSubrange(place..<place + 4, with: bigEndian(time, 4))
      let (recorder, error) = parse(bytes)
      #expect(error == nil)
      #expect(recorder.packetCount == 16 && recorder.gaps == [])
    }
  }

  @Test("The duration of concatenated fragmented streams is the sum of both")
  func joined() throws {
    var stream = AudioFileStream()
    let (recorder, error) = parse(Self.bytes() + Self.bytes(), with: &stream)
    #expect(error == nil)
    #expect(recorder.packetCount == 32 && recorder.gaps == [])
    #expect(try stream.duration.frames == 32 * 1024)
  }

  @Test("A seek past damaged bytes reports no loss")
  func seek() throws {
    let whole = Self.bytes()
    let start = Self.place(of: "moof", 2, in: whole)
    let next = Self.place(of: "moof", 3, in: whole)
    let bytes = Array(whole[..<start]) + whole[next...]
    var stream = AudioFileStream()
    _ = parse(bytes, with: &stream)
    for packet: Int64 in [1, 4, 8] {
      _ = try stream.seek(toPacket: packet)
      let rest = Array(bytes[Int(stream.nextByteOffset)...])
      let (recorder, error) = parse(rest, with: &stream)
      #expect(error == nil)
      #expect(recorder.gaps.count == (packet < 8 ? 1 : 0), "packet \(packet)")
    }
  }

  @Test("The duration of a cut stream with priming covers the delivered packets")
  func cutWithPriming() throws {
    let bytes = MPEG4IndexTests.fragmented(
      [[Int]](repeating: [50, 60, 70, 80], count: 4), edits: [(0, 1024)])
    for (cut, packets) in [(10, 15), (200, 13), (240, 12)] {
      var stream = AudioFileStream()
      let (recorder, error) = parse(Array(bytes.dropLast(cut)), with: &stream)
      #expect(error == nil)
      #expect(recorder.packetCount == packets)
      #expect(try stream.duration.frames == Int64(packets - 1) * 1024, "\(packets)")
    }
  }

  @Test("Without an edit list, an Opus header's pre-skip does not count towards the duration")
  func opusPreSkip() throws {
    let header: [UInt8] = [0, 2, 1, 0x38, 0, 0, 0xBB, 0x80, 0, 0, 0]
    let entry = File.entry("Opus", rate: 48_000, inside: File.box("dOps", header))
    var file = SyntheticMPEG4()
    file.entry = entry
    file.timescale = 48_000
    file.durations = [(8, 960)]
    var stream = AudioFileStream()
    #expect(parse(file.bytes, with: &stream).error == nil)
    #expect(try stream.duration.frames == 8 * 960 - 312)
    // 16 packets of 1024 / 44100 s.
    var fragmented = AudioFileStream()
    let bytes = MPEG4IndexTests.fragmented(
      [[Int]](repeating: [50, 60, 70, 80], count: 4), entry: entry)
    let (recorder, error) = parse(bytes, with: &fragmented)
    #expect(error == nil)
    #expect(Set(recorder.soundFrames) == [312..<Int64.max])
    let frames = try fragmented.duration.frames
    #expect(abs(frames - (16 * 1024 * 48_000 / 44_100 - 312)) <= 4)
  }
}
