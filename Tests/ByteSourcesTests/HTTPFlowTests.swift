// SPDX-License-Identifier: MIT

import ByteSources
import Glibc
import TestKit
import Testing

@Suite("The flow of a body over HTTP", .serialized)
final class HTTPFlowTests {
  let server = LoopbackHTTPServer()

  deinit {
    server.stop()
  }

  @Test("a read returns the available bytes without waiting for more")
  func partial() throws {
    let gate = Gate()
    server.serve(
      "/a",
      ResponsePlan(body: .bytes(Pattern.body(3000)), fault: .stall(afterBytes: 1000, until: gate)))
    let source = try openByteSource(server.url("/a"))
    var bytes: [UInt8] = []
    while bytes.count < 1000 { bytes += try source.read().bytes }
    #expect(bytes.count == 1000)
    #expect(try source.read(timeout: 0).answer == .wait)
    #expect(try source.read(timeout: 20 * millisecond).answer == .wait)
    gate.open()
    bytes += source.readAll().bytes
    #expect(bytes == Pattern.body(3000))
  }

  @Test("reads without a wait complete the whole transfer")
  func polling() throws {
    server.serve("/a", .body(Pattern.body(100_000)))
    let source = try openByteSource(server.url("/a"))
    var bytes: [UInt8] = []
    var answer = ByteSourceRead.wait
    let isDone = try { () throws in
      for _ in 0..<100_000 {
        let read = try source.read(timeout: 0)
        answer = read.answer
        bytes += read.bytes
        if answer == .end { return true }
        if answer == .wait { usleep(100) }
      }
      return false
    }()
    #expect(isDone)
    #expect(bytes == Pattern.body(100_000))
  }

  @Test("a wake ends a wait at once, and a wake before a wait ends it")
  func wake() throws {
    server.serve("/a", .silence)
    var configuration = ByteSourceConfiguration()
    configuration.answerTimeoutNanoseconds = 60 * second
    let source = try openByteSource(server.url("/a"), configuration: configuration)
    source.wake()
    let early = try duration {
      let answer = try source.read(timeout: 60 * second).answer
      #expect(answer == .wait)
    }
    #expect(early < 5 * second)
    let server = server
    let waker = JoinableThread {
      _ = eventually { !server.requests.isEmpty }
      source.wake()
    }
    let late = try duration {
      let answer = try source.read(timeout: 60 * second).answer
      #expect(answer == .wait)
    }
    #expect(late < 15 * second)
    waker.join()
    source.close()
    source.wake()
    #expect(try source.read().answer == .end)
  }

  @Test("a stopped reader stops the server, and loses nothing")
  func backPressure() throws {
    let count: UInt64 = 64 * 1024 * 1024
    server.serve("/a", ResponsePlan(body: .generated(byteCount: count, Pattern.bytes)))
    var configuration = ByteSourceConfiguration()
    // The reader's pause below is longer: it must not count as the server's silence.
    configuration.stallTimeoutNanoseconds = 100 * millisecond
    let source = try openByteSource(server.url("/a"), configuration: configuration)
    let first = try source.read(60_000).bytes
    // Back-pressure: during the reader's pause the server sends no more. On a busy machine it may first have
    // to fill the buffers.
    #expect(
      eventually(seconds: 60) {
        let sent = server.bodyBytesSent("/a")
        usleep(200_000)
        return sent > UInt64(first.count) && server.bodyBytesSent("/a") == sent
      })
    #expect(server.bodyBytesSent("/a") < 12 * 1024 * 1024)
    var offset = UInt64(first.count)
    #expect(first == Pattern.bytes(0, first.count))
    while case let (answer, bytes) = try source.read(64 * 1024), answer != .end {
      try #require(bytes == Pattern.bytes(offset, bytes.count))
      offset += UInt64(bytes.count)
    }
    #expect(offset == count)
    #expect(server.requests.count == 1)
  }

  @Test("300 MB pass through a reader that is slower than the server in bounded memory")
  func memory() async {
    // In its own process, whose memory no other test uses.
    await #expect(processExitsWith: .success) {
      let server = LoopbackHTTPServer()
      let count: UInt64 = 300_000_000
      server.serve("/a", ResponsePlan(body: .generated(byteCount: count, Pattern.bytes)))
      server.serve("/warm", ResponsePlan(body: .generated(byteCount: 1_000_000, Pattern.bytes)))
      _ = readAll(server.url("/warm"))
      let before = try #require(peakResidentBytes())
      let source = try openByteSource(server.url("/a"))
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 1)
      var offset: UInt64 = 0
      var furthestAhead: UInt64 = 0
      while case .bytes(let read) = try unsafe source.read(
        into: buffer, timeoutNanoseconds: 10 * second)
      {
        offset += UInt64(read)
        if offset % (1 << 20) < UInt64(read) { usleep(1000) }
        // The server counts bytes after the kernel has accepted them, so the reader may be ahead.
        let sent = server.bodyBytesSent("/a")
        furthestAhead = max(furthestAhead, sent - min(offset, sent))
      }
      #expect(offset == count)
      let growth = try #require(peakResidentBytes()) - before
      #expect(growth < 4_000_000, "\(growth) bytes more; server \(furthestAhead) bytes ahead")
      source.close()
      server.stop()
    }
  }

  @Test("a source that is closed or dropped in mid-transfer leaves no descriptor and no connection")
  func descriptors() async {
    await #expect(processExitsWith: .success) {
      func use() throws {
        let server = LoopbackHTTPServer()
        server.serve(
          "/a", ResponsePlan(body: .generated(byteCount: 10_000_000, Pattern.bytes)))
        for index in 0..<20 {
          let source = try openByteSource(server.url("/a"))
          _ = try source.read()
          if index % 2 == 0 { source.close() }
        }
        #expect(eventually { server.openConnectionCount == 0 })
        server.stop()
      }
      try use()
      let before = openDescriptorCount()
      try use()
      #expect(eventually { openDescriptorCount() == before })
    }
  }

  @Test("a throttled body arrives at its rate and whole")
  func throttled() {
    server.serve("/a", ResponsePlan(body: .bytes(Pattern.body(60_000)), bytesPerSecond: 200_000))
    var result: [UInt8] = []
    let time = duration { result = readAll(server.url("/a")).bytes }
    #expect(result == Pattern.body(60_000))
    #expect(time > 250 * millisecond)
  }
}

/// This process's peak of resident memory (VmHWM), in bytes.
private func peakResidentBytes() -> Int? {
  let status = readAll("/proc/self/status").bytes
  for line in status.split(separator: 0x0A) where line.starts(with: Array("VmHWM:".utf8)) {
    let digits = line.filter { (0x30...0x39).contains($0) }
    return Int(String(decoding: digits, as: UTF8.self)).map { $0 * 1024 }
  }
  return nil
}
