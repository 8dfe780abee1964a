// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import Testing

/// ID3v2 frames compressed by Python's zlib.
@Suite struct CompressedFrameTests {
  private static let fixed = bytes(
    "78da6388ca2c28484d5128c92cc94905001e3d04af")
  private static let stored = bytes(
    "7801010d00f2ff005a6970706564207469746c651e3d04af")
  private static let dynamic = bytes(
    "78da6dcfbb0d803000434146c900147c6d671da450214502f61703f0daeb6ea8b51cfd7daff6947e96a3"
      + "b57b2c35600613d80eb681ad600bd80c36fd2df0083c028fc023f0083c028fc023f0083c0c0fc3c3f030"
      + "3c0c0fc3c3f0303c0c0fc343f0103c040fc143f0103c040fc143f0f800fa78febf")
  /// 522 bytes: a PNG signature and zeros, under the type `image/jpeg`.
  private static let picture = bytes(
    "78da63c8cc4d4c4fd5cf2a484d676066e80cf073e7e592e2621805230e0000125e0585")

  private static func bytes(_ text: String) -> [UInt8] {
    let digits = text.utf8.map { UInt8(hexadecimal: $0) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// A compressed frame of version 2.3 or 2.4.
  private static func frame(
    _ version: Int, _ id: String, _ data: [UInt8], byteCount: Int, hasLength: Bool = true
  ) -> [UInt8] {
    let maker = SyntheticID3(version: version)
    if version == 3 {
      return maker.frame(id, data, flags: 0x80, prefix: bigEndian(byteCount, 4))
    }
    return maker.frame(
      id, data, flags: hasLength ? 0x09 : 0x08,
      prefix: hasLength ? SyntheticID3.synchsafe(byteCount) : [])
  }

  private static func info(_ version: Int, _ frames: [UInt8]) throws -> AudioFileInfo {
    var stream = AudioFileStream()
    let tag = SyntheticID3(version: version).tag(frames)
    let (_, error) = parse(tag + ID3v2Tests.frames, with: &stream)
    #expect(error == nil)
    return try stream.infoDictionary
  }

  @Test("Texts are decompressed, whatever their kind of block", arguments: [3, 4])
  func texts(_ version: Int) throws {
    let song = (61...99).reversed().map { "\($0) bottles of beer, " }.joined()
    let tag = SyntheticID3(version: version).tag(
      Self.frame(version, "TIT2", Self.fixed, byteCount: 13),
      Self.frame(version, "TPE1", Self.stored, byteCount: 13, hasLength: false),
      Self.frame(version, "TALB", Self.dynamic, byteCount: song.utf8.count + 1))
    let info = try ID3v2Tests.info(tag)
    #expect(info[.title] == "Zipped title")
    #expect(info[.artist] == "Zipped title")
    #expect(info[.album] == song)
  }

  @Test(
    "A picture is decompressed if wanted, and its type comes from its own bytes", arguments: [3, 4])
  func pictures(_ version: Int) throws {
    for limit in [0, 5000] {
      let tag = SyntheticID3(version: version).tag(
        Self.frame(version, "APIC", Self.picture, byteCount: 522))
      let picture = try #require(try ID3v2Tests.info(tag, pictureByteLimit: limit).pictures.first)
      #expect(picture.mediaType == "image/png")
      #expect(picture.kind == 3)
      #expect(picture.byteCount == 508)
      #expect(picture.bytes.count == (limit > 0 ? 508 : 0))
    }
  }

  @Test(
    "Data that are cut, damaged or too long decompressed never trap, and other frames are read")
  func hostile() throws {
    let album = SyntheticID3(version: 4).text("TALB", "b")
    for data in [Self.fixed, Self.stored, Self.dynamic] {
      for place in data.indices {
        var broken = data
        broken[place] ^= 0xFF
        for bytes in [broken, Array(data[..<place])] {
          let frame = Self.frame(4, "TPE1", bytes, byteCount: 100)
          #expect(try Self.info(4, frame + album)[.album] == "b")
        }
      }
    }
    // A run of three million letters.
    let letters = Self.bytes("78da") + Self.letters
    let info = try Self.info(4, Self.frame(4, "TPE1", letters, byteCount: 100) + album)
    #expect(info[.artist] == nil)
    #expect(info[.album] == "b")
  }

  /// A block of fixed codes: a zero, an "a" and 12,000 copies of 258 bytes from one byte back.
  private static let letters: [UInt8] = {
    var bits: [UInt8] = [1, 1, 0]
    func add(_ code: Int, _ count: Int) {
      for shift in (0..<count).reversed() { bits.append(UInt8(code >> shift & 1)) }
    }
    add(0x30, 8)
    add(0x30 + 0x61, 8)
    for _ in 0..<12_000 {
      add(0xC5, 8)
      add(0, 5)
    }
    add(0, 7)
    var bytes = [UInt8](repeating: 0, count: bits.count / 8 + 1)
    for (index, bit) in bits.enumerated() { bytes[index / 8] |= bit << UInt8(index % 8) }
    return bytes
  }()
}

extension UInt8 {
  /// The value of a digit from 0 to f.
  fileprivate init(hexadecimal digit: UInt8) {
    self = digit <= UInt8(ascii: "9") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10
  }
}
