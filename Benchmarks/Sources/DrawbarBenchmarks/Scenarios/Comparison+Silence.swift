// SPDX-License-Identifier: MIT

internal import AudioModel

@testable internal import RenderCore

extension Comparison {
  /// A filter bank of ten sections over a silent stereo pair, against the same filter bank with sound.
  static func silentFilters() throws(BenchmarkFailure) -> Comparison {
    let section = BiquadCoefficients(b0: 1.01, b1: -1.9, b2: 0.9, a1: -1.9, a2: 0.91)
    return try silence("filter-10") { () throws in
      let storage = FilterBankStorage(channels: 2, sampleRate: 48000)
      try storage.set { _ in [[BiquadCoefficients](repeating: section, count: 10)] }
      return storage
    }
  }

  /// The same for a convolver with 65,536 taps for each of two channels.
  static func silentConvolver() throws(BenchmarkFailure) -> Comparison {
    let taps = (0..<65_536).map { Float($0 % 7) / 1e6 }
    return try silence("convolver-65536") { () throws in
      let storage = try ConvolverStorage(
        channels: 2, maximumFrames: taps.count, sampleRate: 48000)
      let response = try ImpulseResponse(channels: [taps, taps], sampleRate: 48000)
      try storage.set { _ in response }
      return storage
    }
  }

  private static func silence(
    _ name: String, _ make: () throws -> any BuiltInEffect
  ) throws(BenchmarkFailure) -> Comparison {
    let (silent, sounding): (SilenceWork, SilenceWork)
    do {
      (silent, sounding) = (
        SilenceWork(try make(), sample: 0), SilenceWork(try make(), sample: 0.1)
      )
    } catch {
      throw BenchmarkFailure("\(error)")
    }
    return Comparison(
      name: "silence-\(name)", input: "stereo, \(SilenceWork.period) frames",
      operations: SilenceWork.cycles, operation: "cycle",
      baseline: Scenario("with sound") { sounding.run() },
      subject: Scenario("with silence") { silent.run() })
  }
}

@safe
private final class SilenceWork {
  static let period = 256
  static let cycles = 300

  private let effect: any BuiltInEffect
  private let outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  private let sample: Float
  private var deviceFrame: UInt64 = 0

  /// - Parameter sample: the first frame's sample in each cycle; all others are 0.
  init(_ effect: any BuiltInEffect, sample: Float) {
    self.effect = effect
    self.sample = sample
    unsafe outputs = .allocate(capacity: 2)
    for channel in 0..<2 {
      unsafe outputs.initializeElement(at: channel, to: .allocate(capacity: Self.period))
    }
  }

  deinit {
    for channel in 0..<2 { unsafe outputs[channel].deallocate() }
    unsafe outputs.deallocate()
  }

  func run() -> Timing {
    let (operation, outputs) = unsafe (effect.operation, self.outputs)
    var frame = deviceFrame
    let nanoseconds = Timing.of {
      for _ in 0..<Self.cycles {
        for channel in 0..<2 {
          unsafe outputs[channel].update(repeating: 0, count: Self.period)
          unsafe outputs[channel][0] = sample
        }
        _ = unsafe operation.render(outputs, frameCount: Self.period, deviceFrame: frame)
        frame &+= UInt64(Self.period)
      }
    }
    deviceFrame = frame
    return Timing(nanoseconds: nanoseconds)
  }
}
