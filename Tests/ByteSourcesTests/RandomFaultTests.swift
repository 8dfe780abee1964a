// SPDX-License-Identifier: MIT

import ByteSources
import TestKit
import Testing

@Suite("Random faults over HTTP")
final class RandomFaultTests {
  let server = LoopbackHTTPServer()

  deinit {
    server.stop()
  }

  /// A configuration with 1000 attempts and no pauses. Live sound that is requested again differs, so its stall
  /// timeout must be too long for an unplanned stall on a busy machine.
  private func stubborn(stallTimeoutNanoseconds: UInt64 = 10 * second) -> ByteSourceConfiguration {
    var configuration = ByteSourceConfiguration.eager
    configuration.leastReconnectionAttempts = 1000
    configuration.stallTimeoutNanoseconds = stallTimeoutNanoseconds
    return configuration
  }

  /// Reads in pieces of random sizes, split at discontinuities, with the station's metadata.
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

  @Test("a file is read to the byte, or its final error is reported after all bytes before it")
  func file() throws {
    for seed in 0..<UInt64(200) {
      var chance = SplitMix(state: seed)
      let body = (0..<Int.random(in: 1...30_000, using: &chance)).map { _ in
        UInt8.random(in: 0...255, using: &chance)
      }
      let faults = FaultSequence(body, &chance)
      let path = "/\(seed)"
      server.serve(path, inOrder: faults.plans)
      let source = try openByteSource(
        server.url(path), configuration: stubborn(stallTimeoutNanoseconds: 100 * millisecond))
      let (stretches, _, error) = read(source, &chance)
      let bytes = stretches.joined().map { $0 }
      let isWhole = bytes == body
      let isStart = body.starts(with: bytes)
      // A plan that ends the transfer for good is the last one, if it was reached.
      let requests = server.requests.count { $0.target == path }
      #expect(stretches.count == 1, "seed \(seed)")
      if let last = faults.lasting, requests >= faults.plans.count {
        let reasons = last(UInt64(bytes.count)).map(Optional.some)
        #expect(isStart, "seed \(seed)")
        #expect(reasons.contains(error?.reason), "seed \(seed)")
      } else {
        #expect(error == nil && isWhole, "seed \(seed)")
      }
      source.close()
    }
  }

  @Test("a station is read to the byte over every loss, and its titles have their byte offsets")
  func station() throws {
    for seed in 1000..<UInt64(1100) {
      var chance = SplitMix(state: seed)
      let faults = StationSequence(type: "audio/mpeg", &chance) { chance in
        (0..<Int.random(in: 1...20_000, using: &chance)).map { _ in
          UInt8.random(in: 0...255, using: &chance)
        }
      }
      let path = "/\(seed)"
      server.serve(path, inOrder: faults.plans)
      let source = try openByteSource(server.url(path), configuration: stubborn())
      let (stretches, said, error) = read(source, &chance)
      let isSame = stretches == faults.stretches
      #expect(isSame, "seed \(seed)")
      // With shorter intervals, one read may bring more titles than are kept.
      #expect(faults.interval < 16 || said == faults.said, "seed \(seed)")
      #expect(error?.reason == .status(403), "seed \(seed)")
      source.close()
    }
  }
}
