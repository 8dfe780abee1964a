// SPDX-License-Identifier: MIT

import Testing

@testable import ByteSources

@Suite("The head of a response")
struct HTTPResponseTests {
  private func response(_ lines: String...) -> HTTPResponse {
    var response = HTTPResponse()
    for line in lines {
      let bytes = Array((line + "\r\n").utf8)
      response.consume(bytes.span)
    }
    return response
  }

  @Test("fields are found in any letter case, with any blanks")
  func fields() {
    let head = response(
      "HTTP/1.1 200 OK", "CONTENT-TYPE:audio/mpeg", "content-length: \t 42 ",
      "Accept-Ranges: bytes",
      "")
    #expect(head.isComplete && head.isSuccess && !head.isRefusal)
    #expect(head.contentType == "audio/mpeg")
    #expect(head.contentLength == 42)
    #expect(head.acceptsByteRanges)
  }

  @Test("SHOUTcast's status line is accepted")
  func icy() {
    #expect(response("ICY 200 OK", "icy-name: x", "").isSuccess)
  }

  @Test("a status that is not a number of three digits is ignored")
  func status() {
    for line in ["HTTP/1.1 -606", "HTTP/1.1 +20 OK", "HTTP/1.1 2O0 OK", "HTTP/1.1 20"] {
      #expect(response(line, "").status == 0)
    }
    #expect(response("HTTP/1.1 206 Partial Content", "").status == 206)
  }

  @Test("a station's fields may be in either encoding, and its interval is a count")
  func station() {
    var head = HTTPResponse()
    for line in [
      Array("ICY 200 OK".utf8), Array("ICY-Name: ".utf8) + [0xC4, 0x20, 0x92],
      Array("icy-genre:Ä".utf8), Array("icy-br:0128".utf8), Array("icy-metaint:8192".utf8), [],
    ] {
      let bytes = line + [0x0D, 0x0A]
      head.consume(bytes.span)
    }
    #expect(head.station?.name == "Ä ’" && head.station?.genre == "Ä")
    #expect(head.station?.kilobitsPerSecond == 128 && head.metadataInterval == 8192)
    for text in ["", "0", "-1", "x", "99999999999999999999"] {
      let head = response("HTTP/1.1 200 OK", "icy-metaint: \(text)", "icy-br: \(text)x", "")
      #expect(head.metadataInterval == nil)
    }
    #expect(response("HTTP/1.1 200 OK", "").station == nil)
  }

  @Test("the last response of a chain counts, and nothing of the earlier ones")
  func chain() {
    let head = response(
      "HTTP/1.1 302 Found", "Location: /b", "Content-Length: 5", "Accept-Ranges: bytes",
      "Content-Type: text/html", "", "HTTP/1.1 100 Continue", "", "HTTP/1.1 200 OK", "")
    #expect(head.contentLength == nil && head.contentType == nil && head.location == nil)
    #expect(!head.acceptsByteRanges)
  }

  @Test("a trailer changes nothing")
  func trailer() {
    let head = response("HTTP/1.1 200 OK", "Content-Length: 5", "", "Content-Length: 6")
    #expect(head.contentLength == 5)
  }

  @Test("a transfer encoding overrides a content length on either side of it")
  func transferEncoding() {
    let encoding = "Transfer-Encoding: chunked"
    #expect(response("HTTP/1.1 200 OK", encoding, "Content-Length: 5", "").contentLength == nil)
    #expect(response("HTTP/1.1 200 OK", "Content-Length: 5", encoding, "").contentLength == nil)
  }

  @Test("a length that is not a number, or is too large, is unknown")
  func lengths() {
    for text in ["", "x", "-1", "1 2", "99999999999999999999999", "0x10"] {
      #expect(response("HTTP/1.1 200 OK", "Content-Length: \(text)", "").contentLength == nil)
    }
  }

  @Test("an error, and a redirect to nowhere, are refusals once the head is complete")
  func refusals() {
    #expect(!response("HTTP/1.1 404 Not Found").isRefusal)
    #expect(response("HTTP/1.1 404 Not Found", "").isRefusal)
    #expect(response("HTTP/1.1 304 Not Modified", "").isRefusal)
    #expect(!response("HTTP/1.1 302 Found", "Location: /x", "").isRefusal)
  }

  @Test("lines of any content are harmless, and kept values are short")
  func hostile() {
    let long = String(repeating: "a", count: 100_000)
    let head = response("HTTP/1.1", "HTTP/", ":", "no colon", "Content-Type: \(long)", long, "")
    #expect(head.status == 0)
    #expect(head.contentType?.utf8.count == 2048)
    var response = HTTPResponse()
    for bytes: [UInt8] in [[], [0xFF, 0x3A, 0xFE], [0x0A], [0x3A, 0x20]] {
      response.consume(bytes.span)
    }
    #expect(response == HTTPResponse() || response.isComplete)
  }
}

@Suite("The clock of a silent server")
struct StallClockTests {
  @Test("it runs from the first check that finds nothing")
  func runs() {
    var clock = StallClock()
    #expect(clock.foundNothing(progress: 0, now: 1000) == 0)
    #expect(clock.foundNothing(progress: 0, now: 1300) == 300)
    #expect(clock.foundNothing(progress: 0, now: 9000) == 8000)
  }

  @Test("it restarts with every byte that arrives")
  func progress() {
    var clock = StallClock()
    _ = clock.foundNothing(progress: 0, now: 0)
    #expect(clock.foundNothing(progress: 1, now: 500) == 0)
    #expect(clock.foundNothing(progress: 1, now: 700) == 200)
  }

  @Test("it does not count the reader's own time while bytes are available")
  func reset() {
    var clock = StallClock()
    _ = clock.foundNothing(progress: 0, now: 0)
    clock.reset()
    #expect(clock.foundNothing(progress: 0, now: 1_000_000) == 0)
  }
}

@Suite("The receive buffer")
struct ReceiveBufferTests {
  @Test("bytes are read as they were written, at every fill, position and piece size")
  func everyLayout() {
    for capacity in 1...6 {
      for added in 0...capacity {
        for taken in 1...capacity {
          check(capacity, added, taken)
        }
      }
    }
  }

  private func check(_ capacity: Int, _ added: Int, _ taken: Int) {
    var buffer = ReceiveBuffer(capacity: capacity)
    var next: UInt8 = 0
    var output: [UInt8] = []
    for _ in 0..<(3 * capacity) {
      let piece = (0..<min(added, buffer.free)).map { next &+ UInt8($0) }
      next &+= UInt8(piece.count)
      unsafe piece.withUnsafeBytes { unsafe buffer.append($0) }
      var room = [UInt8](repeating: 0, count: taken)
      let count = unsafe room.withUnsafeMutableBytes { unsafe buffer.take(into: $0) }
      output += room[..<count]
      #expect(buffer.count + buffer.free == capacity)
    }
    #expect(output == output.indices.map { UInt8($0) })
    #expect(output.count + buffer.count == Int(next))
  }
}
