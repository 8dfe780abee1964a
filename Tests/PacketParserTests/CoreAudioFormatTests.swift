// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

@Suite struct CoreAudioFormatTests {
  private static let tone = "ffmpeg -v error -y -f lavfi -i 'sine=f=440:d=1:r=48000' -ac 2"

  struct Samples: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var flags: AudioFormatFlags
    var bits: UInt32

    /// Takes ffmpeg's name of a sample format: signed or float, bits, and byte order.
    init(_ name: String) {
      testDescription = name
      bits = UInt32(name.filter(\.isNumber)) ?? 0
      flags = name.hasPrefix("f") ? [.float, .packed] : [.signedInteger, .packed]
      if name.hasSuffix("be") { flags.insert(.bigEndian) }
    }
  }

  static let samples = [
    "s8", "s16le", "s16be", "s24le", "s24be", "s32le", "s32be", "f32le", "f32be", "f64le", "f64be",
  ].map(Samples.init)

  @Test("Linear PCM written by ffmpeg is read back sample by sample", arguments: samples)
  func linearPCM(_ samples: Samples) throws {
    let codec = samples.testDescription
    let bits = samples.bits
    let workshop = Workshop()
    try workshop.run("\(Self.tone) -c:a pcm_\(codec) out.caf")
    try workshop.run("ffmpeg -v error -y -i out.caf -c:a pcm_\(codec) -f \(codec) raw")
    let raw = try workshop.read("raw")
    var stream = AudioFileStream()
    let (recorder, error) = parse(try workshop.read("out.caf"), with: &stream)
    #expect(error == nil)
    #expect(recorder.failures == [])
    #expect(recorder.pcm == raw)
    #expect(recorder.skips == [])
    let format = try stream.dataFormat
    #expect(format.formatFlags == samples.flags)
    #expect(format.bitsPerChannel == bits)
    #expect(format.bytesPerFrame == bits / 4)
    #expect(format.framesPerPacket == 1)
    #expect(try stream.duration.frames == 48_000)
    #expect(try stream.bitRate == 48_000 * Int(bits) * 2)
    #expect(recorder.value(.audioDataPacketCount) == "48000")
    #expect(recorder.value(.channelLayout) == "3")
    #expect(recorder.value(.fileFormat) == "caff")
  }

  @Test(
    "Packets have the byte offsets that ffprobe finds, with the packet table behind the audio",
    arguments: [
      ("alac", "alac", 4096), ("libopus", "opus", 960), ("libmp3lame", ".mp3", 1152),
      ("mp2", ".mp2", 1152), ("ac3", "ac-3", 1536),
    ])
  func packetTableBehind(_ codec: String, _ formatID: String, _ framesPerPacket: Int) throws {
    let workshop = Workshop()
    try workshop.run("\(Self.tone) -c:a \(codec) out.caf")
    let bytes = try workshop.read("out.caf")
    let probed = try workshop.probedPackets("out.caf")
    for (sliceBytes, tellsSize) in [(100, false), (1 << 20, false), (4096, true)] {
      var options = AudioFileStreamOptions()
      options.canReposition = true
      var stream = AudioFileStream(options: options)
      if tellsSize { stream.tell(totalByteCount: Int64(bytes.count)) }
      let (recorder, error, _) = parseFromAnywhere(bytes, sliceBytes: sliceBytes, with: &stream)
      #expect(error == nil)
      #expect(recorder.failures == [])
      #expect(recorder.placedPackets == probed)
      #expect(recorder.skips == [])
      let format = try stream.dataFormat
      #expect(format.formatID.description == formatID)
      #expect(format.framesPerPacket == UInt32(framesPerPacket))
      #expect(format.bytesPerPacket == 0)
      #expect(recorder.value(.audioDataPacketCount) == "\(probed.count)")
      #expect(recorder.value(.maximumPacketSize) == "\(probed.map(\.byteCount).max() ?? 0)")
      let total = probed.map(\.byteCount).reduce(0, +)
      #expect(recorder.value(.audioDataByteCount) == "\(total)")
      #expect(try stream.averageBytesPerPacket == Double(total) / Double(probed.count))
    }
    let refused = parse(bytes).error
    #expect(refused?.code == .notOptimized)
    #expect(refused?.message.contains("packet table") == true)
  }

  @Test("Constant packets other than PCM need no table")
  func constantPackets() throws {
    let workshop = Workshop()
    for (codec, formatID, bytesPerPacket, framesPerPacket) in [
      ("adpcm_ima_qt", AudioFormatID.appleIMA4, 68, 64), ("pcm_mulaw", .muLaw, 2, 1),
      ("pcm_alaw", .aLaw, 2, 1),
    ] {
      try workshop.run("\(Self.tone) -c:a \(codec) out.caf")
      var stream = AudioFileStream()
      let (recorder, error) = parse(try workshop.read("out.caf"), with: &stream)
      #expect(error == nil)
      let format = try stream.dataFormat
      #expect(format.formatID == formatID)
      #expect(format.bytesPerPacket == UInt32(bytesPerPacket))
      #expect(format.framesPerPacket == UInt32(framesPerPacket))
      let probed = try workshop.probedPackets("out.caf")
      #expect(recorder.pcm.count == probed.map(\.byteCount).reduce(0, +))
      #expect(try stream.dataOffset == probed[0].offset)
      #expect(try stream.bitRate == 48_000 * bytesPerPacket * 8 / framesPerPacket)
    }
  }

  @Test("Apple Lossless by libsndfile, with the table in front, plays in one pass")
  func losslessInFront() throws {
    let workshop = Workshop()
    try workshop.run("\(Self.tone) in.wav")
    for (bits, flags) in [(16, 1), (20, 2), (24, 3), (32, 4)] {
      try workshop.run("sndfile-convert -alac\(bits) in.wav out.caf")
      var stream = AudioFileStream()
      let (recorder, error) = parse(try workshop.read("out.caf"), with: &stream)
      #expect(error == nil)
      #expect(recorder.placedPackets == (try workshop.probedPackets("out.caf")))
      #expect(try stream.dataFormat.formatFlags.rawValue == UInt32(flags))
      let cookie = try stream.magicCookieData
      #expect(cookie.count == 24)
      #expect(cookie[5] == UInt8(bits))
      #expect(
        try stream.packetTableInfo
          == AudioFilePacketTableInfo(
            numberValidFrames: 48_000, primingFrames: 0, remainderFrames: 12 * 4096 - 48_000))
      #expect(try stream.duration.frames == 48_000)
      #expect(try stream.duration.evidence == .packetTable)
    }
  }

  @Test(
    "A lossless cookie is unwrapped from its atoms, and supplies the bits of the description")
  func losslessCookie() throws {
    let workshop = Workshop()
    try workshop.run("\(Self.tone) -c:a alac out.caf")
    var options = AudioFileStreamOptions()
    options.canReposition = true
    var stream = AudioFileStream(options: options)
    _ = parseFromAnywhere(try workshop.read("out.caf"), sliceBytes: 4096, with: &stream)
    let cookie = try stream.magicCookieData
    #expect(cookie.count == 24)
    #expect(Array(cookie[..<4]) == [0, 0, 0x10, 0])
    #expect(try stream.dataFormat.formatFlags.rawValue == 1)
    // Surround sound has the layout behind the configuration.
    let layout =
      bigEndian(24, 4) + [UInt8]("chan".utf8) + bigEndian(0, 4) + bigEndian(124 << 16 | 6, 4)
    let atoms =
      bigEndian(12, 4) + [UInt8]("frmaalac".utf8) + bigEndian(36, 4) + [UInt8]("alac".utf8)
      + bigEndian(0, 4) + cookie + layout + bigEndian(0, 8) + bigEndian(8, 4) + bigEndian(0, 4)
    for content in [atoms, cookie + layout + bigEndian(0, 8)] {
      let caf = SyntheticCAF(
        formatID: "alac", flags: 0, bytesPerPacket: 0, framesPerPacket: 4096, channels: 6, bits: 0)
      var surround = AudioFileStream()
      let file = caf.bytes(
        SyntheticCAF.chunk("kuki", content), SyntheticCAF.table([5]), SyntheticCAF.data(garbage(5)))
      _ = parse(file, with: &surround)
      #expect(try surround.magicCookieData == cookie)
      #expect(try surround.channelLayout.labels == [3, 1, 2, 5, 6, 4])
    }
  }

  /// FLAC without a cookie, described by the mean of the frames of all packets and an empty one.
  static func cookielessFLAC(isVariable: Bool = false, isTableBehind: Bool) -> [UInt8] {
    let packets = SyntheticFLAC(blockSizes: [64, 64, 64, 20], isVariable: isVariable).frames
    let caf = SyntheticCAF(
      formatID: "flac", flags: 0, bytesPerPacket: 0, framesPerPacket: 53, channels: 1, bits: 0)
    let table = SyntheticCAF.table(packets.map(\.count) + [0], valid: 5 * 53)
    let data = SyntheticCAF.data(packets.flatMap { $0 })
    return isTableBehind ? caf.bytes(data, table) : caf.bytes(table, data)
  }

  @Test("FLAC without a cookie takes its block size and length from its frames' headers")
  func cookielessFLAC() throws {
    for isTableBehind in [true, false] {
      var options = AudioFileStreamOptions()
      options.canReposition = isTableBehind
      var stream = AudioFileStream(options: options)
      let bytes = Self.cookielessFLAC(isTableBehind: isTableBehind)
      let (recorder, error, _) = parseFromAnywhere(bytes, sliceBytes: 50, with: &stream)
      #expect(error == nil)
      #expect(recorder.packets == SyntheticFLAC(blockSizes: [64, 64, 64, 20]).frames)
      #expect(try stream.dataFormat.framesPerPacket == 64)
      // The last packet's frames are known only once its header has been read.
      #expect(try stream.duration.frames == (isTableBehind ? 212 : 256))
      #expect(try stream.packet(containingFrame: 130).packet == 2)
      #expect(throws: AudioFileStreamError.self) { try stream.packetTableInfo }
    }
    // Blocks of several sizes have no common one.
    var stream = AudioFileStream()
    _ = parse(Self.cookielessFLAC(isVariable: true, isTableBehind: false), with: &stream)
    #expect(try stream.dataFormat.framesPerPacket == 53)
  }

  @Test("AAC packets with the table in front equal ffprobe's, and ffmpeg decodes them")
  func advancedAudioCoding() throws {
    let workshop = Workshop()
    try workshop.run(ADTSTests.encode(44_100, 2))
    let packets = parse(try workshop.read("out.aac")).recorder.packets.map { Array($0[7...]) }
    // An ES descriptor with an AudioSpecificConfig in it.
    let specific: [UInt8] = [5, 2, 0x12, 0x10]
    let decoder = [4, UInt8(13 + specific.count), 0x40, 0x15] + [UInt8](repeating: 0, count: 11)
    let esds = [3, UInt8(3 + decoder.count + specific.count), 0, 0, 0] + decoder + specific
    let caf = SyntheticCAF(
      formatID: "aac ", flags: 2, bytesPerPacket: 0, framesPerPacket: 1024, bits: 0)
    let valid = packets.count * 1024 - 2112 - 100
    let bytes = caf.bytes(
      SyntheticCAF.chunk("chan", bigEndian(101 << 16 | 2, 4) + bigEndian(0, 8)),
      SyntheticCAF.chunk("kuki", [0, 0, 0, 0] + esds),
      SyntheticCAF.table(
        packets.map(\.count), valid: valid, priming: 2112, remainder: 100, padding: 9),
      SyntheticCAF.chunk("free", garbage(500)),
      SyntheticCAF.data(packets.flatMap { $0 }, edits: 3))
    try workshop.write(bytes, "out.caf")
    var stream = AudioFileStream()
    let (recorder, error) = parse(bytes, with: &stream)
    #expect(error == nil)
    #expect(recorder.placedPackets == (try workshop.probedPackets("out.caf")))
    #expect(recorder.packets == packets)
    #expect(try stream.magicCookieData == [0, 0, 0, 0] + esds)
    #expect(try stream.dataFormat.formatFlags.rawValue == 2)
    #expect(try stream.duration.frames == Int64(valid))
    #expect(try stream.packetTableInfo.primingFrames == 2112)
    try workshop.run("ffmpeg -v error -xerror -y -i out.caf -f s16le raw")
    #expect(try workshop.read("raw").count > 20_000)
    #expect(
      recorder.properties == [
        "ffmt", "dfmt", "flst", "mgic", "cmap", "doff", "bcnt", "pcnt", "psze", "pkub", "brat",
        "pnfo", "redy",
      ])
  }

  @Test("Files of sox and libsndfile, with the audio at byte 4096, are read back")
  func paddedFiles() throws {
    let workshop = Workshop()
    try workshop.run("\(Self.tone) -bitexact in.wav && sox in.wav sox.caf")
    let samples = Array(try workshop.read("in.wav").dropFirst(44))
    let (recorder, _) = parse(try workshop.read("sox.caf"))
    #expect(recorder.value(.dataOffset) == "4096")
    let swapped = stride(from: 0, to: samples.count, by: 2).flatMap { (index: Int) -> [UInt8] in
      [samples[index + 1], samples[index]]
    }
    #expect(recorder.pcm == swapped)
    for option in ["-pcms8", "-pcm24", "-float32", "-float64", "-ulaw"] {
      try workshop.run("sndfile-convert \(option) in.wav out.caf")
      let (recorder, error) = parse(try workshop.read("out.caf"))
      #expect(error == nil)
      let probed = try workshop.probedPackets("out.caf")
      #expect(recorder.pcm.count == probed.map(\.byteCount).reduce(0, +))
      #expect(recorder.skips == [])
    }
  }

  @Test("Tags equal ffprobe's, under the specification's names and under ffmpeg's own")
  func tags() throws {
    let workshop = Workshop()
    try workshop.run(
      "\(Self.tone) -metadata title='Tür' -metadata artist=A -metadata track=3/9 -metadata date=1999 "
        + "-metadata 'odd one'=x out.caf")
    var stream = AudioFileStream()
    _ = parse(try workshop.read("out.caf"), with: &stream)
    let info = try stream.infoDictionary
    #expect(info[.title] == "Tür")
    #expect(info[.track] == "3/9")
    #expect(info[.date] == "1999")
    #expect(info[AudioTagKey(rawValue: "odd one")] == "x")
    for name in ["title", "artist", "track", "date", "encoder", "odd one"] {
      let probed = try workshop.probed("format_tags='\(name)'", "out.caf")
      #expect(info[AudioTagKey(rawValue: name)] == probed, "\(name)")
    }
    let texts = [
      ("Track Number", "4"), ("year", "2001"), ("comments", "c"), ("tempo", "120"), ("", "no key"),
      ("encoding application", "e"), ("ISRC", "DE1"), ("key signature", "Cm"), ("year", "2002"),
    ]
    var named = AudioFileStream()
    let file = SyntheticCAF().bytes(
      SyntheticCAF.information(texts, stated: 10), SyntheticCAF.data(garbage(8)))
    #expect(parse(file, with: &named).error == nil)
    let entries = try named.infoDictionary.entries
    #expect(
      entries.map(\.key.rawValue)
        == ["track", "date", "comment", "TBPM", "encoder", "ISRC", "key signature"])
    #expect(entries.map(\.value) == ["4", "2001", "c", "120", "e", "DE1", "Cm"])
  }
}
