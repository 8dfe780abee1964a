// SPDX-License-Identifier: MIT

import RenderCore

@testable import TimingReport

/// Synthetic measured runs, the same ones each time.
enum SampleRuns {
  /// A run in which most cycles are some 30 µs late and take `durationMicroseconds`, and few take much longer.
  ///
  /// - Parameters:
  ///   - seed: the seed of this run; another seed makes another run of the same kind.
  static func run(
    subject: String = "drawbar", periodFrames: Int = 64, load: String = "none", repetition: Int = 0,
    cycles: Int = 20_000, durationMicroseconds: Double = 60, seed: UInt64 = 1,
    causes: [CycleCause] = []
  ) -> TimingRun {
    var random = Generator(state: seed)
    let conditions = TimingConditions(
      periodFrames: periodFrames, sampleRate: 48000, input: "mp3 44100 Hz", streams: 1, load: load)
    let period = conditions.periodNanoseconds
    var values: [TimingStatistics.Quantity: [UInt64]] = [:]
    var series = TimingSeries()
    let perPoint = (cycles + 1023) / 1024
    for cycle in 0..<cycles {
      let lateness = random.scattered(around: 30_000, tail: 0.8)
      let duration = random.scattered(around: durationMicroseconds * 1000, tail: 0.5)
      values[.lateness, default: []].append(lateness)
      values[.duration, default: []].append(duration)
      values[.headroom, default: []].append(
        period > lateness + duration ? period - lateness - duration : 0)
      if cycle % perPoint == 0 {
        series.points.append(
          .init(
            timeNanoseconds: UInt64(cycle) * period, latenessNanoseconds: 0, durationNanoseconds: 0)
        )
      }
      let last = series.points.count - 1
      series.points[last].latenessNanoseconds = max(
        series.points[last].latenessNanoseconds, lateness)
      series.points[last].durationNanoseconds = max(
        series.points[last].durationNanoseconds, duration)
    }
    for (place, cause) in causes.enumerated() {
      series.marks.append(
        .init(
          timeNanoseconds: UInt64(cycles * (place + 1) / (causes.count + 1)) * period, cause: cause)
      )
    }
    var counts: [String: UInt64] = [:]
    for cause in causes { counts[cause.rawValue, default: 0] += 1 }
    let durations = values[.duration, default: []]
    return TimingRun(
      subject: subject, conditions: conditions, repetition: repetition,
      scheduling: "SCHED_FIFO 65", locksMemory: true, cycles: UInt64(cycles), missedCycles: 0,
      xruns: 0, preemptedCycles: 3, longestUnpreemptedNanoseconds: 61_000,
      packets: UInt64(cycles / 18), lostRecords: 0, causes: counts,
      dspLoad: durations.isEmpty
        ? 0 : Double(durations.reduce(0, +)) / Double(durations.count) / Double(period),
      leastBufferedNanoseconds: 850_000_000,
      process: ProcessCost(
        wallNanoseconds: 26_700_000_000, cpuNanoseconds: 2_100_000_000, voluntarySwitches: 40_000,
        involuntarySwitches: 12, residentBytes: 31_000_000, anonymousBytes: 9_000_000),
      distributions: Dictionary(
        uniqueKeysWithValues: values.map { ($0.key.rawValue, distribution(of: $0.value)) }),
      series: series, incidents: causes.prefix(1).map(incident))
  }

  /// A distribution of these values, rounded to three digits.
  static func distribution(of values: [UInt64]) -> TimingDistribution {
    var counts: [UInt64: UInt64] = [:]
    for value in values {
      var unit: UInt64 = 1
      while value / unit >= 1000 { unit *= 10 }
      counts[value / unit * unit, default: 0] += 1
    }
    return TimingDistribution(
      buckets: counts.sorted { $0.key < $1.key }.map { .init(nanoseconds: $0.key, count: $0.value) }
    )
  }

  /// A machine with all facts known.
  static var machine: MachineFacts {
    var machine = MachineFacts(
      kernel: "Linux 6.1.0-30-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.124-1 x86_64", processors: 2,
      loadAverages: [0.31, 0.61, 1.14])
    machine.system = "Debian GNU/Linux 12 (bookworm)"
    machine.processor = "AMD EPYC"
    machine.isVirtual = true
    machine.preemption = "PREEMPT_DYNAMIC"
    machine.realtimeRuntimeMicroseconds = 950_000
    machine.lockableBytes = 8_388_608
    machine.realtimePriorityLimit = 95
    machine.stealNanosecondsPerSecond = 1_250_000
    machine.programVersion = "drawbar 1.0"
    return machine
  }

  static func incident(of cause: CycleCause) -> TimingStatistics.Incident {
    var records: [CycleRecord] = []
    var sequence = CycleSequence()
    for cycle in 0..<9 {
      records.append(sequence.next(durationNanoseconds: cycle == 4 ? 1_900_000 : 61_000))
    }
    return .init(
      badCycle: BadCycle(index: 4, cause: cause, overrunNanoseconds: 588_000), records: records)
  }

  /// A generator of pseudorandom numbers.
  private struct Generator {
    var state: UInt64

    /// The next number, from 0 to below 1.
    private mutating func next() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) / Double(1 << 53)
    }

    /// A number around a value; a few are far above it.
    mutating func scattered(around value: Double, tail: Double) -> UInt64 {
      let usual = value * (0.8 + 0.2 * (next() + next()))
      let rarity = 1 / (1 - next())
      return UInt64(usual * (rarity > 50 ? 1 + tail * (rarity / 50).squareRoot() : 1))
    }
  }
}
