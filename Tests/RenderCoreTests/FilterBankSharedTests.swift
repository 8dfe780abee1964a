// SPDX-License-Identifier: MIT

import AudioModel
import Equalizers
import Glibc
import Synchronization
import TestKit
import Testing

@testable import RenderCore

@Suite("The settings of a filter bank")
struct FilterBankSharedTests {
  /// The settings and a mark that ends the reader, for two threads.
  private final class Publication: @unchecked Sendable {
    let shared = FilterBankShared(channels: 3)
    let isOver = Atomic<Bool>(false)
    let wholeReads = Atomic<Int>(0)
  }

  private static func curve(_ gain: Double, _ count: Int) throws -> [BiquadCoefficients] {
    try (0..<count).map {
      try section(.peaking, 100 * Double($0 + 1), gain: gain).coefficients(sampleRate: 48000)
    }
  }

  @Test("are read whole while another thread publishes")
  func concurrent() throws {
    let publication = Publication()
    let settings = try [
      [Self.curve(1, 64)], [Self.curve(-1, 64)],
      [Self.curve(2, 3), Self.curve(3, 64), Self.curve(4, 0)],
    ]
    let expected = settings.map { curves in
      let shared = FilterBankShared(channels: 3)
      shared.publish(curves, mixSeconds: 0, sampleRate: 48000)
      let cascade = BiquadCascade(channels: 3, sectionCapacity: 64)
      shared.read(into: cascade)
      return cascade
    }
    let read = BiquadCascade(channels: 3, sectionCapacity: 64)
    defer { for cascade in expected + [read] { cascade.deallocate() } }
    let publisher = JoinableThread {
      // Many publications one after the other tear reads; the pause after them lets a read succeed.
      for _ in 0..<200 {
        for index in 0..<15 {
          publication.shared.publish(
            settings[index % 3], mixSeconds: 0.005, sampleRate: 48000)
        }
        let reads = publication.wholeReads.load(ordering: .acquiring)
        while publication.wholeReads.load(ordering: .acquiring) == reads { sched_yield() }
      }
      publication.isOver.store(true, ordering: .releasing)
    }
    while !publication.isOver.load(ordering: .acquiring) {
      let before = publication.shared.sequence.load(ordering: .acquiring)
      if before == 0 || before & 1 == 1 { continue }
      publication.shared.read(into: read)
      if publication.shared.sequence.load(ordering: .relaxed) != before { continue }
      let isWhole = expected.contains { $0.hasSameCoefficients(as: read) }
      #expect(isWhole)
      publication.wholeReads.add(1, ordering: .releasing)
    }
    publisher.join()
  }

  @Test("turned off keep their curves")
  func off() throws {
    let shared = FilterBankShared(channels: 1)
    shared.publish([try Self.curve(1, 7)], mixSeconds: 0, sampleRate: 48000)
    shared.publish(nil, mixSeconds: 0, sampleRate: 48000)
    let cascade = BiquadCascade(channels: 1, sectionCapacity: 64)
    defer { cascade.deallocate() }
    shared.read(into: cascade)
    #expect(!shared.isOn && cascade.sectionCount(pair: 0) == 7)
  }
}
