// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Files with a single odd table entry, which are not refused.
@Suite struct MPEG4OddEntryTests {
  private typealias File = SyntheticMPEG4

  private static let mono = File.entry("mp4a", channels: 1, inside: File.esds([0x12, 0x08]))

  /// A file whose second chunk, packet 3, has the second of two entries.
  private static func file(second entry: [UInt8]) -> SyntheticMPEG4 {
    var file = SyntheticMPEG4()
    file.otherEntries = [entry]
    file.chunkEntries = [1, 2, 1]
    return file
  }

  @Test("A second sample entry that is identical or empty changes nothing")
  func sameEntries() {
    let other = File.esds([0x12, 0x10], bitRate: 128_000)
    for entry in [
      SyntheticMPEG4().entry, File.entry("mp4a"), File.entry("mp4a", inside: other),
    ] {
      let file = Self.file(second: entry)
      let (recorder, error) = parse(file.bytes)
      #expect(error == nil)
      #expect(recorder.placedPackets == file.packets)
      #expect(recorder.gaps == [])
      #expect(recorder.properties.count { $0 == "dfmt" } == 1)
    }
  }

  @Test("If the first sample entry is empty, the second one applies to all packets")
  func bareFirstEntry() {
    var file = Self.file(second: SyntheticMPEG4().entry)
    file.entry = File.entry("mp4a")
    let (recorder, error) = parse(file.bytes)
    #expect(error == nil)
    #expect(recorder.placedPackets == file.packets)
    #expect(recorder.properties.count { $0 == "dfmt" } == 1)
    #expect(recorder.value(.magicCookieData)?.isEmpty == false)
  }

  @Test("A sample entry that no packet uses is ignored")
  func unusedEntries() {
    for entry in [
      File.entry("enca"), File.box("????", []), File.entry("mp4a", rate: 0, channels: 0),
    ] {
      var file = Self.file(second: entry)
      for numbers in [[1, 1, 1], [0, 0, 0], [9, 9, 9]] {
        file.chunkEntries = numbers
        let (recorder, error) = parse(file.bytes)
        #expect(error == nil)
        #expect(recorder.placedPackets == file.packets)
        #expect(recorder.gaps == [])
      }
    }
  }

  @Test(
    "An entry of another configuration changes the format at its first packet and behind its last")
  func otherConfiguration() throws {
    let file = Self.file(second: Self.mono)
    let (recorder, error) = parse(file.bytes)
    #expect(error == nil)
    #expect(recorder.placedPackets == file.packets)
    #expect(recorder.gaps == [])
    var channels: [String] = []
    for event in recorder.events {
      switch event {
      case .property(.dataFormat, let format):
        channels.append(format.contains("channelsPerFrame: 1") ? "mono" : "stereo")
      case .packet(let index, _, _): channels.append("\(index)")
      default: break
      }
    }
    #expect(
      channels == ["stereo", "0", "1", "2", "mono", "3", "stereo", "4", "5", "6", "7"])
    #expect(outcome(file.bytes, .pieces(3)) == outcome(file.bytes, .whole))
  }

  @Test("Packets whose entry cannot be played are skipped, and reported with their frames")
  func unplayableEntry() {
    let file = Self.file(second: File.entry("enca"))
    for isAnywhere in [false, true] {
      var stream = AudioFileStream(options: isAnywhere ? .repositioning : AudioFileStreamOptions())
      let (recorder, error) =
        isAnywhere
        ? {
          let result = parseFromAnywhere(file.bytes, sliceBytes: 7, with: &stream);
          return (result.0, result.1)
        }()
        : parse(file.bytes, with: &stream)
      #expect(error == nil)
      #expect(recorder.placedPackets == file.packets.filter { $0 != file.packets[3] })
      #expect(
        recorder.gaps == [
          AudioFileStreamGap(
            .unsupported, byteOffset: file.packets[3].offset, byteCount: 7, frameCount: 1024)
        ])
      // Time continues behind the skipped packets.
      #expect(recorder.events.contains(.time(firstFrame: 4096, frames: 0)))
    }
  }

  @Test("Empty packets are skipped, and their duration counts")
  func emptyPackets() throws {
    var file = SyntheticMPEG4()
    for chunks in [[[0, 20, 30], [7], [1, 2, 3, 4]], [[10, 0, 0], [0], [1, 0, 3, 0]]] {
      file.chunks = chunks
      var stream = AudioFileStream()
      let (recorder, error) = parse(file.bytes, with: &stream)
      #expect(error == nil)
      #expect(recorder.placedPackets == file.packets.filter { $0.byteCount > 0 })
      #expect(
        recorder.packetNumbers == file.sizes.indices.filter { file.sizes[$0] > 0 }.map(Int64.init))
      #expect(recorder.gaps == [])
      #expect(try stream.duration.frames == 8 * 1024)
      #expect(outcome(file.bytes, .pieces(1)) == outcome(file.bytes, .whole))
    }
    file.chunks = [[0, 0], [0]]
    #expect(parse(file.bytes).error?.message.contains("no playable packet") == true)
  }

  @Test("A packet of an impossible size is skipped as damaged")
  func hugePacket() {
    var file = SyntheticMPEG4()
    file.chunks[1] = [5 << 20]
    let (recorder, error) = parse(file.bytes)
    #expect(error == nil)
    #expect(recorder.placedPackets == file.packets.filter { $0.byteCount < 1000 })
    #expect(
      recorder.gaps == [
        AudioFileStreamGap(
          .damage, byteOffset: file.packets[3].offset, byteCount: 5 << 20, frameCount: 1024)
      ])
  }

  @Test("A file that ends in a packet that cannot be played reports no bytes beyond its end")
  func cutUnplayablePacket() {
    var file = SyntheticMPEG4()
    file.chunks[2] = [5 << 20]
    let fragments = MPEG4IndexTests.fragmented(
      [[5, 6, 7, 8], [4, 3, 2, 1]], otherEntries: [File.entry("enca")], entryNumbers: [1, 2])
    for bytes in [file.bytes.dropLast(100), fragments.dropLast(3)].map(Array.init) {
      let (recorder, error) = parse(bytes)
      #expect(error == nil)
      for sliceBytes in [7, 1 << 20, bytes.count] {
        for length in [nil, Int64(bytes.count)] {
          var stream = AudioFileStream(options: .repositioning)
          if let length { stream.tell(totalByteCount: length) }
          let result = parseFromAnywhere(bytes, sliceBytes: sliceBytes, with: &stream)
          #expect(result.error == nil)
          #expect(result.recorder.placedPackets == recorder.placedPackets)
          let gaps = result.recorder.gaps
          let isWithin = gaps.allSatisfy {
            $0.isLoss && $0.byteOffset + $0.byteCount <= Int64(bytes.count)
          }
          let hasSameFrames = gaps.map(\.frameCount) == recorder.gaps.map(\.frameCount)
          #expect(isWithin && hasSameFrames, "\(gaps) instead of \(recorder.gaps)")
        }
      }
      #expect(recorder.gaps.count == 1)
    }
  }

  @Test("Fragments may have empty packets, and name any sample entry")
  func fragments() {
    let sizes = [[5, 0, 7, 8], [0, 3, 2, 0]]
    var recorder = parse(MPEG4IndexTests.fragmented(sizes)).recorder
    #expect(recorder.placedPackets.map(\.byteCount) == [5, 7, 8, 3, 2])
    #expect(recorder.packetNumbers == [0, 2, 3, 5, 6])
    #expect(recorder.gaps == [])
    // Both name the second entry: the first one is ignored.
    let plain = [[5, 6, 7, 8], [4, 3, 2, 1]]
    var result = parse(
      MPEG4IndexTests.fragmented(
        plain, entry: File.entry("enca"), otherEntries: [Self.mono], entryNumbers: [2, 2]))
    #expect(result.error == nil)
    #expect(result.recorder.placedPackets.map(\.byteCount) == [5, 6, 7, 8, 4, 3, 2, 1])
    #expect(result.recorder.value(.dataFormat)?.contains("channelsPerFrame: 1") == true)
    result = parse(
      MPEG4IndexTests.fragmented(plain, otherEntries: [Self.mono], entryNumbers: [1, 2]))
    #expect(result.error == nil)
    #expect(result.recorder.placedPackets.map(\.byteCount) == [5, 6, 7, 8, 4, 3, 2, 1])
    #expect(result.recorder.properties.count { $0 == "dfmt" } == 2)
    // The first entry is clear, the second one encrypted.
    let bytes = MPEG4IndexTests.fragmented(
      plain, otherEntries: [File.entry("enca")], entryNumbers: [1, 2])
    recorder = parse(bytes).recorder
    #expect(recorder.placedPackets.map(\.byteCount) == [5, 6, 7, 8])
    #expect(recorder.gaps.map(\.cause) == [.unsupported])
    #expect(recorder.gaps.map(\.frameCount) == [4096])
    #expect(outcome(bytes, .pieces(3)) == outcome(bytes, .whole))
  }

  @Test("A broken fragmented file is refused with a message about the missing part")
  func brokenFragments() {
    let bytes = MPEG4IndexTests.fragmented([[5, 6, 7, 8]])
    let start = MPEG4IndexTests.fragmented([]).count
    func message(_ bytes: [UInt8]) -> String { parse(bytes).error?.message ?? "none" }
    #expect(message(Array(bytes[..<start])).contains("only the initialization segment"))
    #expect(message(Array(bytes[..<(start + 30)])).contains("ends within a fragment"))
    #expect(message(Array(bytes.dropLast(34))).contains("ends before its audio"))
    var other = bytes
    let name = [UInt8]("tfhd".utf8)
    let place = other.indices.first { other[$0...].starts(with: name) }!
    other[place + 11] = 7
    #expect(message(other).contains("none lists packets"))
  }

  @Test(
    "Files with odd entries, as written by real programs, are played whole",
    arguments: [
      ("stsd2_identical.m4a", 0), ("stsd2_second_without_esds.m4a", 0), ("stsz_zero_sample.m4a", 1),
    ])
  func files(_ name: String, _ emptyPackets: Int) throws {
    let bytes = contents(ofFile: Fixtures.repository + "/Tests/Fixtures/" + name)
    var stream = AudioFileStream(options: .repositioning)
    let (recorder, error, _) = parseFromAnywhere(bytes, sliceBytes: 5000, with: &stream)
    #expect(error == nil)
    #expect(recorder.gaps == [])
    #expect(recorder.properties.count { $0 == "dfmt" } == 1)
    #expect(recorder.packetCount + emptyPackets == Int(try stream.audioDataPacketCount))
  }
}
