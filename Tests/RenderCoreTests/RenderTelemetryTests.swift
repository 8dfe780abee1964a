// SPDX-License-Identifier: MIT

import Glibc
import Testing

@testable import RenderCore

@Suite("Render telemetry")
struct RenderTelemetryTests {
  private static func nanoseconds() -> UInt64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC_RAW, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }

  @Test("Cycles, frames and the time they took are counted, in nanoseconds")
  func counts() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 64)
    let frames = Renderer.maximumFramesPerCycle
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: frames)
    let outputs = UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>.allocate(capacity: 64)
    unsafe outputs.initialize(repeating: samples)
    defer {
      unsafe samples.deallocate()
      unsafe outputs.deallocate()
    }
    let start = Self.nanoseconds()
    for cycle in 0..<100 {
      unsafe renderer.context.render(
        RenderCycle(
          frameCount: frames, frameTime: UInt32(cycle * frames), hostNanoseconds: UInt64(cycle)),
        into: outputs)
    }
    let elapsed = Self.nanoseconds() - start
    let telemetry = renderer.telemetry
    #expect(telemetry.cycles == 100)
    #expect(telemetry.frames == UInt64(100 * frames))
    // Nearly all of the elapsed time is spent on clearing two megabytes a cycle.
    #expect(Double(telemetry.totalNanoseconds) > 0.5 * Double(elapsed))
    #expect(Double(telemetry.totalNanoseconds) < 1.02 * Double(elapsed))
    #expect(telemetry.longestCycleNanoseconds >= telemetry.lastCycleNanoseconds)
    #expect(telemetry.longestCycleNanoseconds >= telemetry.totalNanoseconds / 100)
    #expect(telemetry.longestCycleNanoseconds <= telemetry.totalNanoseconds)
  }
}
