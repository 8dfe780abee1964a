// SPDX-License-Identifier: MIT

import ByteSources
import TestKit
import Testing

@Suite("Faults by chance over HTTP")
final class RandomFaultTests {
  let server = LoopbackHTTPServer()

  deinit {
    server.stop()
  }

  /// Never gives up for the number of attempts, and never pauses. Sound that is asked for again is not
  /// the same, so there silence must not be met on a busy machine where none was planned.
  private func stubborn(stallTimeoutNanoseconds: UInt64 = 10 * second) -> ByteSourceConfiguration {
    var configuration = ByteSourceConfiguration.eager
    configuration.leastReconnectionAttempts = 1000
    configuration.stallTimeoutNanoseconds = stallTimeoutNanoseconds
    return configuration
  }

  /// Reads in pieces of chance sizes, cut where it does not go on, with what the station says.
  private func read(
    _ source: any ByteSource, _ chance: inout SplitMix
  ) -> (stretches: [[UInt8]], said: [StreamMetadata], error: ByteSourceError?) {
    var stretches: [[UInt8]] = [[]]
    var said: [StreamMetadata] = []
    do throws(ByteSourceError) {
      while true {
        let timeout = Bool.random(using: &chance) ? 10 * second : millisecond
        let (answer, piece) = try source.read(
          .random(in: 1...700, using: &chance), timeout: timeout)
        stretches[stretches.count - 1] += piece
        said += source.takeStreamMetadata()
        if answer == .discontinuity { stretches.append([]) }
        if answer == .end { return (stretches, said, nil) }
      }
    } catch {
      return (stretches, said + source.takeStreamMetadata(), error)
    }
  }

  @Test("a file is read to the byte, or what ended it is told after all bytes before it")
  func file() throws {
    for seed in 0..<UInt64(200) {
      var chance = SplitMix(state: seed)
      let body = (0..<Int.random(in: 1...30_000, using: &chance)).map { _ in
        UInt8.random(in: 0...255, using: &chance)
      }
      let faults = FileFaults(body, &chance)
      let path = "/\(seed)"
      server.serve(path, inOrder: faults.plans)
      let source = try openByteSource(
        server.url(path), configuration: stubborn(stallTimeoutNanoseconds: 100 * millisecond))
      let (stretches, _, error) = read(source, &chance)
      let bytes = stretches.joined().map { $0 }
      let isWhole = bytes == body
      let isStart = body.starts(with: bytes)
      // A plan that ends it for good is the last one, if it was come to.
      let requests = server.requests.count { $0.target == path }
      #expect(stretches.count == 1, "seed \(seed)")
      if let last = faults.lasting, requests >= faults.plans.count {
        #expect(isStart, "seed \(seed)")
        #expect(error?.reason == last(UInt64(bytes.count)), "seed \(seed)")
      } else {
        #expect(error == nil && isWhole, "seed \(seed)")
      }
      source.close()
    }
  }

  @Test("a station is read to the byte over every loss, and its titles are where they belong")
  func station() throws {
    for seed in 1000..<UInt64(1100) {
      var chance = SplitMix(state: seed)
      let faults = StationFaults(&chance)
      let path = "/\(seed)"
      server.serve(path, inOrder: faults.plans)
      let source = try openByteSource(server.url(path), configuration: stubborn())
      let (stretches, said, error) = read(source, &chance)
      let isSame = stretches == faults.stretches
      #expect(isSame, "seed \(seed)")
      // Of shorter intervals more titles can come in one read than are kept.
      #expect(faults.interval < 16 || said == faults.said, "seed \(seed)")
      #expect(error?.reason == .status(403), "seed \(seed)")
      source.close()
    }
  }
}

/// Answers to the requests for a file, in order: what goes wrong, and at last what does not, or what
/// ends it for good.
private struct FileFaults {
  var plans: [ResponsePlan] = []
  /// Why the last plan ends it, by the byte at which that is; nil when it does not.
  var lasting: ((UInt64) -> ByteSourceError.Reason)?

  init(_ body: [UInt8], _ chance: inout SplitMix) {
    var good = ResponsePlan(
      fields: [("ETag", "\"v1\"")], body: .bytes(body), ranges: .honoured)
    if Int.random(in: 0..<3, using: &chance) == 0 { good.framing = .chunked }
    let place = 0...UInt64(body.count)
    var first = good
    // From the very start, all bytes are what is wanted, and nothing could be ignored.
    first.fault = .finish(afterBytes: .random(in: 1...UInt64(body.count), using: &chance))
    plans = [first]
    for _ in 0..<Int.random(in: 0...6, using: &chance) {
      var plan = good
      switch Int.random(in: 0..<13, using: &chance) {
      case 0...3: plan.fault = .finish(afterBytes: .random(in: place, using: &chance))
      case 4, 5: plan.fault = .reset(afterBytes: .random(in: place, using: &chance))
      case 6: plan.fault = .stall(afterBytes: .random(in: place, using: &chance))
      case 7: plan = .status([500, 502, 503, 504, 429, 408].randomElement(using: &chance)!, "No")
      case 8: plan = .unavailable(retryAfter: "\(Int.random(in: 0...100, using: &chance))")
      case 9:
        plan = ResponsePlan(
          statusLine: "HTP/1.1 2OO", body: .bytes(body), framing: .untilClose)
      case 10: plan = ResponsePlan(statusLine: nil, framing: .untilClose)
      case 11:
        plan.fields.append(("X-Filler", String(repeating: "x", count: 1000)))
        plan.headBytesPerSecond = 100_000
        plan.fault = .finish(afterBytes: .random(in: place, using: &chance))
      default:
        plan.fields += (0..<40).map { ("X-Filler-\($0)", String(repeating: "x", count: 8000)) }
      }
      plans.append(plan)
    }
    var last = good
    switch Int.random(in: 0..<8, using: &chance) {
    case 0:
      let status = [400, 401, 403, 404, 410].randomElement(using: &chance)!
      last = .status(status, "No")
      lasting = { _ in .status(status) }
    case 1:
      last.fields = [("ETag", "\"v2\"")]
      lasting = { _ in .changed }
    case 2:
      last.ranges = .mislabelled(contentRange: nil)
      lasting = { .wrongRange(byteOffset: $0) }
    case 3:
      last.ranges = .ignored
      last.fields = []
      lasting = { .wrongRange(byteOffset: $0) }
    default: break
    }
    plans.append(last)
  }
}

/// Answers to the requests for a station's sound, in order, and what should be read of them.
private struct StationFaults {
  var plans: [ResponsePlan] = []
  let interval: Int
  var stretches: [[UInt8]] = []
  var said: [StreamMetadata] = []

  init(_ chance: inout SplitMix) {
    interval = Int.random(in: 1...(Bool.random(using: &chance) ? 64 : 16_000), using: &chance)
    let isOwnProtocol = Bool.random(using: &chance)
    var last: String?
    var soundBytes = 0
    for _ in 0..<Int.random(in: 1...5, using: &chance) {
      let sound = (0..<Int.random(in: 1...20_000, using: &chance)).map { _ in
        UInt8.random(in: 0...255, using: &chance)
      }
      let titles = (0..<8).map { _ in Self.title(&chance) }
      var plan = ResponsePlan(
        statusLine: isOwnProtocol ? "ICY 200 OK" : "HTTP/1.1 200 OK",
        fields: [("Content-Type", "audio/mpeg")], body: .bytes(sound),
        framing: isOwnProtocol || Bool.random(using: &chance) ? .untilClose : .chunked)
      plan.metadata = ResponsePlan.Metadata(interval: interval) { index in
        titles[index % 8].map { Array("StreamTitle='\($0)';".utf8) } ?? []
      }
      let cut = Int.random(in: 0...(2 * sound.count), using: &chance)
      plan.fault = .finish(afterBytes: UInt64(cut))
      plans.append(plan)
      // What comes before the cut, counted block by block.
      var (sent, heard, index) = (0, 0, 0)
      while heard < sound.count, sent < cut {
        let count = min(interval, sound.count - heard, cut - sent)
        heard += count
        sent += count
        guard count == interval else { break }
        let title = titles[index % 8]
        let text = title.map { "StreamTitle='\($0)';".utf8.count } ?? 0
        sent += 1 + (text + 15) / 16 * 16
        index += 1
        guard sent <= cut, let title, title != last else { continue }
        last = title
        said.append(StreamMetadata(byteOffset: UInt64(soundBytes + heard), title: title))
      }
      if heard > 0 { stretches.append(Array(sound[..<heard])) }
      soundBytes += heard
      for _ in 0..<Int.random(in: 0...2, using: &chance) {
        plans.append(.status([404, 500, 503].randomElement(using: &chance)!, "No"))
      }
    }
    if stretches.isEmpty { stretches = [[]] }
    plans.append(.status(403, "Forbidden"))
  }

  /// A title with what titles have in them, or nil for a block of length 0.
  private static func title(_ chance: inout SplitMix) -> String? {
    guard Int.random(in: 0..<4, using: &chance) > 0 else { return nil }
    let letters = Array("abc '&=;é☃")
    let title = (0..<Int.random(in: 1...60, using: &chance)).map { _ in
      String(letters.randomElement(using: &chance)!)
    }.joined()
    return title.contains("';") ? "a" : title
  }
}
