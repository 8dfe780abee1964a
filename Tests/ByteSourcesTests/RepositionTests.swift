// SPDX-License-Identifier: MIT

import ByteSources
import Glibc
import TestKit
import Testing

@Suite("Repositioning a file")
struct FileRepositionTests {
  private let directory = TemporaryDirectory()
  private let body = Pattern.body(100_000)

  @Test("the next read delivers the byte at the offset, forwards, backwards and after the end")
  func file() throws {
    let source = try openByteSource(directory.file("a", body))
    #expect(source.information.isRepositionable)
    for offset in [99_999, 0, 70_000, 12, 0] {
      try source.reposition(to: UInt64(offset))
      #expect(try source.read(10).bytes == Array(body[offset..<min(offset + 10, 100_000)]))
    }
    #expect(source.readAll().bytes == Array(body[10...]))
    #expect(try source.read().answer == .end)
    try source.reposition(to: 99_000)
    #expect(source.readAll().bytes == Array(body[99_000...]))
  }

  @Test("behind the last byte is the end, however far, and a seek back works")
  func behind() throws {
    let source = try openByteSource(directory.file("a", body))
    for offset: UInt64 in [100_000, 100_001, 1 << 50, UInt64(Int64.max), .max] {
      try source.reposition(to: offset)
      #expect(try source.read().answer == .end, "\(offset)")
      #expect(try source.read().answer == .end, "\(offset)")
    }
    try source.reposition(to: 5)
    #expect(try source.read(1).bytes == [5])
  }

  @Test("a closed source has ended, at any byte offset")
  func closed() throws {
    let source = try openByteSource(directory.file("a", body))
    source.close()
    try source.reposition(to: 5)
    #expect(try source.read().answer == .end)
  }

  @Test("a FIFO cannot be repositioned, reports it, and reads on")
  func fifo() throws {
    let path = directory.path + "/fifo"
    #expect(unsafe mkfifo(path, 0o600) == 0)
    let source = try openByteSource(path)
    let writer = unsafe open(path, O_WRONLY)
    defer { close(writer) }
    var bytes: [UInt8] = [1, 2, 3, 4]
    #expect(unsafe write(writer, &bytes, 4) == 4)
    #expect(!source.information.isRepositionable)
    #expect(try source.read(2).bytes == [1, 2])
    let error = #expect(throws: ByteSourceError.self) { try source.reposition(to: 0) }
    #expect(error?.reason == .notRepositionable)
    #expect(error?.description.contains(path) == true)
    #expect(try source.read(2).bytes == [3, 4])
  }
}

@Suite("Repositioning a body over HTTP")
final class HTTPRepositionTests {
  private let server = LoopbackHTTPServer()
  private let body = Pattern.body(1_000_000)

  deinit {
    server.stop()
  }

  private func plan(
    _ ranges: ResponsePlan.Ranges = .honoured, _ fields: [(name: String, value: String)] = []
  ) -> ResponsePlan {
    ResponsePlan(fields: fields, body: .bytes(body), ranges: ranges)
  }

  /// Serves one plan for the first request and another one for later requests.
  private func serve(_ path: String, _ first: ResponsePlan, then second: ResponsePlan) {
    server.handle(path) { $0.fields["range"] == nil ? first : second }
  }

  /// Reads a little, repositions, and returns the error of the next read.
  private func failureElsewhere(_ path: String, at offset: UInt64 = 500_000) throws
    -> ByteSourceError?
  {
    let source = try openByteSource(server.url(path))
    _ = try source.read(100)
    try source.reposition(to: offset)
    let (bytes, error) = source.readAll()
    #expect(bytes.isEmpty)
    // A failed source stays failed.
    let again = #expect(throws: ByteSourceError.self) { try source.reposition(to: 0) }
    #expect(again == error)
    #expect(error.map { !$0.description.contains("\n") } == true)
    return error
  }

  @Test("the next read delivers the byte at the offset, forwards, backwards and after the end")
  func honoured() throws {
    server.serve("/a", plan(.honoured, [("ETag", "\"v1\"")]))
    let source = try openByteSource(server.url("/a"))
    #expect(!source.information.isRepositionable)
    #expect(try source.read(10).bytes == Array(body[..<10]))
    let information = source.information
    #expect(information.isRepositionable && information.byteCount == 1_000_000)
    for offset in [999_999, 123_456, 0, 600_000] {
      try source.reposition(to: UInt64(offset))
      let bytes = try source.read(1).bytes
      #expect(bytes == [body[offset]])
      #expect(source.information == information)
    }
    #expect(source.readAll().bytes == Array(body[600_001...]))
    try source.reposition(to: 999_000)
    #expect(source.readAll().bytes == Array(body[999_000...]))
    #expect(try source.read().answer == .end)
    #expect(
      server.requests.map { $0.fields["range"] }
        == [
          nil, "bytes=999999-", "bytes=123456-", "bytes=0-", "bytes=600000-", "bytes=999000-",
        ])
    #expect(server.requests.dropFirst().allSatisfy { $0.fields["if-range"] == "\"v1\"" })
  }

  @Test("the condition is the strong entity tag, else the date, else none")
  func conditions() throws {
    let date = "Sat, 21 Nov 2026 08:00:00 GMT"
    let cases: [([(name: String, value: String)], String?)] = [
      ([("ETag", "\"s\""), ("Last-Modified", date)], "\"s\""),
      ([("ETag", "W/\"w\""), ("Last-Modified", date)], date),
      ([("ETag", "W/\"w\"")], nil),
      ([], nil),
    ]
    for (index, (fields, condition)) in cases.enumerated() {
      server.serve("/\(index)", plan(.honoured, fields))
      let source = try openByteSource(server.url("/\(index)"))
      _ = try source.read(1)
      try source.reposition(to: 999_990)
      #expect(source.readAll().bytes == Array(body[999_990...]))
      #expect(server.requests.last?.fields["if-range"] == condition)
    }
  }

  @Test("a server that refuses ranges, or has not answered, is not asked for any")
  func notOffered() throws {
    server.serve("/a", plan(.notOffered, [("Accept-Ranges", "none")]))
    let source = try openByteSource(server.url("/a"))
    for _ in 0..<2 {
      let error = #expect(throws: ByteSourceError.self) { try source.reposition(to: 5) }
      #expect(error?.reason == .notRepositionable)
      _ = try source.read(1)
    }
    #expect(source.readAll().bytes.elementsEqual(body[2...]))
    #expect(server.requests.count == 1)
  }

  @Test("an answer with all bytes is never taken for their rest")
  func ignored() throws {
    serve("/ignored", plan(.ignored), then: plan(.ignored))
    #expect(try failureElsewhere("/ignored")?.reason == .wrongRange(byteOffset: 500_000))
    serve(
      "/changed", plan(.honoured, [("ETag", "\"1\"")]), then: plan(.honoured, [("ETag", "\"2\"")]))
    #expect(try failureElsewhere("/changed")?.reason == .changed)
    let (old, new) = ("Sat, 21 Nov 2026 08:00:00 GMT", "Sat, 21 Nov 2026 09:00:00 GMT")
    serve(
      "/dated", plan(.honoured, [("Last-Modified", old)]),
      then: plan(.honoured, [("Last-Modified", new)]))
    #expect(try failureElsewhere("/dated")?.reason == .changed)
    var longer = plan(.ignored)
    longer.body = .bytes(body + [1])
    serve("/longer", plan(.honoured), then: longer)
    #expect(try failureElsewhere("/longer")?.reason == .changed)
  }

  @Test("at the first byte, an answer with all bytes is accepted")
  func ignoredFromTheStart() throws {
    server.serve("/a", plan(.ignored, [("ETag", "\"1\"")]))
    let source = try openByteSource(server.url("/a"))
    _ = try source.read(100)
    try source.reposition(to: 0)
    #expect(source.readAll().bytes == body)
  }

  @Test(
    "a Content-Range other than the requested one is never accepted",
    arguments: [
      nil, "bytes 0-999999/1000000", "bytes 499999-999999/1000000", "bytes 500001-999999/1000000",
      "bytes 500000-999998/1000000", "bytes 500000-1000000/1000000", "bytes 500000-4/1000000",
      "bytes */1000000", "bytes 500000-/1000000", "lines 500000-999999/1000000", "",
      "bytes 500000-999999", "bytes -500000/1000000", "bytes x-y/z",
      "bytes 500000-18446744073709551616/18446744073709551617",
    ])
  func mislabelled(_ field: String?) throws {
    server.serve("/a", plan(.mislabelled(contentRange: field)))
    #expect(try failureElsewhere("/a")?.reason == .wrongRange(byteOffset: 500_000))
  }

  @Test("another total length, or another tag with the part, means another body")
  func otherBody() throws {
    server.serve("/a", plan(.mislabelled(contentRange: "bytes 500000-999999/1000001")))
    #expect(try failureElsewhere("/a")?.reason == .changed)
    let range = "bytes 500000-999999/1000000"
    serve(
      "/b", plan(.honoured, [("ETag", "\"1\"")]),
      then: plan(.mislabelled(contentRange: range), [("ETag", "\"2\"")]))
    #expect(try failureElsewhere("/b")?.reason == .changed)
  }

  @Test("an unknown total length in the answer is accepted")
  func unknownTotal() throws {
    server.serve("/a", plan(.mislabelled(contentRange: "bytes 500000-999999/*")))
    let source = try openByteSource(server.url("/a"))
    _ = try source.read(100)
    try source.reposition(to: 500_000)
    #expect(source.readAll().bytes == Array(body[500_000...]))
  }

  @Test("behind the end the server refuses, and a removed file is reported by its status")
  func refusals() throws {
    server.serve("/a", plan())
    #expect(
      try failureElsewhere("/a", at: 1_000_000)?.reason == .noSuchByte(byteOffset: 1_000_000))
    serve("/gone", plan(), then: .status(410, "Gone"))
    #expect(try failureElsewhere("/gone")?.reason == .status(410))
  }

  @Test("redirects are followed again, and errors name the final URL")
  func redirects() throws {
    let other = LoopbackHTTPServer()
    defer { other.stop() }
    server.serve("/1", .redirect(to: other.url("/2")))
    other.serve("/2", plan(.honoured, [("ETag", "\"v\"")]))
    let source = try openByteSource("http://user:secret@127.0.0.1:\(server.port)/1")
    _ = try source.read(1)
    try source.reposition(to: 700_000)
    #expect(source.readAll().bytes == Array(body[700_000...]))
    #expect(other.requests.map { $0.fields["range"] } == [nil, "bytes=700000-"])
    #expect(other.requests.last?.fields["if-range"] == "\"v\"")
    #expect(other.requests.allSatisfy { $0.fields["authorization"] == nil })
    try source.reposition(to: 1_000_000)
    #expect(
      source.readAll().error
        == ByteSourceError(
          .noSuchByte(byteOffset: 1_000_000), at: other.url("/2"), redirectedFrom: server.url("/1"))
    )
  }

  @Test("a loss in the rest is reported with its byte offset in the whole")
  func interrupted() throws {
    var broken = plan()
    broken.fault = .finish(afterBytes: 1000)
    serve("/a", plan(), then: broken)
    let source = try openByteSource(server.url("/a"), configuration: .once)
    _ = try source.read(100)
    try source.reposition(to: 500_000)
    let (bytes, error) = source.readAll()
    #expect(bytes == Array(body[500_000..<501_000]))
    #expect(
      error?.reason == .interrupted(receivedBytes: 501_000, expectedBytes: 1_000_000))
  }

  @Test("a chunked part that is shorter than announced is a loss, not the end")
  func shortPart() throws {
    var short = plan(.mislabelled(contentRange: "bytes 500000-999999/1000000"))
    short.body = .bytes(Array(body[..<600_000]))
    short.framing = .chunked
    serve("/a", plan(), then: short)
    let source = try openByteSource(server.url("/a"), configuration: .once)
    _ = try source.read(100)
    try source.reposition(to: 500_000)
    let (bytes, error) = source.readAll()
    #expect(bytes == Array(body[500_000..<600_000]))
    #expect(error?.reason == .interrupted(receivedBytes: 600_000, expectedBytes: 1_000_000))
  }

  @Test("waits have the same limits, and a wake ends them")
  func waits() throws {
    serve("/a", plan(), then: .silence)
    var configuration = ByteSourceConfiguration.once
    configuration.answerTimeoutNanoseconds = 300 * millisecond
    let source = try openByteSource(server.url("/a"), configuration: configuration)
    _ = try source.read(100)
    try source.reposition(to: 500_000)
    source.wake()
    #expect(try source.read(timeout: 60 * second).answer == .wait)
    let error = source.readAll().error
    guard case .timedOut(.answer, _, _, _) = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("repeated repositioning leaves no connection and no descriptor behind")
  func resources() async {
    await #expect(processExitsWith: .success) {
      func use() throws {
        let server = LoopbackHTTPServer()
        server.serve(
          "/a",
          ResponsePlan(
            body: .generated(byteCount: 10_000_000, Pattern.bytes), ranges: .honoured))
        let source = try openByteSource(server.url("/a"))
        _ = try source.read(10)
        for index in 1...30 {
          let offset = UInt64(index) * 300_000
          try source.reposition(to: offset)
          let bytes = try source.read(10).bytes
          #expect(bytes == Pattern.bytes(offset, bytes.count))
        }
        #expect(eventually { server.openConnectionCount == 1 })
        source.close()
        #expect(eventually { server.openConnectionCount == 0 })
        server.stop()
      }
      try use()
      let before = openDescriptorCount()
      try use()
      #expect(eventually { openDescriptorCount() == before })
    }
  }
}
