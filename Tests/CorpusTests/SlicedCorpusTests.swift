// SPDX-License-Identifier: MIT

import PacketParser
import Testing

/// The independence of the reports from the slicing of the input.
@Suite struct SlicedCorpusTests {
  /// The largest size of a file that is fed byte by byte.
  private static let byteByByteLimit = 60_000

  @Test(
    "In pieces of 1, 7, 4096 and random sizes, each file yields the same result",
    arguments: CorpusFile.all)
  func pieces(_ file: CorpusFile) {
    let bytes = file.bytes
    // An input that cannot be read in one pass is read as a file.
    let isFile = parse(bytes, Feed(isFile: false)).error?.code == .notOptimized
    let whole = parse(bytes, Feed(isFile: isFile))
    for pieces in [Feed.Pieces.of(7), .of(4096), .random(seed: 1), .random(seed: 2)] {
      expectSame(parse(bytes, Feed(isFile: isFile, pieces: pieces)), whole, "\(pieces)")
    }
    if !isFile {
      expectSame(
        parse(bytes, Feed(pieces: .random(seed: 3))), parse(bytes), "as a file, in random pieces")
    }
    if bytes.count <= Self.byteByByteLimit {
      expectSame(parse(bytes, Feed(isFile: isFile, pieces: .of(1))), whole, "byte by byte")
    } else {
      let start = Array(bytes[..<Self.byteByByteLimit])
      expectSame(
        parse(start, Feed(isFile: isFile, pieces: .of(1))), parse(start, Feed(isFile: isFile)),
        "byte by byte up to \(Self.byteByByteLimit)")
    }
  }

  private func expectSame(_ sliced: Outcome, _ whole: Outcome, _ how: String) {
    #expect(!sliced.isEndless, "\(how): the parser does not end")
    #expect(sliced.error == whole.error, "\(how)")
    #expect(sliced.log.failures == [], "\(how)")
    #expect(sliced.log.data == whole.log.data, "\(how)")
    let (ours, theirs) = (sliced.log.events, whole.log.events)
    let place = zip(ours, theirs).prefix { $0 == $1 }.count
    guard place < max(ours.count, theirs.count) else { return }
    Issue.record(
      """
      \(how): event \(place) is \(place < ours.count ? "\(ours[place])" : "missing"), of the whole \
      \(place < theirs.count ? "\(theirs[place])" : "missing")
      """)
  }
}
