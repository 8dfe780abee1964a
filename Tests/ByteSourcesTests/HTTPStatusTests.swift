// SPDX-License-Identifier: MIT

import ByteSources
import TestKit
import Testing

@Suite("The status of a source's connection", .serialized)
final class HTTPStatusTests {
  let server = LoopbackHTTPServer()

  deinit {
    server.stop()
  }

  @Test("a file needs no connection")
  func file() throws {
    let directory = TemporaryDirectory()
    let source = try openByteSource(directory.file("a", [1, 2, 3]))
    _ = try source.read()
    #expect(source.status == ByteSourceStatus())
    #expect(source.takeStreamMetadata().isEmpty)
  }

  @Test("it is idle, awaits its answer, receives, is idle again, and counts received bytes")
  func states() throws {
    let (answer, rest) = (Gate(), Gate())
    server.serve(
      "/a",
      ResponsePlan(body: .bytes(Pattern.body(3000)), fault: .stall(afterBytes: 1000, until: rest)))
    server.serve(
      "/silent", ResponsePlan(statusLine: nil, fault: .stall(afterBytes: 0, until: answer)))
    let silent = try openByteSource(server.url("/silent"))
    #expect(silent.status.state == .idle)
    while silent.status.state != .awaitingAnswer {
      #expect(try silent.read(timeout: 10 * millisecond).answer == .wait)
    }
    silent.close()
    #expect(silent.status.state == .idle)
    let source = try openByteSource(server.url("/a"))
    var count = 0
    while count < 1000 { count += try source.read(300).bytes.count }
    #expect(
      source.status
        == ByteSourceStatus(state: .receiving, receivedByteCount: 1000, bufferedByteCount: 0))
    rest.open()
    #expect(source.readAll().error == nil)
    #expect(source.status == ByteSourceStatus(state: .idle, receivedByteCount: 3000))
    answer.open()
  }

  @Test("it is connecting until the connection exists")
  func connecting() throws {
    let busy = try FullListener()
    let source = try openByteSource("http://127.0.0.1:\(busy.port)/a")
    #expect(try source.read(timeout: 50 * millisecond).answer == .wait)
    #expect(source.status.state == .connecting)
  }

  @Test("a full buffer pauses it until the reader returns")
  func paused() throws {
    server.serve("/a", ResponsePlan(body: .generated(byteCount: 10_000_000, Pattern.bytes)))
    var configuration = ByteSourceConfiguration()
    configuration.receiveBufferBytes = 64 * 1024
    let source = try openByteSource(server.url("/a"), configuration: configuration)
    var count = 0
    // A read of an empty buffer fills it, once the server has sent enough.
    #expect(
      eventually {
        count += (try? source.read(16).bytes.count) ?? 0
        let status = source.status
        if status.state == .paused { return true }
        if status.bufferedByteCount > 0 {
          count += (try? source.read(status.bufferedByteCount).bytes.count) ?? 0
        }
        return false
      })
    let status = source.status
    #expect(status.bufferedByteCount == Int(status.receivedByteCount) - count)
    count += try source.read(status.bufferedByteCount).bytes.count
    #expect(source.status.state == .receiving)
    let (rest, error) = source.readAll()
    #expect(count + rest.count == 10_000_000 && error == nil)
  }

  @Test("a loss is reported with cause and attempt; a source that cannot continue has failed")
  func lost() throws {
    let body = Pattern.body(5000)
    server.serve(
      "/a",
      inOrder: [
        ResponsePlan(body: .bytes(body), fault: .finish(afterBytes: 2000)), .status(500, "No"),
        .status(410, "Gone"),
      ])
    var configuration = ByteSourceConfiguration()
    configuration.reconnectionDelayNanoseconds = 300 * millisecond
    let source = try openByteSource(server.url("/a"), configuration: configuration)
    var count = 0
    while source.status.state != .awaitingReconnection {
      count += try source.read(timeout: millisecond).bytes.count
    }
    #expect(count == 2000)
    #expect(
      source.status
        == ByteSourceStatus(
          state: .awaitingReconnection, receivedByteCount: 2000, reconnectionAttempt: 2,
          lossCause: .status(500), reconnectionCount: 2, lostConnectionCount: 1))
    #expect(source.readAll().error?.reason == .status(410))
    #expect(source.status.state == .failed && source.status.reconnectionCount == 2)
  }
}
