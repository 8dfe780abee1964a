// SPDX-License-Identifier: MIT

import AudioModel
import Glibc
import PacketParser
import TestKit
import Testing

/// Reports of missing sound, for exactly those files that state more than they contain.
@Suite struct MissingSoundTests {
  /// Whether a file is cut, or has foreign bytes as long as two frames, which look like two damaged frames.
  private static func lacksSound(_ path: String) -> Bool {
    ["-cut.", "truncated", "mp3-garbage"].contains { path.contains($0) }
  }

  @Test("No loss is reported for a whole file", arguments: CorpusFile.readable)
  func corpus(_ file: CorpusFile) {
    if Self.lacksSound(file.name) { return }
    for isFile in [true, false] {
      let outcome = parse(file.bytes, Feed(isFile: isFile, looksAtBytes: false))
      if outcome.error?.code == .notOptimized { continue }
      #expect(outcome.error == nil)
      #expect(outcome.log.gaps.filter(\.isLoss) == [])
    }
  }

  @Test("Only the broken fixtures are reported to lack sound", arguments: fixturePaths)
  func fixture(_ path: String) {
    let outcome = parse(contents(ofFile: path), Feed(looksAtBytes: false))
    #expect((outcome.error != nil) == path.hasSuffix("/empty.mp3"))
    #expect(outcome.log.gaps.contains(where: \.isLoss) == Self.lacksSound(path))
  }

  @Test("A file that ends where its first packet begins is refused", arguments: CorpusFile.readable)
  func header(_ file: CorpusFile) throws {
    let bytes = file.bytes
    let whole = parse(bytes, Feed(looksAtBytes: false))
    let places = whole.log.packets.map(\.offset) + whole.log.extents.map(\.lowerBound)
    let start = try #require(places.min())
    for isFile in [true, false] {
      let outcome = parse(
        bytes.span.extracting(0..<Int(start)), Feed(isFile: isFile, looksAtBytes: false))
      #expect(outcome.error != nil)
    }
  }

  @Test("A file cut in half reports the frames that are missing", arguments: CorpusFile.readable)
  func half(_ file: CorpusFile) throws {
    if file.differences["facts"] != nil { return }
    let bytes = file.bytes
    let whole = parse(bytes, Feed(looksAtBytes: false))
    let cut = parse(
      bytes.span.extracting(0..<bytes.count / 2), Feed(isFile: false, looksAtBytes: false))
    // If the file does not state its length, no part is known to be missing.
    guard cut.error == nil, let stated = cut.atReady?.duration, stated.isExact,
      let all = whole.atEnd.duration, stated.frames == all.frames
    else { return }
    let left = try #require(cut.atEnd.duration)
    let missing = cut.log.gaps.reduce(0) { $0 + ($1.frameCount ?? 0) }
    #expect(left.frames + missing == all.frames, "\(left.frames) frames came")
  }

  static let fixturePaths: [String] = {
    let folders = ["/.build/fixtures/", "/Tests/Fixtures/"].map { Fixtures.repository + $0 }
    let endings = [
      ".mp3", ".mp2", ".wav", ".aac", ".m4a", ".flac", ".ogg", ".opus", ".aif", ".caf",
    ]
    return folders.flatMap { folder in
      names(in: folder).filter { name in endings.contains { name.hasSuffix($0) } }.map {
        folder + $0
      }
    }
  }()

  private static func names(in folder: String) -> [String] {
    guard let listing = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(listing) }
    var names: [String] = []
    while let entry = unsafe readdir(listing) {
      names.append(
        unsafe withUnsafePointer(to: &entry.pointee.d_name) {
          unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
        })
    }
    return names.sorted()
  }
}
