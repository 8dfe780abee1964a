// SPDX-License-Identifier: MIT

import AudioModel
import Glibc
import Testing

@testable import PushQueue

/// Whether the time-stretching library is in this build and on this machine.
let canStretch: Bool = {
  guard let queue = try? SteppedQueue().queue else { return false }
  return (try? queue.setTimePitchEnabled(true)) != nil
}()

@Suite("4.1 AudioQueue speed and pitch without the library", .enabled(if: !canStretch))
struct AudioQueueWithoutTimePitchTests {
  @Test("It reports that the library is missing, and plays on unchanged")
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
  /// Plays two seconds of a tone of 500 Hz to the end, in as many buffers as there are lists of parameters for them.
  private func play(
    period: Int = 512, parameters: [[AudioQueueParameterEvent]] = [[]],
    _ prepare: (AudioQueue) throws -> Void
  ) throws -> [Float] {
    let player = try SteppedQueue()
    try prepare(player.queue)
    let frames = 96_000 / parameters.count
    for (index, parameters) in parameters.enumerated() {
      let buffer = try player.queue.allocateBuffer(byteCapacity: frames * 8)
      let samples = (index * frames..<(index + 1) * frames).flatMap { frame in
        let sample = 0.5 * sinf(Float(frame) * 500 * 2 * .pi / 48_000)
        return [sample, -sample]
      }
      unsafe samples.withUnsafeBytes { unsafe buffer.bytes.copyMemory(from: $0) }
      buffer.byteCount = buffer.byteCapacity
      try player.queue.enqueue(buffer, parameters: parameters)
    }
    try player.queue.start()
    try player.queue.stop(immediately: false)
    var cycles = 0
    while cycles == 0 || player.queue.isRunning, cycles < 1000 {
      player.crank(period, period: period)
      cycles += 1
    }
    #expect(player.returned.count == parameters.count && player.queue.underrunCount == 0)
    return player.channel(0)
  }

  /// Returns the frames up to the last audible one.
  private func length(_ samples: [Float]) -> Int {
    (samples.lastIndex { abs($0) > 0.05 } ?? -1) + 1
  }

  /// Returns the rising zero crossings per second, measured in the middle of the sound.
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

  @Test("For any length of the output's cycles, each finds its sound", arguments: [4096, 8192])
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

  @Test(
    "A buffer's parameters take effect with its first frame, however much is held back before it",
    arguments: [0.5, 1, 2] as [Float])
  func parameters(_ rate: Float) throws {
    for algorithm in [AudioQueueTimePitchAlgorithm.spectral, .timeDomain] {
      func heard(_ second: [AudioQueueParameterEvent]) throws -> [Float] {
        try play(parameters: [[], second]) { queue in
          try queue.setTimePitchEnabled(true)
          try queue.setTimePitchAlgorithm(algorithm)
          try queue.set(.playRate, to: rate)
        }
      }
      let plain = try heard([])
      let softer = try heard([.init(.volume, 0)])
      let first = try #require(plain.indices.first { abs(plain[$0] - softer[$0]) > 0.01 })
      let place = Int((48_000 / rate).rounded())
      #expect((place - 2...place + 60).contains(first), "\(algorithm)")
      #expect(softer[(place + 300)...].allSatisfy { $0 == 0 }, "\(algorithm)")
    }
  }

  /// Returns a buffer with a tone of 500 Hz, or with silence.
  private func buffer(
    seconds: Int, amplitude: Float = 0.5, of queue: AudioQueue
  ) throws -> AudioQueueBuffer {
    let buffer = try queue.allocateBuffer(byteCapacity: seconds * 48_000 * 8)
    let period = (0..<96).flatMap { frame in
      let sample = amplitude * sinf(Float(frame) * 500 * 2 * .pi / 48_000)
      return [sample, -sample]
    }
    unsafe period.withUnsafeBytes { bytes in
      for _ in 0..<seconds * 500 { unsafe buffer.append(bytes.bindMemory(to: UInt8.self).span) }
    }
    return buffer
  }

  /// Plays two buffers, the second of which sets a speed.
  private func play(
    _ algorithm: AudioQueueTimePitchAlgorithm, seconds: (Int, Int), rate: Float,
    amplitude: Float = 0.5
  ) throws -> [Float] {
    let player = try SteppedQueue()
    try player.queue.setTimePitchEnabled(true)
    try player.queue.setTimePitchAlgorithm(algorithm)
    try player.queue.enqueue(buffer(seconds: seconds.0, of: player.queue))
    try player.queue.enqueue(
      buffer(seconds: seconds.1, amplitude: amplitude, of: player.queue),
      parameters: [.init(.playRate, rate)])
    try player.queue.start()
    try player.queue.stop(immediately: false)
    var cycles = 0
    while cycles == 0 || player.queue.isRunning, cycles < 2000 {
      player.crank(512)
      cycles += 1
    }
    return player.channel(0)
  }

  @Test(
    "With varispeed a new speed changes only later sound, however long the old one has played",
    arguments: [0.5, 1.5, 2] as [Float])
  func varispeedChange(_ rate: Float) throws {
    let samples = try play(.varispeed, seconds: (5, 2), rate: rate)
    #expect(abs(Double(length(samples)) - 240_000 - 96_000 / Double(rate)) < 480)
    #expect(abs(hertz(Array(samples[..<240_000])) - 500) < 5)
    #expect(abs(hertz(Array(samples[240_000...])) / Double(500 * rate) - 1) < 0.01)
  }

  @Test(
    "A buffer's speed begins with its first frame, however much is held back before it",
    arguments: AudioQueueTimePitchAlgorithm.allCases, [0.5, 2] as [Float])
  func speedAtFirstFrame(_ algorithm: AudioQueueTimePitchAlgorithm, _ rate: Float) throws {
    let samples = try play(algorithm, seconds: (1, 1), rate: rate, amplitude: 0)
    let end = (samples.lastIndex { abs($0) > 0.25 } ?? -1) + 1
    #expect(abs(end - 48_000) < 480)
  }

  @Test(
    "However often the speed jumps, the count of held frames is right",
    arguments: AudioQueueTimePitchAlgorithm.allCases, [1024, 4800])
  func jumps(_ algorithm: AudioQueueTimePitchAlgorithm, _ frames: Int) throws {
    /// Returns the reported count of held frames, and the frames that the stretcher then returns.
    func held(jumps: Int) throws -> (told: Int, given: Int) {
      let stretcher = try Stretchers.make(algorithm, sampleRate: 48_000, channels: 1)
      func process(_ frames: Int, rate: Double) {
        let pitchScale = algorithm == .varispeed ? rate : 1
        stretcher.set(timeRatio: 1 / rate, pitchScale: pitchScale)
        _ = stretcher.process((0..<frames).map { sinf(Float($0) * 500 * 2 * .pi / 48_000) })
      }
      for jump in 0..<jumps { process(frames, rate: jump.isMultiple(of: 2) ? 0.5 : 2) }
      for _ in 0..<48 { process(1000, rate: 1) }
      return (stretcher.heldFrames, stretcher.finish().count)
    }
    let steady = try held(jumps: 0)
    let jumped = try held(jumps: 150)
    #expect(abs(jumped.told - steady.told) < 1500)
    #expect(steady.given == steady.told && jumped.given == jumped.told)
  }

  /// Returns noise, no two parts of which are alike: a tone is much the same at another speed.
  private static func noise(frames: Int) -> [Float] {
    var state: UInt32 = 1
    return (0..<frames * 2).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return Float(Int32(bitPattern: state)) / 0x1p32
    }
  }

  @Test(
    "A change during playback is audible a fifth to two fifths of a second later",
    arguments: AudioQueueTimePitchAlgorithm.allCases, [0.5, 1, 2] as [Float])
  func delay(_ algorithm: AudioQueueTimePitchAlgorithm, _ rate: Float) throws {
    let start = 24_064
    func heard(_ change: (AudioQueueParameter, Float)?) throws -> [Float] {
      let player = try SteppedQueue()
      try player.queue.setTimePitchEnabled(true)
      try player.queue.setTimePitchAlgorithm(algorithm)
      try player.queue.set(.playRate, to: rate)
      let buffer = try player.queue.allocateBuffer(byteCapacity: 4 * start * 8)
      unsafe Self.noise(frames: 4 * start)
        .withUnsafeBytes { unsafe buffer.bytes.copyMemory(from: $0) }
      buffer.byteCount = buffer.byteCapacity
      try player.queue.enqueue(buffer)
      try player.queue.start()
      player.crank(start)
      if let change { try player.queue.set(change.0, to: change.1) }
      player.crank(start)
      return player.channel(0)
    }
    let plain = try heard(nil)
    // The other algorithms have no pitch of their own.
    let changes: [(AudioQueueParameter, Float)] =
      algorithm == .spectral ? [(.playRate, 1.5), (.pitch, 1200)] : [(.playRate, 1.5)]
    for change in changes {
      let changed = try heard(change)
      let first = try #require(plain.indices.first { abs(plain[$0] - changed[$0]) > 0.05 })
      let seconds = Double(first - start) / 48_000
      #expect((0.18...0.4).contains(seconds), "\(change)")
    }
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

  @Test("Bypassed, and disabled, it outputs exactly the enqueued sound")
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
