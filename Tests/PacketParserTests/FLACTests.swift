// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// FLAC streams with flaws, and their metadata.
@Suite struct FLACTests {
  static let five = SyntheticFLAC()

  @Test("Blocks of variable size state their frames, and have the byte offsets that ffmpeg finds")
  func variableBlocks() throws {
    let sizes = [200, 64, 1000, 17, 4000, 64, 300, 5]
    let flac = SyntheticFLAC(blockSizes: sizes, isVariable: true)
    var stream = AudioFileStream()
    let (recorder, error) = parse(flac.bytes, with: &stream)
    #expect(error == nil)
    #expect(recorder.packetBytes == flac.frames)
    #expect(recorder.isSteady)
    #expect(recorder.frameCount == Int64(sizes.reduce(0, +)))
    #expect(try stream.dataFormat.framesPerPacket == 0)
    #expect(try stream.duration.frames == Int64(sizes.reduce(0, +)))
    #expect(try stream.packet(containingFrame: 1265).packet == 3)
    #expect(try stream.packet(containingFrame: 1265).frameOffsetInPacket == 1)
    #expect(try stream.firstFrame(ofPacket: 4) == 1281)
    let workshop = Workshop()
    try workshop.write(flac.bytes, "out.flac")
    #expect(recorder.packetPlaces == (try workshop.packetPlacesByFFprobe("out.flac")))
  }

  @Test("Silence replaces a damaged frame, whose loss is reported with its number of frames")
  func damage() {
    let frames = Self.five.frames
    for place in [2, 3, 4, 7, 9, 40, 130] {
      var broken = frames
      broken[2][place] ^= 0x55
      let (recorder, error) = parse(Self.five.metadata + broken.flatMap { $0 })
      #expect(error == nil)
      #expect(recorder.packetIndices == [0, 1, 2, 3, 4], "byte \(place)")
      #expect(recorder.firstFrames == [0, 64, 128, 192, 256])
      #expect(recorder.packetBytes[2].count < 20)
      let offset = Self.five.metadata.count + frames[0].count + frames[1].count
      #expect(
        recorder.gaps == [
          AudioFileStreamGap(
            .damage, byteOffset: Int64(offset), byteCount: Int64(frames[2].count), frameCount: 64)
        ])
    }
  }

  @Test("Damage to a frame's first bytes leaves the frame before it whole")
  func damagedSync() {
    var frames = Self.five.frames
    frames[2][0] = 0
    let (recorder, _) = parse(Self.five.metadata + frames.flatMap { $0 })
    #expect(recorder.packetBytes[1] == frames[1])
    #expect(recorder.packetBytes[3...] == frames[3...])
    #expect(recorder.gaps.map(\.frameCount) == [64])
  }

  @Test("The first and the last frame can be damaged, too")
  func damageAtTheEnds() {
    for damaged in [0, 4] {
      var frames = Self.five.frames
      frames[damaged][50] ^= 1
      let (recorder, _) = parse(Self.five.metadata + frames.flatMap { $0 })
      #expect(recorder.packetIndices == [0, 1, 2, 3, 4])
      #expect(recorder.gaps.map(\.cause) == [.damage])
      #expect(recorder.gaps.map(\.frameCount) == [64])
    }
  }

  @Test("A frame larger than stated is delivered, and the new maximum size is reported before it")
  func largerThanStated() throws {
    var flac = SyntheticFLAC()
    flac.blockSizes = [16, 16, 64, 32, 64]
    let frames = flac.frames
    var metadata = flac.metadata
    metadata.replaceSubrange(15..<18, with: bigEndian(frames[0].count, 3))
    var stream = AudioFileStream()
    let (recorder, error) = parse(metadata + frames.flatMap { $0 }, with: &stream)
    #expect(error == nil)
    #expect(recorder.packetBytes == frames)
    #expect(recorder.skips == [])
    #expect(recorder.value(.maximumPacketSize) == "\(frames[0].count)")
    let told = Recorder.Event.property(.maximumPacketSize, "\(frames[2].count)")
    let place = try #require(recorder.events.firstIndex(of: told))
    #expect(recorder.events[..<place].count { if case .packet = $0 { true } else { false } } == 2)
    #expect(recorder.properties.count { $0 == "psze" } == 2)
    #expect(try stream.maximumPacketSize == frames[2].count)
    let bound = try stream.packetSizeUpperBound
    #expect(frames.allSatisfy { $0.count <= bound })
  }

  @Test("A frame larger than its uncompressed samples is left out")
  func tooLarge() {
    var metadata = Self.five.metadata
    let frames = Self.five.frames
    metadata.replaceSubrange(15..<18, with: bigEndian(frames[1].count, 3))
    let body = frames[1].dropLast(2) + garbage(40)
    let long = body + bigEndian(Int(SyntheticFLAC.crc(body, bits: 16, polynomial: 0x8005)), 2)
    let stream = metadata + frames[0] + long + frames[2] + frames[3]
    let (recorder, error) = parse(stream)
    #expect(error == nil)
    #expect(recorder.packetBytes.first == frames[0])
    #expect(recorder.packetBytes[2...] == frames[2...3])
    #expect(recorder.packetIndices == [0, 1, 2, 3])
  }

  @Test("A cut stream has all whole frames")
  func cut() {
    let bytes = Self.five.bytes
    let metadata = Self.five.metadata.count
    for end in metadata...bytes.count {
      let (recorder, error) = parse(Array(bytes[..<end]))
      let (whole, rest) = (end - metadata).quotientAndRemainder(
        dividingBy: Self.five.frames[0].count)
      // Only the last frame can be missing then, so silence replaces it.
      let isReplaced = whole == 4 && rest >= 8
      let packets = isReplaced ? 5 : whole
      #expect((error == nil) == (packets > 0))
      #expect(recorder.packetCount == packets)
      guard error == nil else { continue }
      let lost = recorder.gaps.reduce(0) { $0 + ($1.frameCount ?? 0) }
      #expect(lost == Int64(5 - whole) * 64)
      // A rest shorter than a header is not recognised as part of a frame.
      let isKnown = recorder.gaps.allSatisfy {
        $0.cause == ($0.byteCount > 0 && rest < 8 ? AudioFileStreamGap.Cause.foreignBytes : .cut)
      }
      #expect(isKnown)
    }
    for end in 1..<metadata {
      #expect(parse(Array(bytes[..<end])).error != nil)
    }
  }

  @Test(
    "Tags around the frames are skipped",
    arguments: [
      SyntheticTag.id3v1, SyntheticTag.apeV2(300), SyntheticTag.apeV2(20) + SyntheticTag.id3v1,
      SyntheticTag.id3v2(40, hasFooter: true), SyntheticTag.apeV2(5000),
    ])
  func tags(_ tag: [UInt8]) {
    let stream = SyntheticTag.id3v2(50) + Self.five.bytes + tag
    let (recorder, error) = parse(stream)
    #expect(error == nil)
    #expect(recorder.packetBytes == Self.five.frames)
    #expect(recorder.skips == [])
  }

  @Test("A stream that is joined midway numbers its packets from 0")
  func joined() {
    let flac = SyntheticFLAC(firstNumber: 1000, totalFrames: 0)
    let (recorder, _) = parse(flac.bytes)
    #expect(recorder.packetIndices == [0, 1, 2, 3, 4])
    #expect(recorder.firstFrames == [0, 64, 128, 192, 256])
    let noise = garbage(90)
    let (late, _) = parse(flac.metadata + noise + flac.frames.flatMap { $0 })
    #expect(late.packetIndices == [0, 1, 2, 3, 4])
    #expect(late.skips == [.skipped(byteCount: 90, offset: Int64(flac.metadata.count))])
  }

  @Test("Concatenated streams are one: numbers continue, and nothing is left out")
  func concatenated() {
    let (recorder, error) = parse(Self.five.bytes + Self.five.bytes)
    #expect(error == nil)
    #expect(recorder.packetBytes == Self.five.frames + Self.five.frames)
    #expect(recorder.packetIndices == Array(0..<10))
    #expect(recorder.skips == [])
  }

  @Test("Without a stated length the frames are counted")
  func live() throws {
    let flac = SyntheticFLAC(blockSizes: [64, 64, 64, 20], totalFrames: 0)
    var stream = AudioFileStream()
    var recorder = Recorder()
    try stream.parse(flac.bytes.span, listener: &recorder)
    #expect(throws: AudioFileStreamError.self) { try stream.audioDataPacketCount }
    try stream.finish(listener: &recorder)
    #expect(try stream.audioDataPacketCount == 4)
    #expect(try stream.duration.frames == 212)
  }

  @Test("Contradictory metadata are refused with the reason")
  func refused() {
    var zeroRate = Self.five.bytes
    zeroRate.replaceSubrange(18..<20, with: [0, 0])
    zeroRate[20] &= 0x0F
    var noBlock = Self.five.bytes
    noBlock.replaceSubrange(10..<12, with: [0, 0])
    var forbidden = SyntheticFLAC(blocks: [(1, [0])]).bytes
    forbidden[42] = 0xFF
    var order = Self.five.bytes
    order[4] = 0x01
    for bytes in [zeroRate, noBlock, forbidden, order] {
      let error = parse(bytes).error
      #expect(error?.code == .invalidFile)
      #expect(error?.message.isEmpty == false)
    }
  }

  @Test("A last frame without its checksum's final zero is delivered: its checksum is right")
  func withoutLastZero() throws {
    let first = try #require(
      (0..<0x800).first { SyntheticFLAC(blockSizes: [64], firstNumber: $0).frames[0].last == 0 })
    let flac = SyntheticFLAC(blockSizes: [64], firstNumber: first)
    for byteCount in 1...9 {
      let (recorder, error) = parse(Array(flac.bytes.dropLast(byteCount)))
      #expect((error == nil) == (byteCount == 1))
      #expect(
        recorder.packetBytes == (byteCount == 1 ? [flac.frames[0].dropLast()] : []),
        "\(byteCount) bytes cut off")
    }
  }

  static let streams: [[UInt8]] = {
    let metadata = five.metadata
    let frames = five.frames
    let variable = SyntheticFLAC(blockSizes: [16, 40, 17, 90], isVariable: true)
    let blocks = SyntheticFLAC(
      blocks: [(3, bigEndian(0, 18)), (4, [0, 0, 0, 0, 0, 0, 0, 0]), (1, [0, 0])])
    var broken = metadata + garbage(20) + frames[0].dropLast(5)
    broken += frames[1] + frames[2] + [0xFF, 0xF8]
    // More tag bytes than the frames between them allow for.
    var tagged = metadata
    for index in 0..<12 { tagged += frames[index % 5] + SyntheticTag.apeV2(60 * index) }
    return [
      five.bytes, variable.bytes, blocks.bytes, five.bytes + SyntheticTag.id3v1, broken, tagged,
      Array(five.bytes.dropLast(9)),
    ]
  }()

  @Test("A stream cut in two at any byte yields the same result", arguments: streams)
  func slicing(_ bytes: [UInt8]) {
    let whole = outcome(bytes, .whole)
    for split in 0...bytes.count {
      let cut = outcome(bytes, .splitAt(split))
      #expect(cut == whole, "split at \(split)")
      if cut != whole { return }
    }
    for size in [1, 2, 3, 7, 64] { #expect(outcome(bytes, .pieces(size)) == whole) }
    for seed in 0..<30 { #expect(outcome(bytes, .random(seed: UInt64(seed))) == whole) }
  }
}
