// SPDX-License-Identifier: MIT

internal import AudioModel
internal import BarePeers
internal import Glibc

@testable internal import RenderCore

extension Comparison {
  /// The sections of an equaliser over a stereo pair in cycles of 64 frames, against a scalar loop.
  static func filters(sections: Int) -> Comparison {
    let work = FilterWork(sections: sections)
    return Comparison(
      name: "filter-\(sections)", input: "stereo, \(FilterWork.period) frames",
      operations: FilterWork.cycles * FilterWork.period * 2 * sections,
      operation: "section, frame and channel",
      baseline: Scenario("scalar loop in C") { work.runBare() },
      subject: Scenario("filter bank") { work.run() }, objection: { work.objection })
  }

  /// The same in the 20 ms in which one curve replaces another, against the loop over both curves without a
  /// mix.
  static func filterChange(sections: Int) -> Comparison {
    let work = FilterWork(sections: sections, changes: true)
    return Comparison(
      name: "filter-change-\(sections)", input: "stereo, \(FilterWork.period) frames",
      operations: FilterWork.cycles * FilterWork.period * 2 * sections,
      operation: "section, frame and channel",
      baseline: Scenario("scalar loop in C, twice") {
        Timing(nanoseconds: work.runBare().nanoseconds + work.runBare().nanoseconds)
      }, subject: Scenario("filter bank") { work.run() })
  }
}

extension Comparison {
  /// Ten peaks over a stereo pair in cycles of 64 frames, against the Linux Studio Plugins' equaliser.
  static func plugin() throws(BenchmarkFailure) -> Comparison {
    let work = FilterWork(sections: 10)
    let plugin = try EqualizerPlugin(work)
    return Comparison(
      name: "filter-lsp-10", input: "stereo, \(FilterWork.period) frames",
      operations: FilterWork.cycles, operation: "cycle",
      baseline: Scenario("LSP para_equalizer_x16_stereo") { plugin.run() },
      subject: Scenario("filter bank") { work.run() }, objection: { plugin.objection })
  }
}

/// The plugin with the peaks of a benchmark.
@safe
private final class EqualizerPlugin {
  private let work: FilterWork
  private let equalizer: OpaquePointer
  private let outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>

  init(_ work: FilterWork) throws(BenchmarkFailure) {
    self.work = work
    unsafe outputs = .allocate(capacity: 2)
    for channel in 0..<2 {
      let samples = UnsafeMutablePointer<Float>.allocate(capacity: FilterWork.period)
      unsafe samples.initialize(repeating: 0, count: FilterWork.period)
      unsafe outputs.initializeElement(at: channel, to: samples)
    }
    let bells = work.peaks.map {
      bare_bell(
        hertz: Float($0.hertz), gain: Float(pow(10, $0.decibels / 20)), q: Float(FilterWork.q))
    }
    guard
      let equalizer = unsafe bare_equalizer_make(
        bells, bells.count, Int(FilterWork.rate), FilterWork.period, outputs.baseAddress)
    else { throw BenchmarkFailure("the LSP plugins for LADSPA refuse, or are not installed") }
    unsafe self.equalizer = unsafe equalizer
  }

  deinit {
    unsafe bare_equalizer_free(equalizer)
    for channel in 0..<2 { unsafe outputs[channel]?.deallocate() }
    unsafe outputs.deallocate()
  }

  func run() -> Timing {
    let (equalizer, input) = unsafe (self.equalizer, work.input)
    return Timing(
      nanoseconds: Timing.of { unsafe bare_equalizer_run(equalizer, input, FilterWork.cycles) })
  }

  var objection: String? {
    for channel in 0..<2 {
      guard let samples = unsafe outputs[channel] else { continue }
      let change = (0..<FilterWork.period).reduce(0 as Float) {
        max($0, unsafe (samples[$1] - work.input[$1]).magnitude)
      }
      // Written so that NaN fails, too.
      if !(change > 0.01 && change < 1) { return "the plugin does not filter" }
    }
    return nil
  }
}

@safe
private final class FilterWork {
  static let period = 64
  static let cycles = 600
  static let rate = 48000.0
  static let q = 1.41

  private let changes: Bool
  private let curves: [[BiquadCoefficients]]
  let input: UnsafeMutablePointer<Float>
  /// The peaks of the first curve.
  let peaks: [(hertz: Double, decibels: Double)]
  private let shared: UnsafeMutablePointer<FilterBankShared>
  private let bank: UnsafeMutablePointer<FilterBank>
  private let outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  private let sections: UnsafeMutablePointer<bare_section>
  private let sectionCount: Int
  private let block: UnsafeMutablePointer<Double>
  private let bareOutputs: UnsafeMutablePointer<Float>
  private var deviceFrame: UInt64 = 0

  init(sections count: Int, changes: Bool = false) {
    self.changes = changes
    sectionCount = count
    peaks = (0..<count).map { index in
      (hertz: 31.25 * Double(1 << (index % 10)), decibels: index % 2 == 0 ? 3.0 : -3.0)
    }
    // Two curves with the same sections and different gains.
    curves = [1.0, 2].map { [peaks] factor in
      peaks.map { Self.peak($0.hertz, decibels: factor * $0.decibels) }
    }
    let frames = Self.period
    unsafe input = .allocate(capacity: frames)
    for index in 0..<frames { unsafe input[index] = Float(index % 37) / 74 - 0.25 }
    unsafe shared = .allocate(capacity: 1)
    unsafe shared.initialize(to: FilterBankShared(channels: 2))
    unsafe bank = .allocate(capacity: 1)
    unsafe bank.initialize(to: FilterBank(channels: 2))
    unsafe shared.pointee.publish([curves[0]], mixSeconds: 0, sampleRate: Self.rate)
    unsafe outputs = .allocate(capacity: 2)
    for channel in 0..<2 {
      let samples = UnsafeMutablePointer<Float>.allocate(capacity: frames)
      unsafe samples.initialize(repeating: 0, count: frames)
      unsafe outputs.initializeElement(at: channel, to: samples)
    }
    unsafe sections = .allocate(capacity: 2 * count)
    for channel in 0..<2 {
      for (index, c) in curves[0].enumerated() {
        unsafe (sections + channel * count + index).initialize(
          to: bare_section(b0: c.b0, b1: c.b1, b2: c.b2, a1: c.a1, a2: c.a2, s1: 0, s2: 0))
      }
    }
    unsafe block = .allocate(capacity: frames)
    unsafe block.initialize(repeating: 0, count: frames)
    unsafe bareOutputs = .allocate(capacity: 2 * frames)
    unsafe bareOutputs.initialize(repeating: 0, count: 2 * frames)
    // The first settings fade in; the comparison begins after that.
    unsafe bank.pointee.takeSettings(shared.pointee)
    for channel in 0..<2 {
      for frame in 0..<frames { unsafe outputs[channel][frame] = 0 }
    }
    unsafe bank.pointee.apply(to: outputs, frameCount: frames, deviceFrame: 0)
    deviceFrame = UInt64(frames)
  }

  /// The Audio EQ Cookbook's peak.
  private static func peak(_ hertz: Double, decibels: Double) -> BiquadCoefficients {
    let (omega, a) = (2 * Double.pi * hertz / rate, pow(10, decibels / 40))
    let (cosine, alpha) = (cos(omega), sin(omega) / (2 * q))
    let a0 = 1 + alpha / a
    return BiquadCoefficients(
      b0: (1 + alpha * a) / a0, b1: -2 * cosine / a0, b2: (1 - alpha * a) / a0,
      a1: -2 * cosine / a0, a2: (1 - alpha / a) / a0)
  }

  deinit {
    unsafe input.deallocate()
    unsafe bank.deinitialize(count: 1)
    unsafe bank.deallocate()
    unsafe shared.deinitialize(count: 1)
    unsafe shared.deallocate()
    for channel in 0..<2 { unsafe outputs[channel].deallocate() }
    unsafe outputs.deallocate()
    unsafe sections.deallocate()
    unsafe block.deallocate()
    unsafe bareOutputs.deallocate()
  }

  /// Both channels receive the input again in each cycle, like a port.
  func run() -> Timing {
    let (bank, shared, outputs, input) = unsafe (self.bank, self.shared, self.outputs, self.input)
    var frame = deviceFrame
    var total: UInt64 = 0
    // A change takes 15 cycles.
    let cyclesPerPart = changes ? 15 : Self.cycles
    for part in 0..<Self.cycles / cyclesPerPart {
      if changes {
        unsafe shared.pointee.publish(
          [curves[(part + 1) % 2]], mixSeconds: 0, sampleRate: Self.rate)
      }
      total += Timing.of {
        for _ in 0..<cyclesPerPart {
          for channel in 0..<2 {
            unsafe outputs[channel].update(from: input, count: Self.period)
          }
          unsafe bank.pointee.takeSettings(shared.pointee)
          unsafe bank.pointee.apply(to: outputs, frameCount: Self.period, deviceFrame: frame)
          frame &+= UInt64(Self.period)
        }
      }
    }
    deviceFrame = frame
    return Timing(nanoseconds: total)
  }

  func runBare() -> Timing {
    let (sections, block) = unsafe (self.sections, self.block)
    let (input, output) = unsafe (self.input, bareOutputs)
    let count = sectionCount
    return Timing(
      nanoseconds: Timing.of {
        for _ in 0..<Self.cycles {
          for channel in 0..<2 {
            unsafe bare_filters_run(
              sections + channel * count, count, input, output + channel * Self.period, block,
              Self.period)
          }
        }
      })
  }

  /// The reason if the outputs differ. Both sides have run equally often.
  var objection: String? {
    for channel in 0..<2 {
      for frame in 0..<Self.period {
        guard unsafe outputs[channel][frame] == bareOutputs[channel * Self.period + frame] else {
          return "the two sides filter to different sound"
        }
      }
    }
    return nil
  }
}
