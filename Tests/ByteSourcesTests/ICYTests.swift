// SPDX-License-Identifier: MIT

import Testing

@testable import ByteSources

@Suite("Metadata between the sound of a station")
struct ICYDemuxerTests {
  private static let sound = Pattern.body(300)

  /// A body with a metadata block after every `interval` bytes, and each text's byte offset in the sound.
  private func body(interval: Int) -> (bytes: [UInt8], blocks: [(offset: Int, block: [UInt8])]) {
    var bytes: [UInt8] = []
    var blocks: [(offset: Int, block: [UInt8])] = []
    for (index, start) in stride(from: 0, to: Self.sound.count, by: interval).enumerated() {
      let piece = Self.sound[start..<min(start + interval, Self.sound.count)]
      bytes += piece
      guard piece.count == interval else { break }
      // Every third block is empty; the longest possible one is among the others.
      let units = index % 3 == 2 ? 0 : index == 1 ? 255 : index % 4 + 1
      let block = (0..<(16 * units)).map { UInt8(truncatingIfNeeded: $0 + index) }
      bytes += [UInt8(units)] + block
      if units > 0 { blocks.append((start + interval, block)) }
    }
    return (bytes, blocks)
  }

  private func check(interval: Int, pieceSize: Int) {
    let (bytes, blocks) = body(interval: interval)
    var demuxer = ICYDemuxer(interval: interval)
    var sound: [UInt8] = []
    var found: [(offset: Int, block: [UInt8])] = []
    for start in stride(from: 0, to: bytes.count, by: pieceSize) {
      var piece = Array(bytes[start..<min(start + pieceSize, bytes.count)])
      let soFar = sound.count
      var span = piece.mutableSpan
      let count = demuxer.removeMetadata(from: &span) { soundBytes, block in
        found.append((soFar + soundBytes, block))
      }
      sound += piece[..<count]
    }
    let isSame =
      sound == Self.sound
      && found.elementsEqual(blocks) { $0.offset == $1.offset && $0.block == $1.block }
    #expect(isSame, "interval \(interval), pieces of \(pieceSize)")
  }

  @Test(
    "is extracted whole, whatever the interval and the slicing of the body",
    arguments: Array(1...64) + [97, 255, 256, 299, 300, 301, 8191, 16000, 65537])
  func everySplit(interval: Int) {
    let largest = body(interval: interval).bytes.count
    for size in Array(1...64) + [100, 255, 256, 257, 1000, 4080, 4081, 4097, largest] {
      check(interval: interval, pieceSize: size)
    }
  }

  @Test("is read from a block")
  func blocks() {
    let cases: [(String, String?, String?)] = [
      ("StreamTitle='A - B';StreamUrl='http://x/';", "A - B", "http://x/"),
      ("StreamTitle='A - B';", "A - B", nil),
      ("StreamTitle='It's a 'quote';", "It's a 'quote", nil),
      ("StreamTitle='Don't; won't; can't';StreamUrl='';", "Don't; won't; can't", nil),
      ("StreamTitle='a';b';StreamUrl='u';", "a';b", "u"),
      ("StreamTitle=''';", "'", nil),
      ("StreamTitle='';StreamUrl='u';", nil, "u"),
      ("streamtitle='x';STREAMURL='y'", "x", "y"),
      ("StreamUrl='u'; StreamTitle='t';", "t", "u"),
      ("StreamTitle='no end", "no end", nil),
      ("StreamTitle='no semicolon'", "no semicolon", nil),
      ("StreamTitle='a';StreamTitle='b';", "a", nil),
      ("adw_ad='true';durationMilliseconds='9';StreamTitle='t';", "t", nil),
      ("StreamTitle=bare;StreamUrl='u';", "bare", "u"),
      ("StreamTitle=A; B - C; StreamUrl=u", "A; B - C", "u"),
      ("StreamTitle='A - B';adw_ad='true';x2='9';StreamUrl='u';", "A - B", "u"),
      ("StreamTitle='t';adw_ad=true;ad-type=preroll;StreamUrl=u;", "t", "u"),
      ("StreamTitle=\"t\";StreamUrl=\"u\";", "t", "u"),
      ("StreamTitle=\"It's \"so\"\";1_a='b';StreamUrl='u';", "It's \"so\"", "u"),
      ("StreamTitle=\"Heroes\" - B;StreamUrl='u';", "\"Heroes\" - B", "u"),
      ("StreamTitle='a \"b\";c';", "a \"b\";c", nil),
      ("='x';StreamTitle='t';", "t", nil),
      ("", nil, nil), ("garbage", nil, nil), ("=", nil, nil), ("'='='", nil, nil),
      ("StreamTitle=", nil, nil), ("StreamTitle='", nil, nil), ("StreamTitle=''", nil, nil),
      ("StreamTitle='a\u{1B}[2J\r\nb';", "a\\u{1b}[2J\\u{d}\\u{a}b", nil),
    ]
    for (text, title, url) in cases {
      for padding in [0, 1, 15, 300] {
        let block = ICYMetadataBlock(Array(text.utf8) + [UInt8](repeating: 0, count: padding))
        #expect((block.title, block.url) == (title, url), "\(text), \(padding)")
      }
    }
  }

  @Test("is harmless, whatever its content")
  func hostile() {
    var seed: UInt64 = 1
    let alphabet = Array("StreamTitle='';=\0\u{80}".utf8)
    for count in stride(from: 0, to: 4081, by: 17) {
      let block = (0..<count).map { _ -> UInt8 in
        seed = seed &* 6_364_136_223_846_793_005 &+ 1
        return alphabet[Int(seed >> 33) % alphabet.count]
      }
      let read = ICYMetadataBlock(block)
      #expect(read.title?.contains("\n") != true)
    }
    for pattern in ["';", "='", "'", "a='", "';a"] {
      let block = Array(String(repeating: pattern, count: 4080 / pattern.utf8.count).utf8)
      #expect(ICYMetadataBlock(block).url == nil)
    }
  }

  @Test("is decoded as UTF-8 if valid, and else as Latin-1 in its usual form")
  func encodings() {
    func title(_ bytes: [UInt8]) -> String? {
      ICYMetadataBlock(Array("StreamTitle='".utf8) + bytes + Array("';".utf8)).title
    }
    #expect(title(Array("Björk – Jóga ☃".utf8)) == "Björk – Jóga ☃")
    #expect(title([0x42, 0x6A, 0xF6, 0x72, 0x6B]) == "Björk")
    #expect(title([0x80, 0x92, 0x96, 0x9F, 0xFF]) == "€’–Ÿÿ")
    #expect(title([0x81]) == "\\u{81}")
    // A UTF-8 character that is cut by the block's end makes the whole text Latin-1.
    #expect(title([0x41, 0xC3]) == "AÃ")
  }

  @Test("is delivered once, and only the newest if it is not taken")
  func queue() {
    func block(_ title: String) -> ICYMetadataBlock {
      ICYMetadataBlock(Array("StreamTitle='\(title)';".utf8))
    }
    var queue = StreamMetadataQueue()
    queue.append(block(""), byteOffset: 0)
    queue.append(block("a"), byteOffset: 1)
    queue.append(block("a"), byteOffset: 2)
    queue.append(block("b"), byteOffset: 3)
    #expect(
      queue.take() == [
        StreamMetadata(byteOffset: 1, title: "a"), StreamMetadata(byteOffset: 3, title: "b"),
      ])
    queue.append(block("b"), byteOffset: 4)
    #expect(queue.take().isEmpty)
    queue.append(block(""), byteOffset: 5)
    #expect(queue.take() == [StreamMetadata(byteOffset: 5)])
    for index in 0..<1000 { queue.append(block("\(index)"), byteOffset: UInt64(index)) }
    #expect(queue.take().map(\.byteOffset) == Array(936..<1000))
  }
}
