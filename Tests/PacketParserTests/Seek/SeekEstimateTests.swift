// SPDX-License-Identifier: MIT

import AudioModel
import TestKit
import Testing

@testable import PacketParser

/// Seek estimates, which stay inside the possible range and state an error bound.
@Suite struct SeekEstimateTests {
  /// Byte offsets of packets with sizes in the range, from a certain packet on.
  private func starts(_ sizes: ClosedRange<Int64>, _ count: Int, seed: UInt64) -> [Int64] {
    var random = SplitMix(state: seed)
    var starts: [Int64] = [0]
    // Long runs of one size make the mean a bad estimate.
    var size = sizes.lowerBound
    for _ in 0..<count {
      if random.next() % 40 == 0 { size = Int64.random(in: sizes, using: &random) }
      starts.append(starts[starts.count - 1] + size)
    }
    return starts
  }

  @Test("No estimate misses by more than its bound, ahead and behind", arguments: 0..<20)
  func bounds(_ seed: UInt64) {
    let sizes: ClosedRange<Int64> = 100...1045
    let starts = starts(sizes, 2000, seed: seed)
    for known in [0, 500, 1900] {
      for total in [nil, Int64(starts[2000])] {
        let estimate = SeekEstimate(
          bytesPerPacket: sizes, average: 300, knownPacket: Int64(known),
          knownByteOffset: starts[known], packetCount: total == nil ? nil : 2000, byteCount: total)
        for packet in stride(from: 0, to: 2000, by: 37) {
          let target = estimate.target(packet: Int64(packet))
          let bound = target.errorBoundInPackets ?? -1
          // The packet that holds the byte, and the first packet that begins at or behind the byte.
          let holding = starts.lastIndex { $0 <= target.byteOffset } ?? 0
          let next = starts.firstIndex { $0 >= target.byteOffset } ?? 2000
          #expect(abs(holding - packet) <= bound && abs(next - packet) <= bound)
          #expect(target.isEstimated && target.packet == Int64(packet))
        }
      }
    }
  }

  @Test("The certain packet itself is exact, and a lower stated bound takes precedence")
  func certain() {
    let estimate = SeekEstimate(
      bytesPerPacket: 100...200, average: 150, knownPacket: 10, knownByteOffset: 1500)
    #expect(estimate.target(packet: 10).byteOffset == 1500)
    #expect(estimate.target(packet: 10).errorBoundInPackets == 0)
    #expect(estimate.target(packet: 20).byteOffset == 3000)
    #expect(estimate.target(packet: 20).errorBoundInPackets == 5)
    let stated = estimate.target(packet: 20, byteOffset: 9999, statedBound: 2)
    #expect(stated.byteOffset == 3500 && stated.errorBoundInPackets == 2)
    #expect(estimate.target(packet: 20, byteOffset: 0).byteOffset == 2500)
    #expect(estimate.target(packet: 0).byteOffset == 0)
  }

  @Test("An estimate stays inside the audio, and no packet number is too large")
  func extremes() {
    let small = SeekEstimate(bytesPerPacket: 1...10, average: 5, packetCount: 100, byteCount: 400)
    #expect(small.target(packet: 99).byteOffset == 400)
    #expect(small.target(packet: 1 << 39).byteOffset == 400)
    #expect(small.target(packet: 99).errorBoundInPackets.map { $0 <= 100 } == true)
    for average in [0, 1e300, .infinity, .nan, -5] {
      for upper in [1, Int64.max] {
        for known in [0, Int64.max] {
          let wild = SeekEstimate(
            bytesPerPacket: 1...upper, average: average, knownPacket: 3, knownByteOffset: known)
          for packet in [0, 3, 4, Int64(1) << 40] {
            let target = wild.target(packet: packet)
            #expect(target.byteOffset >= 0 && target.byteOffset <= 1 << 62)
            #expect((target.errorBoundInPackets ?? -1) >= 0)
          }
        }
      }
    }
  }
}
