// SPDX-License-Identifier: MIT

import ByteSources
import Glibc
import PlayerEngine
import Playlists
import Synchronization
import TestKit
import Testing

@Suite("A playlist loader")
struct PlaylistLoaderTests {
  let folder = TemporaryDirectory()
  let server = LoopbackHTTPServer()
  let loader = PlaylistLoader()

  /// Writes a file into the folder, and makes a folder there if the name has one.
  @discardableResult
  func write(_ name: String, _ text: String) -> String {
    let path = folder.file(name)
    if let slash = name.lastIndex(of: "/") {
      unsafe mkdir(folder.file(String(name[..<slash])), 0o755)
    }
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    #expect(unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    return path
  }

  func serve(_ path: String, _ text: String, type: String = "text/plain") {
    server.serve(path, .body(Array(text.utf8), type: type))
  }

  func readAll(_ source: any ByteSource) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
    defer { unsafe buffer.deallocate() }
    while true {
      switch unsafe try source.read(into: buffer, timeoutNanoseconds: 1_000_000_000) {
      case .bytes(let count): unsafe bytes.append(contentsOf: buffer[..<count])
      case .wait, .discontinuity: continue
      case .end: return bytes
      }
    }
  }

  @Test("replaces a file's list by its tracks, and uses the spelling that exists")
  func files() throws {
    defer { server.stop() }
    write("sub/a b.mp3", "x")
    write("100%25.mp3", "x")
    let list = write(
      "l.m3u", "#EXTM3U\n#EXTINF:7,Song\nsub\\a%20b.mp3\n100%25.mp3\nnone%20.mp3\n-\nC:\\x\n")
    let expansion = try loader.expand(list)
    #expect(
      expansion.items.map(\.location)
        == ["sub/a b.mp3", "100%25.mp3", "none%20.mp3", "-"].map(folder.file))
    #expect(expansion.items[0].title == "Song")
    #expect(expansion.items[0].durationNanoseconds == 7_000_000_000)
    #expect(
      expansion.failures == [
        PlaylistFailure(.entry("C:\\x", .windowsPath), at: list, line: 7)
      ])
    #expect("\(expansion.failures[0])".hasPrefix("\(list), line 7: C:\\x is a Windows path"))
  }

  @Test(
    "recognises a server's list by its content type, its name or its content",
    arguments: [
      ("/radio", "audio/x-scpls", "[playlist]\nFile1=a.mp3"),
      ("/radio", "audio/x-mpegurl; charset=utf-8", "a.mp3\n"),
      ("/radio", "application/octet-stream", "#EXTM3U\na.mp3"),
      ("/radio.m3u", "text/plain", "a.mp3"), ("/radio.pls", "audio/mpeg", "#EXTM3U\na.mp3"),
      (
        "/radio?x=1", "application/xspf+xml",
        "<playlist><trackList><track><location>a.mp3</location></track></trackList></playlist>"
      ),
    ])
  func kinds(_ path: String, _ type: String, _ text: String) throws {
    defer { server.stop() }
    serve(String(path.prefix { $0 != "?" }), text, type: type)
    let expansion = try loader.expand(server.url(path))
    #expect(expansion.items.map(\.location) == [server.url("/a.mp3")])
    #expect(expansion.failures == [])
    #expect(server.requests.count == 1)
  }

  @Test("passes on every byte of other content, after one request")
  func other() throws {
    defer { server.stop() }
    let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }
    for (path, type) in [
      ("/a", "audio/mpeg"), ("/b.m3u", "application/octet-stream"), ("/c", "x/y"),
    ] {
      server.serve(path, .body(body, type: type))
      let item = try #require(try loader.expand(server.url(path)).items.first)
      #expect(item.location == server.url(path))
      let source = try #require(item.source)
      let bytes = try readAll(source)
      #expect(bytes == body)
      source.close()
    }
    #expect(server.requests.count == 3)
  }

  @Test("passes on a track that plays like one that the loader did not examine")
  func track() throws {
    defer { server.stop() }
    let path = Fixtures.path("gapless-1.mp3")
    server.serve("/a", .file(path, type: "application/octet-stream", ranges: .honoured))
    for location in [path, server.url("/a")] {
      let source = try #require(try loader.expand(location).items.first?.source)
      let reader = TrackReader(source, location: "list")
      let information = try reader.readInformation()
      let expected = try TrackReader(opening: location).readInformation()
      #expect(information.dataFormat == expected.dataFormat)
      #expect(information.durationNanoseconds == expected.durationNanoseconds)
      #expect(reader.name == location)
    }
    // One request per reader: examining the content costs none.
    #expect(server.requests.count == 2)
  }

  @Test("of a lost station passes on the bytes received so far, which can be read again")
  func lostStation() throws {
    defer { server.stop() }
    // Content that is named like a list is examined for a while, unless it is no text.
    let texts = [[UInt8](repeating: 0x78, count: 500), (0..<200_000).map { UInt8($0 % 251) }]
    server.serve(
      "/radio.m3u",
      inOrder: texts.map { text in
        var plan = ResponsePlan.body(text)
        plan.framing = .untilClose
        plan.metadata = ResponsePlan.Metadata(interval: 50_000) {
          Array("StreamTitle='\($0)';".utf8)
        }
        return plan
      })
    var loader = loader
    loader.configuration.spool = .directory(path: folder.path, maximumBytes: 16 << 20)
    let item = try #require(try loader.expand(server.url("/radio.m3u")).items.first)
    let source = try #require(item.source)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
    defer { unsafe buffer.deallocate() }
    var titles: [StreamMetadata] = []
    func expectSound(from start: Int) throws {
      var place = start
      while place < 100_000 {
        guard
          case .bytes(let count) = unsafe try source.read(
            into: buffer, timeoutNanoseconds: 1_000_000_000)
        else { continue }
        let isSound = unsafe buffer[..<count].elementsEqual(texts[1][place..<place + count])
        try #require(isSound, "\(place)")
        place += count
        titles += source.takeStreamMetadata()
      }
    }
    try expectSound(from: 0)
    #expect(titles.first == StreamMetadata(byteOffset: 50_000, title: "0"))
    let kept = source.spooledByteRanges
    #expect(kept.count == 1 && kept[0].lowerBound == 0 && kept[0].upperBound >= 100_000)
    for start in [0, 400, 2000] {
      try source.reposition(to: UInt64(start))
      try expectSound(from: start)
    }
    source.close()
    #expect(server.requests.count == 2)
  }

  @Test("a server that breaks or refuses is reported to the reader")
  func broken() throws {
    defer { server.stop() }
    for location in [server.url("/none.m3u"), server.url("/none")] {
      let source = try #require(try loader.expand(location).items.first?.source)
      let error = #expect(throws: ByteSourceError.self) { try readAll(source) }
      #expect(error?.reason == .status(404))
    }
    var plan = ResponsePlan.body(Array("#EXTM3U\na.mp3\n".utf8), type: "audio/x-mpegurl")
    plan.framing = .announced(5000)
    plan.fault = .finish(afterBytes: 14)
    server.serve("/cut.m3u", plan)
    let source = try #require(try loader.expand(server.url("/cut.m3u")).items.first?.source)
    let error = #expect(throws: ByteSourceError.self) { try readAll(source) }
    #expect(error?.reason == .notResumable(receivedBytes: 14, expectedBytes: 5000))
    let missing = #expect(throws: PlaylistFailure.self) {
      try loader.expand(folder.file("none.m3u"))
    }
    #expect(missing?.reason == .source(ByteSourceError(.notFound, at: folder.file("none.m3u"))))
  }

  @Test("a server's list, and lists in it, do not lead to files of this machine")
  func security() throws {
    defer { server.stop() }
    let secret = write("secret.mp3", "x")
    let inner = write("inner.m3u", secret)
    serve("/l.m3u", "#EXTM3U\nfile://\(secret)\n\(secret)\nfile://\(inner)\nd/n.pls\n")
    serve("/d/n.pls", "[playlist]\nFile1=file://\(secret)\nFile2=../../../x.mp3\nFile3=-")
    // The same holds if a local list names the server's list.
    let list = write("local.m3u", server.url("/l.m3u"))
    for location in [server.url("/l.m3u"), list] {
      let expansion = try loader.expand(location)
      #expect(
        expansion.items.map(\.location)
          == [server.url(secret), server.url("/x.mp3"), server.url("/d/-")])
      #expect(
        expansion.failures.map(\.reason)
          == ["file://\(secret)", "file://\(inner)", "file://\(secret)"].map {
            .entry($0, .localFile)
          })
    }
  }

  @Test("entries are relative to the redirected URL, with the password only for its own server")
  func redirects() throws {
    defer { server.stop() }
    let other = LoopbackHTTPServer()
    defer { other.stop() }
    server.serve("/away", .redirect(to: other.url("/there/l.m3u")))
    server.serve("/near", .redirect(to: "/here/l.m3u"))
    other.serve("/there/l.m3u", .body(Array("a.mp3".utf8), type: "audio/x-mpegurl"))
    serve("/here/l.m3u", "a.mp3\n/b.mp3")
    let user = "http://u:p@127.0.0.1:\(server.port)"
    #expect(try loader.expand(user + "/away").items.map(\.location) == [other.url("/there/a.mp3")])
    #expect(
      try loader.expand(user + "/near").items.map(\.location)
        == [user + "/here/a.mp3", user + "/b.mp3"])
    #expect(
      try loader.expand(user + "/here/l.m3u").items.map(\.location)
        == [user + "/here/a.mp3", user + "/b.mp3"])
  }

  @Test("nested lists are read in their position, with bounds on cycles, depth and number")
  func nested() throws {
    defer { server.stop() }
    write("sub/inner.pls", "[playlist]\nFile1=b.mp3\nFile2=../outer.m3u\nFile3=./inner.pls")
    let outer = write("outer.m3u", "a.mp3\nsub/inner.pls\nc.mp3\nsub/inner.pls\nnone.m3u")
    let expansion = try loader.expand(outer)
    #expect(
      expansion.items.map(\.location)
        == ["a.mp3", "sub/b.mp3", "c.mp3", "sub/b.mp3"].map(folder.file))
    #expect(
      expansion.failures.map(\.reason) == [
        .cycle("../outer.m3u"), .cycle("./inner.pls"), .cycle("../outer.m3u"),
        .cycle("./inner.pls"),
        .source(ByteSourceError(.notFound, at: folder.file("none.m3u"))),
      ])
    for depth in 0..<7 { write("\(depth).m3u", "t\(depth).mp3\n\(depth + 1).m3u") }
    let deep = try loader.expand(folder.file("0.m3u"))
    #expect(deep.items.map(\.location) == (0...4).map { folder.file("t\($0).mp3") })
    #expect(deep.failures.map(\.reason) == [.tooDeep("5.m3u", limit: 4)])
    write("one.m3u", "t.mp3")
    let many = try loader.expand(write("many.m3u", String(repeating: "one.m3u\n", count: 500)))
    #expect(many.items.count == PlaylistLoader.listLimit - 1)
    #expect(many.failures.map(\.reason) == [.tooManyLists(limit: PlaylistLoader.listLimit)])
    var small = loader
    small.limits.entries = 3
    let full = try small.expand(write("full.m3u", "a\none.m3u\nb"))
    #expect(full.items.count == 3 && full.failures == [])
    let over = try small.expand(write("over.m3u", "a\nfull.m3u"))
    #expect(over.items.count == 3)
    #expect(over.failures.map(\.reason) == [.tooManyTracks(limit: 3)])
  }

  @Test("a server's list that contains itself is a cycle, and an endless one is cut off")
  func hostileServer() throws {
    defer { server.stop() }
    serve("/l.m3u", "l.m3u\na.mp3")
    let expansion = try loader.expand(server.url("/l.m3u"))
    #expect(expansion.items.map(\.location) == [server.url("/a.mp3")])
    #expect(expansion.failures.map(\.reason) == [.cycle("l.m3u")])
    server.serve(
      "/endless.m3u",
      ResponsePlan(
        body: .generated(byteCount: .max) { _, count in [UInt8](repeating: 0x0A, count: count) },
        framing: .untilClose))
    let error = #expect(throws: PlaylistFailure.self) {
      try loader.expand(server.url("/endless.m3u"))
    }
    #expect(error?.reason == .list(PlaylistError(.tooManyBytes(limit: 4 << 20))))
  }

  @Test("an HLS stream and an empty list are reported by name")
  func refusals() throws {
    defer { server.stop() }
    serve("/hls", "#EXTM3U\n#EXT-X-TARGETDURATION:9\n", type: "application/vnd.apple.mpegurl")
    serve("/empty.m3u", "#EXTM3U\n")
    let hls = #expect(throws: PlaylistFailure.self) { try loader.expand(server.url("/hls")) }
    #expect("\(try #require(hls))".contains("HLS"))
    #expect(hls?.location == server.url("/hls"))
    let empty = #expect(throws: PlaylistFailure.self) {
      try loader.expand(server.url("/empty.m3u"))
    }
    #expect(empty?.reason == .empty)
    #expect("\(try #require(empty))".hasPrefix(server.url("/empty.m3u") + " is a playlist"))
  }

  @Test("stops when its caller cancels, and opens no connection unless it is permitted to")
  func waiting() throws {
    defer { server.stop() }
    server.serve("/silent.m3u", .silence)
    server.serve("/silent", .silence)
    let asked = Atomic(0)
    let location = server.url("/silent.m3u")
    let impatient = PlaylistLoader { asked.add(1, ordering: .relaxed).newValue > 1 }
    let error = #expect(throws: PlaylistFailure.self) { try impatient.expand(location) }
    #expect(error?.reason == .cancelled)
    let expansion = try loader.expand(server.url("/silent"), opensAnything: false)
    #expect(expansion.items.map(\.location) == [server.url("/silent")])
    #expect(expansion.items[0].source == nil)
    #expect(server.requests.allSatisfy { $0.target == "/silent.m3u" })
  }

  @Test("does not wait for audio that has announced itself")
  func stalledStream() throws {
    defer { server.stop() }
    var plan = ResponsePlan.body([UInt8](repeating: 1, count: 100), type: "audio/aacp")
    plan.fault = .stall(afterBytes: 0)
    server.serve("/radio", plan)
    let source = try #require(try loader.expand(server.url("/radio")).items.first?.source)
    #expect(source.information.contentType == "audio/aacp")
    source.close()
  }
}
