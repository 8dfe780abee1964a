// SPDX-License-Identifier: MIT

import AudioModel
import Glibc
import Testing

@testable import PushQueue

/// Whether this build has the library, and the machine, too.
let canStretch: Bool = {
  guard let queue = try? SteppedQueue().queue else { return false }
  return (try? queue.setTimePitchEnabled(true)) != nil
}()

@Suite("4.1 AudioQueue speed and pitch without the library", .enabled(if: !canStretch))
struct AudioQueueWithoutTimePitchTests {
  @Test("It says that the library is missing, and plays on as it is")
  func missing() throws {
    let player = try SteppedQueue()
    #expect(
      code { () throws(AudioQueueError) in try player.queue.setTimePitchEnabled(true) }
        == .codecNotFound)
    #expect(!player.queue.isTimePitchEnabled)
    try player.enqueueRamp(0..<1000)
    try player.queue.start()
    player.crank(1000)
    #expect(player.heardRamp == Array(0..<1000))
  }
}

@Suite("4.1 AudioQueue speed and pitch", .enabled(if: canStretch))
struct AudioQueueTimePitchTests {
  /// Plays two seconds of a tone of 500 Hz to the end.
  private func play(
    period: Int = 512, _ prepare: (AudioQueue) throws -> Void
  ) throws -> [Float] {
    let player = try SteppedQueue()
    try prepare(player.queue)
    let buffer = try player.queue.allocateBuffer(byteCapacity: 96_000 * 8)
    let samples = (0..<96_000).flatMap { frame in
      let sample = 0.5 * sinf(Float(frame) * 500 * 2 * .pi / 48_000)
      return [sample, -sample]
    }
    unsafe samples.withUnsafeBytes { unsafe buffer.bytes.copyMemory(from: $0) }
    buffer.byteCount = buffer.byteCapacity
    try player.queue.enqueue(buffer)
    try player.queue.start()
    try player.queue.stop(immediately: false)
    var cycles = 0
    while cycles == 0 || player.queue.isRunning, cycles < 1000 {
      player.crank(period, period: period)
      cycles += 1
    }
    #expect(player.returned.count == 1 && player.queue.underrunCount == 0)
    return player.channel(0)
  }

  /// Frames up to the last that is heard.
  private func length(_ samples: [Float]) -> Int {
    (samples.lastIndex { abs($0) > 0.05 } ?? -1) + 1
  }

  /// Rising zero crossings in a second of the middle.
  private func hertz(_ samples: [Float]) -> Double {
    let middle = samples[20_000..<40_000]
    let crossings = middle.indices.dropFirst().filter { samples[$0 - 1] < 0 && samples[$0] >= 0 }
    guard let first = crossings.first, let last = crossings.last, last > first else { return 0 }
    return Double(crossings.count - 1) * 48_000 / Double(last - first)
  }

  @Test(
    "The play rate changes the length and keeps the pitch",
    arguments: [0.5, 0.8, 1, 1.25, 2] as [Float])
  func rate(_ rate: Float) throws {
    for algorithm in [AudioQueueTimePitchAlgorithm.spectral, .timeDomain] {
      let samples = try play { queue in
        try queue.setTimePitchEnabled(true)
        try queue.setTimePitchAlgorithm(algorithm)
        try queue.set(.playRate, to: rate)
      }
      #expect(abs(Double(length(samples)) - 96_000 / Double(rate)) < 480)
      #expect(abs(hertz(samples) - 500) < 5)
    }
  }

  @Test("However long the output's cycles are, each finds its sound", arguments: [4096, 8192])
  func longCycles(period: Int) throws {
    let samples = try play(period: period) { queue in
      try queue.setTimePitchEnabled(true)
      try queue.set(.playRate, to: 0.8)
    }
    #expect(abs(length(samples) - 120_000) < 480)
  }

  @Test(
    "The pitch changes by its cents and keeps the length",
    arguments: [-2400, -700, 700, 2400] as [Float])
  func pitch(_ cents: Float) throws {
    let samples = try play { queue in
      try queue.setTimePitchEnabled(true)
      try queue.set(.pitch, to: cents)
    }
    #expect(abs(length(samples) - 96_000) < 480)
    let expected = 500 * exp2(Double(cents) / 1200)
    #expect(abs(hertz(samples) / expected - 1) < 0.01)
  }

  @Test("With varispeed the pitch goes with the speed")
  func varispeed() throws {
    let samples = try play { queue in
      try queue.setTimePitchEnabled(true)
      try queue.setTimePitchAlgorithm(.varispeed)
      try queue.set(.playRate, to: 1.5)
    }
    #expect(abs(length(samples) - 64_000) < 480)
    #expect(abs(hertz(samples) - 750) < 8)
  }

  @Test("Bypassed, and disabled, sound is exactly what was enqueued")
  func bypass() throws {
    let plain = try play { _ in }
    let bypassed = try play { queue in
      try queue.setTimePitchEnabled(true)
      try queue.set(.playRate, to: 2)
      queue.isTimePitchBypassed = true
    }
    let disabled = try play { queue in
      try queue.setTimePitchEnabled(true)
      try queue.setTimePitchEnabled(false)
    }
    #expect(
      plain[..<96_000] == bypassed[..<96_000] && plain[..<96_000] == disabled[..<96_000])
  }

  @Test("Another algorithm, or none, after priming loses nothing", arguments: [false, true])
  func changeAfterPriming(_ disables: Bool) throws {
    let player = try SteppedQueue()
    try player.queue.setTimePitchEnabled(true)
    try player.enqueueRamp(1_000_000..<1_024_000)
    try player.queue.prime()
    if disables {
      try player.queue.setTimePitchEnabled(false)
    } else {
      try player.queue.setTimePitchAlgorithm(.timeDomain)
    }
    try player.queue.start()
    try player.queue.stop(immediately: false)
    player.crank(48_000)
    #expect(abs(length(player.channel(0)) - 24_000) < 480)
    #expect(!player.queue.isRunning && player.queue.underrunCount == 0)
  }

  @Test("It is enabled and its algorithm chosen only while the queue is stopped")
  func whileStopped() throws {
    let queue = try SteppedQueue().queue
    #expect(!queue.isTimePitchEnabled)
    #expect(
      code { () throws(AudioQueueError) in try queue.setTimePitchAlgorithm(.varispeed) }
        == .invalidRunState)
    try queue.setTimePitchEnabled(true)
    try queue.start()
    #expect(
      code { () throws(AudioQueueError) in try queue.setTimePitchEnabled(false) }
        == .invalidRunState)
    #expect(
      code { () throws(AudioQueueError) in try queue.setTimePitchAlgorithm(.varispeed) }
        == .invalidRunState)
    #expect(queue.isTimePitchEnabled && queue.timePitchAlgorithm == .spectral)
  }
}
