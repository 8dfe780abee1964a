// SPDX-License-Identifier: MIT

import ByteSources
import TestKit
import Testing

@Suite("A spooled body over HTTP")
final class SpooledHTTPTests {
  private let server = LoopbackHTTPServer()
  private let directory = TemporaryDirectory()
  private let body = Pattern.body(1_000_000)

  deinit {
    server.stop()
  }

  private func open(_ path: String, maximumBytes: UInt64 = 16 << 20) throws -> any ByteSource {
    var configuration = ByteSourceConfiguration()
    configuration.spool = .directory(path: directory.path, maximumBytes: maximumBytes)
    return try openByteSource(server.url(path), configuration: configuration)
  }

  private func plan(_ ranges: ResponsePlan.Ranges) -> ResponsePlan {
    ResponsePlan(fields: [("ETag", "\"v1\"")], body: .bytes(body), ranges: ranges)
  }

  /// Reads at least `count` bytes from a byte offset, or up to the end, and compares them.
  private func check(_ source: any ByteSource, from start: Int, _ count: Int) throws {
    try source.reposition(to: UInt64(start))
    var place = start
    while place < start + count {
      let (answer, bytes) = try source.read(8000)
      if answer == .end { break }
      let isPlain = bytes.elementsEqual(body[place..<place + bytes.count])
      #expect(isPlain)
      place += bytes.count
    }
    #expect(place >= min(start + count, body.count))
  }

  @Test("random reads and seeks deliver the body's bytes, with requests only for bytes not kept")
  func random() throws {
    server.serve("/a", plan(.honoured))
    var random = SplitMix(state: 11)
    for _ in 0..<4 {
      let source = try open("/a")
      defer { source.close() }
      _ = try source.read(1000)
      for _ in 0..<40 {
        let start = Int.random(in: 0..<body.count, using: &random)
        let count = Int.random(in: 1..<100_000, using: &random)
        let range = UInt64(start)..<UInt64(min(start + count + 8000, body.count))
        let isKept = source.spooledByteRanges.contains {
          $0.lowerBound <= range.lowerBound && $0.upperBound >= range.upperBound
        }
        let requests = server.requests.count
        try check(source, from: start, count)
        // Other seeks make one request, and another behind each kept stretch.
        if isKept { #expect(server.requests.count == requests) }
      }
      #expect(
        server.requests.allSatisfy {
          $0.fields["range"] == nil || $0.fields["if-range"] == "\"v1\""
        })
    }
  }

  @Test("a seek back sends no request, nor does reading on after it")
  func back() throws {
    server.serve("/a", plan(.honoured))
    let source = try open("/a")
    try check(source, from: 0, 300_000)
    for start in [0, 299_999, 150_000] { try check(source, from: start, 400_000 - start) }
    #expect(server.requests.count == 1)
    try check(source, from: 900_000, 100_000)
    #expect(server.requests.map { $0.fields["range"] } == [nil, "bytes=900000-"])
    try check(source, from: 100, 1000)
    #expect(server.requests.count == 2)
    source.close()
    #expect(directory.names.isEmpty)
  }

  @Test("without ranges, seeks still work in both directions, with one request")
  func withoutRanges() throws {
    server.serve("/a", plan(.notOffered))
    let source = try open("/a")
    #expect(try source.read(10).bytes == Array(body[..<10]))
    #expect(source.information.isRepositionable)
    var random = SplitMix(state: 5)
    for _ in 0..<100 {
      try check(
        source, from: Int.random(in: 0...body.count, using: &random),
        Int.random(in: 1..<50_000, using: &random))
    }
    try source.reposition(to: 0)
    #expect(source.readAll().bytes == body)
    #expect(server.requests.count == 1)
  }

  @Test("an endless stream can be sought back as far as it is kept")
  func endless() throws {
    server.serve(
      "/radio", ResponsePlan(body: .generated(byteCount: .max, Pattern.bytes), framing: .untilClose)
    )
    let source = try open("/radio", maximumBytes: 1 << 20)
    var place: UInt64 = 0
    while place < 5_000_000 { place += UInt64(try source.read().bytes.count) }
    #expect(!source.information.isRepositionable)
    let kept = try #require(source.spooledByteRanges.first)
    #expect(kept.upperBound == place && kept.count > 700_000)
    try source.reposition(to: kept.lowerBound)
    var again = kept.lowerBound
    while again < place + 100_000 {
      let bytes = try source.read().bytes
      #expect(bytes == Pattern.bytes(again, bytes.count))
      again += UInt64(bytes.count)
    }
    #expect(server.requests.count == 1)
    #expect(throws: ByteSourceError(.notRepositionable, at: server.url("/radio"))) {
      try source.reposition(to: 0)
    }
  }

  @Test("a body that has changed on the server is never mixed with kept bytes")
  func changed() throws {
    var other = plan(.honoured)
    other.fields = [("ETag", "\"v2\"")]
    server.handle("/a") { [plan = plan(.honoured), other] in
      $0.fields["range"] == nil ? plan : other
    }
    let source = try open("/a")
    try check(source, from: 0, 100_000)
    try source.reposition(to: 600_000)
    #expect(throws: ByteSourceError(.changed, at: server.url("/a"))) { try source.read() }
    #expect(throws: ByteSourceError(.changed, at: server.url("/a"))) {
      try source.reposition(to: 0)
    }
    #expect(directory.names.isEmpty)
  }

  @Test("a wake ends a wait behind kept bytes")
  func wake() throws {
    var stalled = plan(.notOffered)
    stalled.fault = .stall(afterBytes: 100_000)
    server.serve("/a", stalled)
    let source = try open("/a")
    try check(source, from: 0, 100_000)
    try check(source, from: 50_000, 50_000)
    source.wake()
    #expect(try source.read(timeout: 60 * second).answer == .wait)
    // A source that reads up to the byte would wait, too.
    try source.reposition(to: 500_000)
    source.wake()
    #expect(try source.read(timeout: 60 * second).answer == .wait)
  }

  @Test("without a spool nothing is kept, and a file never is")
  func off() throws {
    server.serve("/a", plan(.notOffered))
    let source = try openByteSource(server.url("/a"))
    _ = try source.read()
    #expect(source.spooledByteRanges.isEmpty && source.spoolState == .off)
    var configuration = ByteSourceConfiguration()
    configuration.spool = .directory(path: directory.path, maximumBytes: 1 << 20)
    let file = try openByteSource(directory.file("a", body), configuration: configuration)
    _ = try file.read()
    #expect(file.spoolState == .off)
    #expect(directory.names == ["a"])
  }
}
