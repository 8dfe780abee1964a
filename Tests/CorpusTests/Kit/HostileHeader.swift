// SPDX-License-Identifier: MIT

import Testing

/// A hundred bytes that claim to begin an enormous file.
struct HostileHeader: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var bytes: [UInt8]

  init(_ name: String, _ parts: [UInt8]...) {
    testDescription = name
    let all = parts.flatMap { $0 }
    bytes = Array((all + [UInt8](repeating: 0, count: 100)).prefix(max(100, all.count)))
  }

  private static func text(_ text: String) -> [UInt8] { [UInt8](text.utf8) }
  private static func big(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }
  private static func little(_ value: UInt64, _ count: Int) -> [UInt8] {
    big(value, count).reversed()
  }
  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
  private static let huge32: UInt64 = 0xFFFF_FFFF
  private static let huge64: UInt64 = 0x7FFF_FFFF_FFFF_FFFF

  static let all: [HostileHeader] =
    mpegAudio + adts + wave + wave64 + aiff + nextSound + coreAudio + mpeg4 + flac + ogg

  private static let mpegAudio: [HostileHeader] = {
    let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x64]
    return [
      HostileHeader("an ID3v2 tag of 256 MB", text("ID3"), [3, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F]),
      HostileHeader(
        "an ID3v2 picture of 4 GB", text("ID3"), [3, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F],
        text("APIC"), big(huge32, 4), [0, 0, 0], text("image/jpeg"), [0, 3, 0]),
      HostileHeader(
        "an ID3v2 text of 256 MB", text("ID3"), [4, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F],
        text("TIT2"), [0x7F, 0x7F, 0x7F, 0x7F], [0, 0, 3], text("title")),
      HostileHeader(
        "an APE tag of 4 GB", text("APETAGEX"), little(2000, 4), little(huge32, 4),
        little(huge32, 4), little(0xA000_0000, 4)),
      HostileHeader(
        "a Xing tag of 4 GB", frame, zeros(32), text("Xing"), big(15, 4), big(huge32, 4),
        big(huge32, 4)),
      HostileHeader(
        "a VBRI table of 65,535 entries", frame, zeros(32), text("VBRI"), big(1, 2), zeros(4),
        big(huge32, 4), big(huge32, 4), big(0xFFFF, 2), big(0xFFFF, 2), big(4, 2), big(0xFFFF, 2)),
    ]
  }()

  private static let adts: [HostileHeader] = [
    HostileHeader("ADTS frames of 8191 bytes", [0xFF, 0xF1, 0x50, 0x83, 0xFF, 0xFF, 0xFC])
  ]

  private static let wave: [HostileHeader] = {
    func riff(_ id: String, _ chunks: [UInt8]...) -> [UInt8] {
      text(id) + little(huge32, 4) + text("WAVE") + chunks.flatMap { $0 }
    }
    func format(_ channels: UInt64, _ align: UInt64, _ bits: UInt64, tag: UInt64 = 1) -> [UInt8] {
      text("fmt ") + little(16, 4) + little(tag, 2) + little(channels, 2) + little(huge32, 4)
        + little(huge32, 4) + little(align, 2) + little(bits, 2)
    }
    return [
      HostileHeader("a WAVE format of 4 GB", riff("RIFF", text("fmt "), little(huge32, 4))),
      HostileHeader(
        "WAVE data of 4 GB", riff("RIFF", format(2, 4, 16), text("data"), little(0xFFFF_FFF0, 4))),
      HostileHeader(
        "WAVE with 65,535 channels",
        riff("RIFF", format(0xFFFF, 0xFFFF, 0xFFFF), text("data"), little(huge32, 4))),
      HostileHeader(
        "a WAVE list of 4 GB",
        riff(
          "RIFF", format(2, 4, 16), text("LIST"), little(huge32, 4), text("INFOINAM"),
          little(huge32, 4))),
      HostileHeader(
        "an id3 chunk of 4 GB",
        riff(
          "RIFF", text("id3 "), little(huge32, 4), text("ID3"), [3, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F])),
      HostileHeader(
        "ADPCM blocks of 65,535 bytes",
        riff("RIFF", format(2, 0xFFFF, 4, tag: 0x11), text("data"), little(huge32, 4))),
      HostileHeader(
        "RF64 of 9 exabytes",
        riff(
          "RF64", text("ds64"), little(28, 4), little(huge64, 8), little(huge64, 8),
          little(huge64, 8), little(huge32, 4), text("data"), little(huge32, 4))),
      HostileHeader(
        "an RF64 size chunk of 4 GB",
        riff("RF64", text("ds64"), little(huge32, 4), little(huge64, 8))),
    ]
  }()

  private static let wave64: [HostileHeader] = {
    let tail: [UInt8] = [0xF3, 0xAC, 0xD3, 0x11, 0x8C, 0xD1, 0, 0xC0, 0x4F, 0x8E, 0xDB, 0x8A]
    let head =
      text("riff") + [0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 4, 0xC1, 0, 0]
      + little(huge64, 8) + text("wave") + tail
    return [
      HostileHeader("a Wave64 format of 9 exabytes", head, text("fmt ") + tail, little(huge64, 8)),
      HostileHeader("a Wave64 chunk of all ones", head, text("junk") + tail, little(UInt64.max, 8)),
    ]
  }()

  private static let aiff: [HostileHeader] = {
    func form(_ chunks: [UInt8]...) -> [UInt8] {
      text("FORM") + big(huge32, 4) + text("AIFC") + chunks.flatMap { $0 }
    }
    let rate: [UInt8] = [0x40, 0x0E, 0xAC, 0x44, 0, 0, 0, 0, 0, 0]
    return [
      HostileHeader("an AIFF common chunk of 4 GB", form(text("COMM"), big(huge32, 4))),
      HostileHeader(
        "AIFF with 32,767 channels",
        form(
          text("COMM"), big(24, 4), big(0x7FFF, 2), big(huge32, 4), big(0x7FFF, 2), rate,
          text("NONE"), [0, 0], text("SSND"), big(huge32, 4), big(huge32, 4))),
      HostileHeader(
        "an AIFF offset of 4 GB",
        form(
          text("COMM"), big(24, 4), big(2, 2), big(huge32, 4), big(16, 2), rate, text("NONE"),
          [0, 0],
          text("SSND"), big(huge32, 4), big(huge32, 4), big(huge32, 4))),
      HostileHeader("an AIFF name of 4 GB", form(text("NAME"), big(huge32, 4))),
    ]
  }()

  private static let nextSound: [HostileHeader] = [
    HostileHeader(
      "AU data 4 GB away", text(".snd"), big(huge32, 4), big(huge32, 4), big(3, 4), big(44100, 4),
      big(2, 4)),
    HostileHeader(
      "AU with 4 G channels", text(".snd"), big(24, 4), big(huge32, 4), big(7, 4), big(huge32, 4),
      big(huge32, 4)),
  ]

  private static let coreAudio: [HostileHeader] = {
    func file(_ format: String, _ bytes: UInt64, _ chunks: [UInt8]...) -> [UInt8] {
      text("caff") + [0, 1, 0, 0] + text("desc") + big(32, 8) + big(0x40E5_8880_0000_0000, 8)
        + text(format) + zeros(4) + big(bytes, 4) + big(bytes == 0 ? 1024 : 1, 4) + big(2, 4)
        + big(16, 4)
        + chunks.flatMap { $0 }
    }
    return [
      HostileHeader(
        "a CAF description of 9 exabytes", text("caff"), [0, 1, 0, 0], text("desc"), big(huge64, 8)),
      HostileHeader(
        "a CAF table of 2^62 packets",
        file("aac ", 0, text("pakt"), big(huge64 / 2, 8), big(huge64 / 2, 8), big(huge64, 8))),
      HostileHeader("a CAF cookie of 9 exabytes", file("aac ", 0, text("kuki"), big(huge64, 8))),
      HostileHeader(
        "a CAF layout of 4 G channels",
        file("lpcm", 4, text("chan"), big(huge64, 8), zeros(8), big(huge32, 4))),
      HostileHeader(
        "CAF information of 4 G entries",
        file("lpcm", 4, text("info"), big(huge64, 8), big(huge32, 4))),
      HostileHeader(
        "CAF packets of 4 GB", file("lpcm", huge32, text("data"), big(huge64, 8), zeros(4))),
    ]
  }()

  private static let mpeg4: [HostileHeader] = {
    func box(_ name: String, _ size: UInt64, _ body: [UInt8]...) -> [UInt8] {
      big(size, 4) + text(name) + body.flatMap { $0 }
    }
    let start = box("ftyp", 16, text("M4A "), zeros(4))
    func table(_ name: String, _ body: [UInt8]) -> [UInt8] {
      start
        + box(
          "moov", 0x7FFF_FFFF,
          box(
            "trak", huge32,
            box("mdia", huge32, box("minf", huge32, box("stbl", huge32, box(name, huge32, body))))))
    }
    return [
      HostileHeader("an index of 4 GB", start, box("moov", huge32)),
      HostileHeader("an index of 9 exabytes", start, box("moov", 1, big(huge64, 8))),
      HostileHeader("a file type of 4 GB", box("ftyp", huge32, text("M4A "))),
      HostileHeader(
        "audio of 9 exabytes in front of the index", start, box("mdat", 1, big(huge64, 8))),
      HostileHeader("4 G sizes of samples", table("stsz", zeros(8) + big(huge32, 4))),
      HostileHeader(
        "4 G samples of one size", table("stsz", zeros(4) + big(1, 4) + big(huge32, 4))),
      HostileHeader("4 G chunks", table("co64", zeros(4) + big(huge32, 4))),
      HostileHeader(
        "4 G durations", table("stts", zeros(4) + big(huge32, 4) + big(huge32, 4) + big(1, 4))),
      HostileHeader(
        "4 G samples in a fragment", start,
        box("moof", huge32, box("traf", huge32, box("trun", huge32, big(0x301, 4), big(huge32, 4))))
      ),
      HostileHeader(
        "4 G fragments in an index", start, box("sidx", huge32, zeros(24), big(0xFFFF, 2))),
      HostileHeader(
        "boxes in boxes", start,
        box(
          "moov", huge32,
          box(
            "udta", huge32,
            box(
              "meta", huge32, zeros(4),
              box("ilst", huge32, box("covr", huge32, box("data", huge32))))))),
    ]
  }()

  private static let flac: [HostileHeader] = {
    let info =
      text("fLaC") + [0, 0, 0, 34] + big(0xFFFF, 2) + big(0xFFFF, 2) + [
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
      ]
      + [0x0A, 0xC4, 0x42, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF] + zeros(16)
    return [
      HostileHeader("FLAC padding of 16 MB", info, [0x01, 0xFF, 0xFF, 0xFF]),
      HostileHeader("a FLAC seek table of 16 MB", info, [0x83, 0xFF, 0xFF, 0xFF]),
      HostileHeader(
        "a FLAC picture of 4 GB", info, [0x86, 0xFF, 0xFF, 0xFF], big(3, 4), big(huge32, 4)),
      HostileHeader("FLAC comments of 4 GB", info, [0x84, 0xFF, 0xFF, 0xFF], little(huge32, 4)),
      HostileHeader("FLAC stream information of 16 MB", text("fLaC"), [0, 0xFF, 0xFF, 0xFF]),
      HostileHeader("FLAC frames of 16 MB", info, [0x81, 0, 0, 0], [0xFF, 0xF8, 0x79, 0x18, 0]),
    ]
  }()

  /// An Ogg page's check word (RFC 3533 section 6).
  private static func checkWord(_ bytes: [UInt8]) -> UInt64 {
    var word: UInt32 = 0
    for byte in bytes {
      word ^= UInt32(byte) << 24
      for _ in 0..<8 { word = word << 1 ^ (word >> 31 == 1 ? 0x04C1_1DB7 : 0) }
    }
    return UInt64(word)
  }

  private static let ogg: [HostileHeader] = {
    func page(_ lacing: [UInt8], _ body: [UInt8]) -> [UInt8] {
      let head = text("OggS") + [0, 2] + zeros(8) + little(7, 4) + zeros(4)
      let rest = [UInt8(lacing.count)] + lacing + body
      return head + little(checkWord(head + zeros(4) + rest), 4) + rest
    }
    let full = [UInt8](repeating: 255, count: 60)
    return [
      HostileHeader("an Ogg page of 64 kB", page(full, []), text("OpusHead")),
      HostileHeader(
        "an Opus head and nothing",
        page([19], text("OpusHead") + [1, 255, 0, 0] + little(huge32, 4))),
      HostileHeader(
        "a Vorbis head and nothing",
        page([30], [1] + text("vorbis") + zeros(4) + [255] + little(huge32, 4))),
      HostileHeader(
        "an Ogg FLAC head of 65,535 packets",
        page([51], [0x7F] + text("FLAC") + [1, 0, 255, 255] + text("fLaC"))),
    ]
  }()
}
