// SPDX-License-Identifier: MIT

import ByteSources
import TestKit
import Testing

@Suite("A body over HTTP whose connection is lost")
final class HTTPResumeTests {
  let server = LoopbackHTTPServer()
  private let body = Pattern.body(300_000)

  deinit {
    server.stop()
  }

  /// The whole body, with a tag, from a server that sends parts.
  private func plan(
    _ fault: ResponsePlan.Fault = .none, tag: String? = "\"v1\"",
    ranges: ResponsePlan.Ranges = .honoured
  ) -> ResponsePlan {
    ResponsePlan(
      fields: tag.map { [("ETag", $0)] } ?? [], body: .bytes(body), ranges: ranges, fault: fault)
  }

  private var ranges: [String?] { server.requests.map { $0.fields["range"] } }

  @Test("it resumes at the byte, on condition that the body is the same")
  func resumes() throws {
    server.serve(
      "/a",
      inOrder: [plan(.finish(afterBytes: 100_000)), plan(.finish(afterBytes: 50_000)), plan()])
    let source = try openByteSource(server.url("/a"), configuration: .eager)
    let (stretches, error) = source.readStretches()
    #expect(error == nil)
    #expect(stretches == [body])
    #expect(ranges == [nil, "bytes=100000-", "bytes=150000-"])
    #expect(server.requests.dropFirst().allSatisfy { $0.fields["if-range"] == "\"v1\"" })
    #expect(server.requests.dropFirst().allSatisfy { $0.fields["icy-metadata"] == nil })
    #expect(source.status.reconnectionCount == 2)
    #expect(source.status.receivedByteCount == 300_000)
    // The source can still be sought in.
    try source.reposition(to: 299_990)
    #expect(source.readAll().bytes == Array(body[299_990...]))
  }

  @Test("attempts are counted from the start, however many bytes a connection delivers")
  func counts() throws {
    let losses = [ResponsePlan](repeating: plan(.finish(afterBytes: 70_000)), count: 3)
    server.serve("/a", inOrder: losses + [plan()])
    let source = try openByteSource(server.url("/a"), configuration: .eager)
    #expect(source.readAll().bytes == body)
    #expect(source.status.reconnectionCount == 3)
    // A reposition does not reset the count, either.
    try source.reposition(to: 10)
    _ = try source.read()
    #expect(source.status.reconnectionCount == 3)
  }

  @Test("a reset, silence, and a body that is shorter than announced are losses, too")
  func causes() {
    var impatient = ByteSourceConfiguration.eager
    impatient.stallTimeoutNanoseconds = 100 * millisecond
    for (index, fault) in [
      ResponsePlan.Fault.reset(afterBytes: 100_000), .stall(afterBytes: 100_000),
      .finish(afterBytes: 100_000), .finish(afterBytes: 0), .stall(afterBytes: 0),
    ].enumerated() {
      server.serve("/\(index)", inOrder: [plan(fault), plan()])
      let (bytes, error) = readAll(server.url("/\(index)"), impatient)
      #expect(error == nil, "\(index)")
      #expect(bytes == body, "\(index)")
    }
  }

  @Test("a server that sends parts without announcing them is trusted")
  func unannounced() throws {
    server.serve(
      "/a", inOrder: [plan(.finish(afterBytes: 100_000), ranges: .notOffered), plan()])
    #expect(readAll(server.url("/a"), .eager).bytes == body)
  }

  @Test("temporary errors during the reconnection are waited out, and Retry-After is obeyed")
  func outage() throws {
    server.serve(
      "/a",
      inOrder: [
        plan(.finish(afterBytes: 100_000)), .status(500, "No"), .status(429, "No"),
        .unavailable(retryAfter: "1"),
        ResponsePlan(
          statusLine: nil, body: .bytes(Array("garbage\r\n\r\n".utf8)), framing: .untilClose),
        plan(),
      ])
    var configuration = ByteSourceConfiguration.eager
    configuration.maximumRetryAfterNanoseconds = 300 * millisecond
    var result: (bytes: [UInt8], error: ByteSourceError?)?
    let time = duration { result = readAll(server.url("/a"), configuration) }
    #expect(result?.error == nil)
    #expect(result?.bytes == body)
    #expect(time >= 300 * millisecond && time < 900 * millisecond)
    #expect(server.requests.count == 6)
  }

  @Test("a permanent error is reported at once, after all bytes before it")
  func lasting() {
    let cases: [(ResponsePlan, ByteSourceError.Reason)] = [
      (.status(404, "Not Found"), .status(404)), (.status(401, "No"), .status(401)),
      (plan(tag: "\"v2\""), .changed),
      (plan(ranges: .mislabelled(contentRange: nil)), .wrongRange(byteOffset: 100_000)),
      (
        plan(ranges: .mislabelled(contentRange: "bytes 99999-299999/300000")),
        .wrongRange(byteOffset: 100_000)
      ),
      (plan(ranges: .mislabelled(contentRange: "bytes 100000-300000/300001")), .changed),
      (.redirect(to: "/loop"), .tooManyRedirects(limit: 5)),
    ]
    server.serve("/loop", .redirect(to: "/loop"))
    for (index, (then, reason)) in cases.enumerated() {
      server.serve("/\(index)", inOrder: [plan(.finish(afterBytes: 100_000)), then])
      let (bytes, error) = readAll(server.url("/\(index)"), .eager)
      #expect(bytes == Array(body[..<100_000]), "\(index)")
      #expect(error?.reason == reason, "\(index)")
      #expect(error?.failedReconnections == 1)
      #expect(error?.description.hasSuffix("(1 attempt to reconnect failed)") == true)
    }
  }

  @Test("behind the end of a body that has become shorter, the server's refusal is reported")
  func shorter() {
    var shorter = plan()
    shorter.body = .bytes(Array(body[..<50_000]))
    server.serve("/a", inOrder: [plan(.finish(afterBytes: 100_000)), shorter])
    let (bytes, error) = readAll(server.url("/a"), .eager)
    #expect(bytes == Array(body[..<100_000]))
    #expect(error?.reason == .noSuchByte(byteOffset: 100_000))
  }

  @Test("that arrived whole, but without its end, has ended")
  func endLost() throws {
    var broken = plan(.finish(afterBytes: 300_000))
    broken.framing = .chunked
    server.serve("/a", inOrder: [broken, plan()])
    let (bytes, error) = readAll(server.url("/a"), .eager)
    #expect(error == nil)
    #expect(bytes == body)
    #expect(ranges == [nil, "bytes=300000-"])
    var longer = plan()
    longer.body = .bytes(body + [1])
    server.serve("/b", inOrder: [broken, longer])
    #expect(readAll(server.url("/b"), .eager).bytes == body + [1])
  }

  @Test("an answer with all bytes is never joined to the bytes already read")
  func wholeAgain() {
    // With and without promised ranges, and without proof that the body is the same.
    for (index, tag) in [nil, "W/\"v1\""].enumerated() {
      server.serve(
        "/promised\(index)",
        inOrder: [
          plan(.finish(afterBytes: 100_000), tag: tag), plan(tag: tag, ranges: .ignored),
        ])
      let promised = readAll(server.url("/promised\(index)"), .eager)
      #expect(promised.bytes == Array(body[..<100_000]))
      #expect(promised.error?.reason == .wrongRange(byteOffset: 100_000))
      server.serve(
        "/silent\(index)",
        inOrder: [plan(.finish(afterBytes: 100_000), tag: tag, ranges: .notOffered)])
      let silent = readAll(server.url("/silent\(index)"), .eager)
      #expect(silent.bytes == Array(body[..<100_000]))
      #expect(
        silent.error?.reason == .notResumable(receivedBytes: 100_000, expectedBytes: 300_000))
      #expect(
        silent.error?.description.contains("lost after 100000 of 300000 bytes of") == true)
    }
  }

  @Test("repeated bytes are skipped if the tag proves that they are the same, up to a limit")
  func repeated() throws {
    let again = plan(ranges: .notOffered)
    let broken = plan(.finish(afterBytes: 200_000), ranges: .notOffered)
    server.serve("/a", inOrder: [plan(.finish(afterBytes: 100_000)), broken, broken, again])
    let source = try openByteSource(server.url("/a"), configuration: .eager)
    #expect(source.readStretches().stretches == [body])
    // 100,000, twice 200,000 (the second time nothing new), and 300,000 bytes.
    #expect(source.status.receivedByteCount == 800_000)
    server.serve("/b", inOrder: [plan(.finish(afterBytes: 100_000), ranges: .notOffered), again])
    var configuration = ByteSourceConfiguration.eager
    configuration.repeatedByteLimit = 99_999
    #expect(
      readAll(server.url("/b"), configuration).error?.reason
        == .notResumable(receivedBytes: 100_000, expectedBytes: 300_000))
    configuration.repeatedByteLimit = 100_000
    server.serve("/b", inOrder: [plan(.finish(afterBytes: 100_000), ranges: .notOffered), again])
    #expect(readAll(server.url("/b"), configuration).bytes == body)
  }

  @Test("a server that delivers nothing more is given up, and the attempts are reported")
  func gone() throws {
    let gone = LoopbackHTTPServer()
    gone.serve("/a", plan(.finish(afterBytes: 100_000)))
    var configuration = ByteSourceConfiguration.eager
    configuration.leastReconnectionAttempts = 3
    let source = try openByteSource(gone.url("/a"), configuration: configuration)
    var bytes = try source.read(1000).bytes
    gone.stop()
    let (rest, error) = source.readAll()
    bytes += rest
    #expect(bytes == Array(body[..<bytes.count]))
    #expect(error?.reason == .connectionRefused(host: "127.0.0.1", port: gone.port))
    #expect(error?.failedReconnections == 3)
    #expect(error?.description.hasSuffix("(3 attempts to reconnect failed)") == true)
  }

  @Test("attempts that deliver bytes are limited in total")
  func total() {
    server.serve("/a", plan(.finish(afterBytes: 10_000)))
    var configuration = ByteSourceConfiguration.eager
    configuration.totalReconnectionLimit = 7
    let (bytes, error) = readAll(server.url("/a"), configuration)
    #expect(bytes == Array(body[..<80_000]))
    #expect(error?.reason == .interrupted(receivedBytes: 80_000, expectedBytes: 300_000))
    #expect(server.requests.count == 8)
  }

  @Test("a first answer with a short Retry-After is requested once more")
  func firstRetry() {
    server.serve("/a", inOrder: [.unavailable(retryAfter: "1"), plan()])
    var result: (bytes: [UInt8], error: ByteSourceError?)?
    let time = duration { result = readAll(server.url("/a")) }
    #expect(result?.bytes == body)
    #expect(time >= second && time < 4 * second)
    for (path, answers) in [
      ("/long", "6"), ("/date", "Wed, 01 Jan 2098 00:00:00 GMT"), ("/x", "x"),
    ] {
      server.serve(path, .unavailable(retryAfter: answers))
      let time = duration { #expect(failure(server.url(path)) == .status(503)) }
      #expect(time < second)
    }
    let count = server.requests.count
    server.serve("/twice", .unavailable(retryAfter: "1"))
    #expect(failure(server.url("/twice")) == .status(503))
    #expect(server.requests.count == count + 2)
  }

  @Test("the pause before an attempt is part of a read's wait, and a wake ends it")
  func pause() throws {
    server.serve("/a", inOrder: [plan(.finish(afterBytes: 100_000)), .status(503, "No"), plan()])
    var configuration = ByteSourceConfiguration()
    configuration.reconnectionDelayNanoseconds = 2 * second
    let source = try openByteSource(server.url("/a"), configuration: configuration)
    var bytes: [UInt8] = []
    var answer = ByteSourceRead.wait
    while source.status.state != .awaitingReconnection {
      let read = try source.read(timeout: 10 * millisecond)
      answer = read.answer
      bytes += read.bytes
    }
    #expect(bytes == Array(body[..<100_000]))
    #expect(answer == .wait)
    #expect(source.status.reconnectionAttempt == 2)
    #expect(source.status.lossCause == .status(503))
    for timeout in [0, 20 * millisecond] {
      let time = try duration {
        let answer = try source.read(timeout: timeout).answer
        #expect(answer == .wait)
      }
      #expect(time < second)
    }
    source.wake()
    let time = try duration {
      let answer = try source.read(timeout: 60 * second).answer
      #expect(answer == .wait)
    }
    #expect(time < second)
    #expect(bytes + source.readAll().bytes == body)
    #expect(source.status.reconnectionAttempt == 0 && source.status.lossCause == nil)
  }
}
