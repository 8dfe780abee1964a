// SPDX-License-Identifier: MIT

import Testing

@testable import ByteSources

@Suite("The decision to reconnect")
struct ReconnectionTests {
  private func loss(
    _ reason: ByteSourceError.Reason = .interrupted(receivedBytes: 0, expectedBytes: nil),
    hasBegun: Bool = true, isLive: Bool = false, bytes: UInt64 = 0, retryAfter: UInt64? = nil
  ) -> Reconnection.Loss {
    Reconnection.Loss(
      reason: reason, hasBegun: hasBegun, isLive: isLive, receivedBytes: bytes,
      retryAfterNanoseconds: retryAfter)
  }

  /// The pauses in seconds until it gives up, if each attempt fails after `attemptSeconds`.
  private func pauses(
    _ losses: [Reconnection.Loss], _ configuration: ByteSourceConfiguration,
    attemptSeconds: Double = 0
  ) -> [Double] {
    var reconnection = Reconnection()
    var pauses: [Double] = []
    var time: UInt64 = 5_000_000_000
    for var loss in losses {
      loss.time = time
      guard case .reconnect(let pause) = reconnection.decide(on: loss, configuration) else { break }
      pauses.append(Double(pause) / 1e9)
      time += pause + UInt64(attemptSeconds * 1e9)
    }
    return pauses
  }

  @Test("the first attempt is at once, the pauses before the others double up to the longest")
  func backOff() {
    var configuration = ByteSourceConfiguration()
    configuration.leastReconnectionNanoseconds = 0
    let losses = [Reconnection.Loss](repeating: loss(), count: 100)
    #expect(pauses(losses, configuration) == [0, 0.25, 0.5, 1, 2])
    configuration.leastReconnectionAttempts = 80
    #expect(pauses(losses, configuration).prefix(9) == [0, 0.25, 0.5, 1, 2, 4, 4, 4, 4])
    #expect(pauses(losses, configuration).count == 80)
    configuration.reconnectionDelayNanoseconds = .max
    #expect(pauses(losses, configuration).suffix(79).allSatisfy { $0 == 4 })
    configuration.leastReconnectionAttempts = 0
    #expect(pauses(losses, configuration) == [])
  }

  @Test("it is retried for a minute, live sound or not; fewer times if an attempt takes long")
  func patience() {
    let configuration = ByteSourceConfiguration()
    for isLive in [false, true] {
      let losses = [Reconnection.Loss](repeating: loss(isLive: isLive), count: 100)
      let quick = pauses(losses, configuration)
      #expect(quick == [0, 0.25, 0.5, 1, 2] + Array(repeating: 4, count: 15))
      #expect(quick.reduce(0, +) >= 60 && quick.dropLast().reduce(0, +) < 60)
      #expect(pauses(losses, configuration, attemptSeconds: 4).count == 10)
    }
  }

  @Test("if an attempt takes minutes, or the reader paused, some are still made")
  func slowAttempts() {
    let configuration = ByteSourceConfiguration()
    let losses = [Reconnection.Loss](repeating: loss(), count: 100)
    #expect(pauses(losses, configuration, attemptSeconds: 600) == [0, 0.25, 0.5, 1, 2])
  }

  @Test("the time limit restarts with a connection that makes progress")
  func patienceAnew() {
    let configuration = ByteSourceConfiguration()
    let row = [Reconnection.Loss](repeating: loss(), count: 19)
    let losses = row + [loss(bytes: 1)] + row + row
    #expect(pauses(losses, configuration).count == 19 + 20)
  }

  @Test("one byte of a body is progress, but live sound needs an audible amount")
  func progress() {
    var configuration = ByteSourceConfiguration()
    configuration.leastReconnectionNanoseconds = 0
    #expect(
      pauses(Array(repeating: loss(bytes: 1), count: 2000), configuration)
        == Array(repeating: 0, count: 1000))
    // A station that drops all listeners once an hour plays for more than a thousand hours.
    for isLive in [false, true] {
      let losses = Array(repeating: loss(isLive: isLive, bytes: 65536), count: 2000)
      #expect(pauses(losses, configuration) == Array(repeating: 0, count: 2000))
    }
    let little = loss(isLive: true, bytes: 65535)
    #expect(pauses(Array(repeating: little, count: 9), configuration) == [0, 0.25, 0.5, 1, 2])
    let enough = loss(isLive: true, bytes: 65536)
    #expect(pauses([little, little, enough, little], configuration) == [0, 0.25, 0, 0.25])
  }

  @Test("a permanent failure is an error at once")
  func lasting() {
    let configuration = ByteSourceConfiguration()
    let lasting: [ByteSourceError.Reason] = [
      .changed, .wrongRange(byteOffset: 1), .noSuchByte(byteOffset: 1), .status(404), .status(401),
      .status(403), .status(410), .tooManyRedirects(limit: 5), .unsupportedScheme("ftp"), .empty,
      .notResumable(receivedBytes: 1, expectedBytes: 2), .liveStreamingPlaylist,
    ]
    for reason in lasting { #expect(pauses([loss(reason)], configuration) == [], "\(reason)") }
    let passing: [ByteSourceError.Reason] = [
      .status(500), .status(502), .status(503), .status(504), .status(429), .status(408),
      .connectionRefused(host: "h", port: 1), .unreachable(host: "h", port: 1, errno: 0),
      .unknownHost("h"), .badResponse(host: "h", port: 1),
      .timedOut(.answer, host: "h", port: 1, nanoseconds: 1), .transfer(code: 56, explanation: ""),
    ]
    for reason in passing { #expect(pauses([loss(reason)], configuration) == [0], "\(reason)") }
    for reason in [.status(404), .empty, .noSound(contentType: nil)] as [ByteSourceError.Reason] {
      #expect(pauses([loss(reason, isLive: true)], configuration) == [0])
      #expect(pauses([loss(reason)], configuration) == [])
    }
    #expect(pauses([loss(.status(403), isLive: true)], configuration) == [])
  }

  @Test("a server's Retry-After is kept, up to the longest pause, and never shortens a pause")
  func retryAfter() {
    let configuration = ByteSourceConfiguration()
    let losses = [
      loss(.status(503), retryAfter: 3_000_000_000), loss(.status(503), retryAfter: 1),
      loss(.status(503), retryAfter: .max),
    ]
    #expect(pauses(losses, configuration) == [3, 0.25, 30])
  }

  @Test("before the first answer, only a server with a short Retry-After is asked again, once")
  func first() {
    let configuration = ByteSourceConfiguration()
    let soon = loss(.status(503), hasBegun: false, retryAfter: 5_000_000_000)
    #expect(pauses([soon, soon], configuration) == [5])
    let first: [Reconnection.Loss] = [
      loss(.status(503), hasBegun: false),
      loss(.status(503), hasBegun: false, retryAfter: 5_000_000_001),
      loss(.status(404), hasBegun: false, retryAfter: 1),
      loss(.connectionRefused(host: "h", port: 1), hasBegun: false),
      loss(hasBegun: false),
    ]
    for loss in first { #expect(pauses([loss], configuration) == [], "\(loss.reason)") }
    #expect(pauses([soon], .once) == [])
  }

  @Test("all attempts are counted, including the one for the first answer")
  func count() {
    var reconnection = Reconnection()
    let losses = [
      loss(.status(503), hasBegun: false, retryAfter: 1), loss(), loss(bytes: 65536),
      loss(bytes: 1),
      loss(isLive: true, bytes: 65536),
    ]
    for (index, loss) in losses.enumerated() {
      #expect(reconnection.decide(on: loss, ByteSourceConfiguration()) != .giveUp)
      #expect(reconnection.madeAttempts == index + 1)
    }
    reconnection.forgetLoss()
    #expect(reconnection.decide(on: loss(.changed), ByteSourceConfiguration()) == .giveUp)
    #expect(reconnection.madeAttempts == losses.count)
  }
}

@Suite("A body continues after its connection was lost")
struct ContinuationTests {
  private func continuation(_ lines: String...) -> HTTPResponse.Continuation {
    var response = HTTPResponse()
    for line in ["HTTP/1.1 200 OK"] + lines + [""] {
      let bytes = Array((line + "\r\n").utf8)
      response.consume(bytes.span)
    }
    return response.continuation
  }

  @Test("with the rest, if a field implies that there is one")
  func rest() {
    #expect(continuation("Content-Length: 5") == .rest)
    #expect(continuation("Content-Length: 5", "icy-name: x") == .rest)
    #expect(continuation("Content-Type: text/html", "ETag: \"x\"") == .rest)
    #expect(continuation("Accept-Ranges: bytes") == .rest)
    #expect(continuation("Last-Modified: today") == .rest)
  }

  @Test("with the rest, if no field marks it as live")
  func unknown() {
    #expect(continuation() == .rest)
    #expect(continuation("Content-Type: Audio/mpeg") == .rest)
    #expect(continuation("Content-Type: application/ogg") == .rest)
  }

  @Test("at another moment, if it is live")
  func live() {
    #expect(continuation("icy-br: 128", "Content-Type: audio/mpeg") == .live)
    #expect(continuation("Server: Icecast 2.4.4", "Content-Type: application/ogg") == .live)
    #expect(continuation("icy-name: x", "ETag: \"x\"", "Content-Type: text/plain") == .live)
    #expect(continuation("icy-metaint: 16000", "Content-Length: 5") == .live)
  }

  @Test("not at all, if it is neither")
  func none() {
    for type in ["text/html", "audio/x-mpegurl", "audio/x-scpls", "application/json", "image/png"] {
      #expect(continuation("Content-Type: \(type)") == .none)
    }
  }
}
