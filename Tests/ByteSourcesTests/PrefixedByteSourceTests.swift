// SPDX-License-Identifier: MIT

import ByteSources
import TestKit
import Testing

@Suite("A source with its first bytes put back")
struct PrefixedByteSourceTests {
  let server = LoopbackHTTPServer()
  let body = Pattern.body(300_000)

  /// A source with the bytes of one read put back before it.
  func source(
    _ ranges: ResponsePlan.Ranges = .honoured, reading count: Int = 1000
  ) throws -> (source: PrefixedByteSource, prefix: Int) {
    server.serve("/a", ResponsePlan(body: .bytes(body), ranges: ranges))
    let source = try openByteSource(server.url("/a"))
    var prefix: [UInt8] = []
    while prefix.isEmpty { prefix = try source.read(count).bytes }
    return (PrefixedByteSource(prefix, followedBy: source), prefix.count)
  }

  @Test("delivers all bytes once, at any read size", arguments: [1, 7, 999, 1000, 1001, 16_384])
  func reads(_ count: Int) throws {
    defer { server.stop() }
    let (source, _) = try source()
    let (bytes, error) = source.readAll(count)
    let isWhole = bytes == body
    #expect(isWhole)
    #expect(error == nil)
    #expect(try source.read().answer == .end)
    #expect(server.requests.count == 1)
  }

  @Test("reports the server's abilities only once it is read, like an unread source")
  func information() throws {
    defer { server.stop() }
    let (source, _) = try source()
    #expect(!source.information.isRepositionable)
    #expect(source.information.byteCount == 300_000)
    let error = #expect(throws: ByteSourceError.self) { try source.reposition(to: 0) }
    #expect(error?.reason == .notRepositionable)
    _ = try source.read(10)
    #expect(source.information.isRepositionable)
  }

  @Test("seeks within the start without a request, and elsewhere with one")
  func reposition() throws {
    defer { server.stop() }
    let (source, prefix) = try source()
    _ = try source.read(10)
    for offset in [0, 5, prefix - 1, prefix] {
      try source.reposition(to: UInt64(offset))
      #expect(try source.read(1).bytes == [body[offset]])
      try source.reposition(to: 0)
      if offset == prefix { break }
    }
    // The last read was from the source itself, so the seek back made a request.
    let isWhole = source.readAll().bytes == body
    #expect(isWhole)
    #expect(server.requests.map { $0.fields["range"] } == [nil, "bytes=0-"])
    try source.reposition(to: 299_000)
    #expect(source.readAll().bytes == Array(body[299_000...]))
    try source.reposition(to: UInt64(prefix))
    #expect(source.readAll().bytes == Array(body[prefix...]))
    #expect(
      server.requests.compactMap { $0.fields["range"] }
        == ["bytes=0-", "bytes=299000-", "bytes=\(prefix)-"])
  }

  @Test("fails like the source, and permanently")
  func failure() throws {
    defer { server.stop() }
    // Without ranges, so that lost bytes cannot be requested again.
    var plan = ResponsePlan(body: .bytes(body), ranges: .notOffered)
    plan.fault = .finish(afterBytes: 5000)
    server.serve("/broken", plan)
    let inner = try openByteSource(server.url("/broken"))
    var prefix: [UInt8] = []
    while prefix.count < 100 { prefix += try inner.read(100 - prefix.count).bytes }
    let source = PrefixedByteSource(prefix, followedBy: inner)
    let (bytes, error) = source.readAll()
    let isStart = bytes.elementsEqual(body[..<5000])
    #expect(isStart)
    let expected = ByteSourceError.Reason.notResumable(receivedBytes: 5000, expectedBytes: 300_000)
    #expect(error?.reason == expected)
    #expect(throws: ByteSourceError.self) { try source.reposition(to: 0) }
    #expect(source.readAll().error?.reason == expected)
  }

  @Test("has ended after close, and can be woken at any time")
  func close() throws {
    defer { server.stop() }
    let (source, _) = try source()
    source.wake()
    #expect(try source.read(10).bytes == Array(body[..<10]))
    source.close()
    source.close()
    source.wake()
    #expect(try source.read().answer == .end)
    try source.reposition(to: 0)
    #expect(try source.read().answer == .end)
  }

  @Test("a redirect is reported with the URL that answered, without the password")
  func redirect() throws {
    defer { server.stop() }
    server.serve("/from", .redirect(to: "/to/x?y=1"))
    server.serve("/to/x", ResponsePlan(body: .bytes(Array(body[..<10]))))
    let source = try openByteSource("http://u:secret@127.0.0.1:\(server.port)/from")
    #expect(source.information.redirectedTo == nil)
    #expect(source.readAll().bytes == Array(body[..<10]))
    #expect(source.information.redirectedTo == server.url("/to/x?y=1"))
    let direct = try openByteSource(server.url("/to/x"))
    _ = direct.readAll()
    #expect(direct.information.redirectedTo == nil)
  }
}
