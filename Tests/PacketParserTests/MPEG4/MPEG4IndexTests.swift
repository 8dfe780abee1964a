// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import Testing

/// Files made by hand, with every form of index and every kind of flaw in it.
@Suite struct MPEG4IndexTests {
  struct Input: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var file: SyntheticMPEG4

    init(_ description: String, _ change: (inout SyntheticMPEG4) -> Void) {
      testDescription = description
      file = SyntheticMPEG4()
      change(&file)
    }
  }

  static let legal: [Input] = [
    Input("a plain index") { _ in },
    Input("64-bit offsets and sizes") { $0.isWide = true },
    Input("media data up to the end") { $0.isOpenEnded = true },
    Input("sizes of 16 bits") { $0.compactBits = 16 },
    Input("sizes of 8 bits") { $0.compactBits = 8 },
    Input("sizes of 4 bits") {
      $0.compactBits = 4
      $0.chunks = [[1, 15, 3], [4, 5]]
    },
    Input("one size for all") {
      $0.uniformSize = 6
      $0.chunks = [[6, 6], [6, 6], [6]]
    },
    Input("unknown boxes") {
      $0.before =
        SyntheticMPEG4.box("free", [UInt8](repeating: 1, count: 99))
        + SyntheticMPEG4.box("uuid", [UInt8](repeating: 2, count: 30))
        + SyntheticMPEG4.wideBox("skip", [3, 4])
      $0.movieBoxes = SyntheticMPEG4.box("what", [1, 2, 3]) + [0, 0, 0, 0]
    },
    Input("packets of differing duration") {
      $0.entry = SyntheticMPEG4.entry("what")
      $0.durations = [(3, 1000), (2, 500), (3, 1)]
    },
    Input("a short last packet") { $0.durations = [(7, 1024), (1, 100)] },
    Input("a track that is not enabled") { $0.isEnabled = false },
  ]

  @Test("Packets have the byte offsets that the index states", arguments: legal)
  func packets(_ input: Input) {
    let bytes = input.file.bytes
    let (recorder, error) = parse(bytes)
    #expect(error == nil && recorder.failures == [])
    #expect(recorder.placedPackets == input.file.packets)
    #expect(
      recorder.packetNumbers
        == Array(0..<8).map { Int64($0) }.prefix(input.file.sizes.count).map { $0 })
    #expect(recorder.value(.audioDataPacketCount) == "\(input.file.sizes.count)")
    #expect(recorder.value(.audioDataByteCount) == "\(input.file.sizes.reduce(0, +))")
    #expect(recorder.value(.maximumPacketSize) == "\(input.file.sizes.max() ?? 0)")
  }

  @Test("A file cut in two at any byte yields the same result", arguments: legal)
  func everySplit(_ input: Input) {
    let bytes = input.file.bytes
    let whole = outcome(bytes, .whole)
    for split in 0...bytes.count where outcome(bytes, .splitAt(split)) != whole {
      Issue.record("split at \(split)")
      return
    }
    for size in [1, 2, 7] { #expect(outcome(bytes, .pieces(size)) == whole) }
  }

  @Test(
    "An index behind the audio is refused in one pass, and found when the source can seek",
    arguments: legal)
  func indexLast(_ input: Input) {
    if input.file.isOpenEnded { return }
    var file = input.file
    file.isIndexLast = true
    let bytes = file.bytes
    let refused = parse(bytes)
    #expect(refused.error?.code == .notOptimized)
    #expect(refused.error?.message.contains("faststart") == true)
    #expect(refused.recorder.packetCount == 0)
    for slice in [1, 13, 5000] {
      for knowsLength in [false, true] {
        var stream = AudioFileStream(options: .repositioning)
        if knowsLength { stream.tell(totalByteCount: Int64(bytes.count)) }
        let (recorder, error, _) = parseFromAnywhere(bytes, sliceBytes: slice, with: &stream)
        #expect(error == nil && recorder.failures == [])
        #expect(recorder.placedPackets == file.packets)
        #expect(recorder.properties.last == "redy")
      }
    }
  }

  @Test("Chunks out of order are played from a source that can be read anywhere")
  func chunksOutOfOrder() {
    var file = SyntheticMPEG4()
    file.order = [2, 0, 1]
    let refused = parse(file.bytes)
    #expect(refused.error?.code == .notOptimized && refused.recorder.packetCount == 0)
    for isIndexLast in [false, true] {
      file.isIndexLast = isIndexLast
      var stream = AudioFileStream(options: .repositioning)
      let (recorder, error, _) = parseFromAnywhere(file.bytes, sliceBytes: 9, with: &stream)
      #expect(error == nil && recorder.failures == [])
      #expect(recorder.placedPackets == file.packets)
      #expect(recorder.value(.dataOffset) == "\(file.packets.map(\.offset).min() ?? 0)")
    }
  }

  @Test("A cut file delivers the packets before the cut")
  func truncated() {
    let file = SyntheticMPEG4()
    let bytes = file.bytes
    for length in 0..<bytes.count {
      let (recorder, error) = parse(Array(bytes[..<length]))
      let whole = file.packets.filter { $0.offset + Int64($0.byteCount) <= length }
      #expect(recorder.placedPackets == whole)
      let isReady = recorder.properties.contains("redy")
      #expect((error == nil) == !whole.isEmpty)
      if length > 32, !isReady { #expect(error?.code == .invalidFile) }
      let partly = file.packets.first {
        $0.offset < length && $0.offset + Int64($0.byteCount) > length
      }
      #expect(
        recorder.skips
          == (partly.map { [.skipped(byteCount: Int64(length) - $0.offset, offset: $0.offset)] }
            ?? []))
    }
  }

  @Test("A file that cannot be played is refused with the reason")
  func refusals() {
    func error(_ bytes: [UInt8], isAnywhere: Bool = false) -> AudioFileStreamError? {
      if !isAnywhere { return parse(bytes).error }
      var stream = AudioFileStream(options: .repositioning)
      return parseFromAnywhere(bytes, sliceBytes: 100, with: &stream).error
    }
    var file = SyntheticMPEG4()
    file.entry = SyntheticMPEG4.entry("enca")
    #expect(error(file.bytes)?.code == .unsupportedDataFormat)
    #expect(error(file.bytes)?.message.contains("encrypted") == true)
    file = SyntheticMPEG4()
    file.handler = "vide"
    #expect(error(file.bytes)?.message.contains("no audio track") == true)
    file = SyntheticMPEG4()
    file.entry = []
    #expect(error(file.bytes)?.code == .invalidFile)
    file = SyntheticMPEG4()
    file.entry = SyntheticMPEG4.entry("mp4a", rate: 0, channels: 0)
    #expect(error(file.bytes)?.code == .invalidFile)

    // An unfinished recording: media data of unknown size, and no index.
    let unfinished = Array(SyntheticMPEG4().bytes[..<20]) + [0, 0, 0, 0] + [UInt8]("mdat1234".utf8)
    #expect(error(unfinished)?.code == .notOptimized)
    #expect(error(unfinished, isAnywhere: true)?.code == .invalidFile)
    #expect(error(unfinished, isAnywhere: true)?.message.contains("not finished") == true)
    // Media data that reach beyond the end.
    let cut = Array(SyntheticMPEG4().bytes[..<20]) + [0, 0, 1, 0] + [UInt8]("mdat1234".utf8)
    #expect(error(cut, isAnywhere: true)?.code == .invalidFile)

    let segment = SyntheticMPEG4.box("styp", [1, 2, 3, 4]) + SyntheticMPEG4.box("moof", [0, 0])
    #expect(error(segment)?.code == .invalidFile)
    #expect(error(segment)?.message.contains("initialization segment") == true)
    file = SyntheticMPEG4()
    file.chunks = []
    file.movieBoxes = SyntheticMPEG4.box("mvex", [])
    let start = file.bytes.dropLast(8)
    #expect(error(Array(start))?.message.contains("segments are missing") == true)
  }

  @Test("Chunks that hold the same bytes over and over are refused")
  func overlappingChunks() {
    var file = SyntheticMPEG4()
    file.isWide = true
    var bytes = file.bytes
    // All chunks begin where the first one does.
    let name = [UInt8]("co64".utf8)
    let place = (0..<bytes.count).first { bytes[$0...].starts(with: name) }! + 12
    bytes.replaceSubrange(place + 8..<place + 16, with: bytes[place..<place + 8])
    var stream = AudioFileStream(options: .repositioning)
    let (recorder, error, _) = parseFromAnywhere(bytes, sliceBytes: 100, with: &stream)
    #expect(error?.code == .invalidFile && recorder.packetCount == 0)
  }

  @Test("A box of any size is skipped, and a hostile one costs neither memory nor time")
  func hostileSizes() {
    let file = SyntheticMPEG4()
    for name in [
      "moov", "trak", "mdia", "minf", "stbl", "stsd", "stts", "stsc", "stsz", "stco", "mp4a",
      "esds",
    ] {
      for size in [0, 1, 7, 9, 0x7FFF_FFFF, 0xFFFF_FFFF] {
        var bytes = file.bytes
        let text = [UInt8](name.utf8)
        let place = (0..<bytes.count).first { bytes[$0...].starts(with: text) }!
        bytes.replaceSubrange(place - 4..<place, with: bigEndian(size, 4))
        let whole = outcome(bytes, .whole)
        #expect(outcome(bytes, .pieces(3)) == whole)
      }
      // Counts of any size are harmless, too.
      for count in [0, 0x7FFF_FFFF, 0xFFFF_FFFF] where name.hasPrefix("st") {
        var bytes = file.bytes
        let text = [UInt8](name.utf8)
        let place = (0..<bytes.count).first { bytes[$0...].starts(with: text) }!
        let at = place + (name == "stsz" ? 12 : 8)
        bytes.replaceSubrange(at..<at + 4, with: bigEndian(count, 4))
        #expect(outcome(bytes, .pieces(3)) == outcome(bytes, .whole))
      }
    }
  }

  /// A stream of fragments with these packets, behind the packets of the movie's table, if there are any.
  static func fragmented(
    _ fragments: [[Int]], entry: [UInt8]? = nil, table: [[Int]] = [], hasTime: Bool = true,
    edits: [(duration: Int, mediaTime: Int)] = [], segmentDurations: [Int] = [],
    otherEntries: [[UInt8]] = [], entryNumbers: [Int]? = nil
  ) -> [UInt8] {
    typealias File = SyntheticMPEG4
    var file = SyntheticMPEG4()
    file.chunks = table
    if table.isEmpty { file.durations = [] }
    file.edits = edits
    file.otherEntries = otherEntries
    if let entry { file.entry = entry }
    file.movieBoxes = File.box(
      "mvex", File.full("trex", bigEndian(1, 4) + bigEndian(1, 4) + bigEndian(0, 12)))
    let head = table.isEmpty ? Array(file.bytes.dropLast(8)) : file.bytes
    let first = 1024 * table.joined().count
    let segments = fragments.enumerated().map { index, sizes in
      func moof(_ dataOffset: Int) -> [UInt8] {
        let time = File.full("tfdt", bigEndian(first + index * 4096, 4))
        let run = File.full(
          "trun",
          bigEndian(sizes.count, 4) + bigEndian(dataOffset, 4)
            + sizes.flatMap { bigEndian(1024, 4) + bigEndian($0, 4) }, flags: 0x301)
        let number = entryNumbers.map { bigEndian($0[index], 4) }
        let header = File.full(
          "tfhd", bigEndian(1, 4) + (number ?? []), flags: number == nil ? 0x20000 : 0x20002)
        let track = header + (hasTime ? time : []) + run
        return File.box("moof", File.full("mfhd", bigEndian(index, 4)) + File.box("traf", track))
      }
      let data = sizes.filter { $0 < 10_000 }.reduce(0, +)
      return moof(moof(0).count + 8) + File.box("mdat", File.bytes(data, seed: index))
    }
    let references = zip(segments, segmentDurations).flatMap { segment, duration in
      bigEndian(segment.count, 4) + bigEndian(duration, 4) + bigEndian(0, 4)
    }
    let index = File.full(
      "sidx",
      bigEndian(1, 4) + bigEndian(44_100, 4) + bigEndian(0, 8)
        + bigEndian(segmentDurations.count, 4) + references)
    return head + (segmentDurations.isEmpty ? [] : index) + segments.flatMap { $0 }
  }

  @Test("Packets before a flaw in a fragment are delivered, however the input is sliced")
  func flawInFragment() {
    let bytes = Self.fragmented([[5, 6, 7, 8], [4, 3, 5 << 20, 9]])
    let (recorder, error) = parse(bytes)
    #expect(error?.code == .invalidFile)
    #expect(error?.message.contains("packet 6 has \(5 << 20) bytes") == true)
    #expect(recorder.placedPackets.map(\.byteCount) == [5, 6, 7, 8, 4, 3])
    let whole = outcome(bytes, .whole)
    for size in [1, 2, 7] { #expect(outcome(bytes, .pieces(size)) == whole) }
  }

  @Test("A seek into the first fragment numbers the next one correctly, after any other seek")
  func seeksAfterAnother() throws {
    let bytes = Self.fragmented([[5, 6, 7, 8], [4, 3, 2, 1], [9, 9, 9, 9]])
    var stream = AudioFileStream()
    var recorder = Recorder()
    let place = bytes.count - 170
    try stream.parse(bytes.span.extracting(0..<place), listener: &recorder)
    _ = try stream.seek(toPacket: 500)
    try stream.parse(Span(), listener: &recorder)
    let target = try stream.seek(toPacket: 1)
    #expect(!target.isEstimated)
    recorder = Recorder()
    let start = Int(stream.nextByteOffset)
    try stream.parse(bytes.span.extracting(start..<bytes.count), listener: &recorder)
    #expect(recorder.packetNumbers == Array(1..<12))
  }

  @Test("Counts that no stream has are refused, and cannot overflow")
  func impossibleCounts() {
    typealias File = SyntheticMPEG4
    // A run of nearly 2^32 packets without own fields, and constant packets in huge samples.
    let huge = bigEndian(0xFFFF_FFFF, 4)
    for entry in [nil, File.entry("ulaw", channels: 1), File.entry("ima4", channels: 1)] {
      var bytes = Self.fragmented([], entry: entry)
      for size in [1, 0x3F_FFFF, 0xFFFF_FFFF] {
        let header = File.full("tfhd", bigEndian(1, 4) + huge + bigEndian(size, 4), flags: 0x20018)
        let run = File.full("trun", huge + bigEndian(0x7FFF_FFFF, 4), flags: 1)
        bytes += File.box("moof", File.box("traf", header + run + run + run))
        let whole = outcome(bytes + File.box("mdat", [1, 2, 3]), .whole)
        #expect(outcome(bytes + File.box("mdat", [1, 2, 3]), .pieces(5)) == whole)
      }
    }
    // The same count in an index.
    var entry = File.entry(
      "what", inside: bigEndian(65_536, 4) + bigEndian(1, 4) + bigEndian(1, 4) + bigEndian(1, 4))
    entry[17] = 1
    var file = File()
    file.entry = entry
    file.uniformSize = 4 << 20
    var bytes = file.bytes
    for (name, at) in [("stsz", 12), ("stsc", 16)] {
      let text = [UInt8](name.utf8)
      let place = (0..<bytes.count).first { bytes[$0...].starts(with: text) }! + at
      bytes.replaceSubrange(place..<place + 4, with: huge)
    }
    #expect(parse(bytes).error?.code == .invalidFile)
  }

  @Test("The file type is that of the brand")
  func brands() {
    for (brand, type) in [
      ("M4A ", "m4af"), ("M4B ", "m4bf"), ("3gp5", "3gpp"), ("3g2a", "3gp2"), ("isom", "mp4f"),
      ("qt  ", "mp4f"),
    ] {
      var file = SyntheticMPEG4()
      file.brand = brand
      #expect(parse(file.bytes).recorder.value(.fileFormat) == type)
    }
    // QuickTime's older files have no brand.
    let file = SyntheticMPEG4()
    let index = file.index(mediaOffset: file.index(mediaOffset: 0).count)
    let media = file.bytes.suffix(from: file.bytes.count - file.sizes.reduce(0, +) - 15 - 8)
    let (recorder, error) = parse(index + media)
    #expect(error == nil && recorder.value(.fileFormat) == "mp4f" && recorder.packetCount == 8)
  }

  @Test("The edit list defines which frames are sound; without one, iTunes' tag does")
  func packetTable() throws {
    func table(_ file: SyntheticMPEG4) -> AudioFilePacketTableInfo? {
      var stream = AudioFileStream()
      _ = parse(file.bytes, with: &stream)
      return try? stream.packetTableInfo
    }
    let frames: Int64 = 8 * 1024
    func info(_ priming: Int32, _ valid: Int64) -> AudioFilePacketTableInfo {
      AudioFilePacketTableInfo(
        numberValidFrames: valid, primingFrames: priming,
        remainderFrames: Int32(frames - Int64(priming) - valid))
    }
    var file = SyntheticMPEG4()
    #expect(table(file) == nil)
    file.edits = [(100, 1024)]
    #expect(table(file) == info(1024, 4410))
    // An empty edit delays; a duration of 0 is the rest.
    file.edits = [(50, -1), (0, 2112)]
    #expect(table(file) == info(2112, frames - 2112))
    // An edit longer than the media.
    file.edits = [(100_000, 2112)]
    #expect(table(file) == info(2112, frames - 2112))
    // Adjoining edits are one; a gap between other edits is not cut.
    file.edits = [(50, 1024), (50, 1024 + 2205)]
    #expect(table(file) == info(1024, 4410))
    file.edits = [(10, 100), (10, -1), (10, 4000)]
    #expect(table(file) == info(100, 4341))
    file.edits = [(10, 1024), (0, 4000)]
    #expect(table(file) == info(1024, frames - 1024))
    // Edits out of the media's order, or behind its end.
    file.edits = [(10, 4000), (10, 0)]
    #expect(table(file) == nil)
    file.edits = [(100, 0), (10, 1000)]
    #expect(table(file) == nil)
    file.edits = [(10, 1024), (10, 1 << 30)]
    #expect(table(file) == info(1024, 441))
    // Exact to the frame if the movie's units are the media's, or finer.
    for factor in [1, 2] {
      file.movieTimescale = factor * 44_100
      for remainder in 0...3 {
        let valid = frames - 1024 - Int64(remainder)
        file.edits = [(factor * Int(valid), 1024)]
        #expect(table(file) == info(1024, valid))
      }
    }
    file.movieTimescale = 1000
    file.edits = []
    file.movieBoxes = SyntheticMPEG4.gapless("00000000 00000840 00000100 00000000000016C0 00000000")
    #expect(table(file) == info(0x840, 0x16C0))
    file.edits = [(100, 1024)]
    #expect(table(file) == info(1024, 4410))
    // HE-AAC, counted at the doubled rate.
    file.edits = []
    file.movieBoxes = SyntheticMPEG4.gapless("00000000 00001080 00000200 0000000000002D80")
    #expect(table(file) == info(0x840, 0x16C0))
  }

  @Test("A fragmented stream's edit list defines the first frame of sound")
  func editsOfFragments() throws {
    let fragments = [[Int]](repeating: [5, 6, 7, 8], count: 3)
    func sound(
      _ edits: [(duration: Int, mediaTime: Int)], table: [[Int]] = []
    ) throws -> (Set<Range<Int64>?>, Int64) {
      var stream = AudioFileStream()
      let bytes = Self.fragmented(fragments, table: table, edits: edits)
      let (recorder, error) = parse(bytes, with: &stream)
      #expect(error == nil)
      return (Set(recorder.soundFrames), try stream.duration.frames)
    }
    #expect(try sound([]) == ([nil], 12_288))
    #expect(try sound([(0, 0)]) == ([nil], 12_288))
    #expect(try sound([(0, 1024)]) == ([1024..<Int64.max], 11_264))
    #expect(try sound([(50, -1), (0, 1024)]) == ([1024..<Int64.max], 11_264))
    // The edit's duration may be that of the movie's own packets.
    #expect(try sound([(46, 1024)], table: [[4, 3, 2]]) == ([1024..<Int64.max], 14_336))
    #expect(try sound([(10, 1024), (10, 9000)]) == ([nil], 12_288))
  }

  @Test("An index of segments may include the frames that the edit list cuts, or leave them out")
  func editsWithSegments() throws {
    let fragments = [[Int]](repeating: [5, 6, 7, 8], count: 3)
    for first in [3072, 4096] {
      var stream = AudioFileStream()
      let bytes = Self.fragmented(
        fragments, edits: [(0, 1024)], segmentDurations: [first, 4096, 4096])
      let (recorder, error) = parse(bytes, with: &stream)
      #expect(error == nil && recorder.packetCount == 12)
      #expect(
        try stream.packetTableInfo
          == AudioFilePacketTableInfo(
            numberValidFrames: 11_264, primingFrames: 1024, remainderFrames: 0))
      #expect(try stream.duration.frames == 11_264)
      #expect(Set(recorder.soundFrames) == [nil])
    }
  }
}
