// SPDX-License-Identifier: MIT

/// A measurement: its name and its work, which is set up only when it is run, so that a single one does not
/// need the set-up of the others.
struct Plan {
  enum Work {
    /// The engine against one baseline, judged by their ratio.
    case comparison(() throws(BenchmarkFailure) -> Comparison)
    /// The figures of several resamplers. It takes a minute or two, so it runs only if named.
    case resamplers
    /// The largest number of streams. It runs only if named, too.
    case capacity(() throws(BenchmarkFailure) -> StreamCapacity)
  }

  let name: String
  let work: Work

  init(name: String, make: @escaping () throws(BenchmarkFailure) -> Comparison) {
    self.name = name
    work = .comparison(make)
  }

  private init(name: String, work: Work) {
    self.name = name
    self.work = work
  }

  /// Whether it is a comparison, whose two sides can be run alone.
  var isComparison: Bool {
    if case .comparison = work { true } else { false }
  }

  /// Everything but decoding, in the order of the report.
  ///
  /// - Parameters:
  ///   - tables: MPEG audio. The last table is used where one is enough.
  ///   - mixing: a file of samples that several sources play.
  ///   - files: the files for the demuxing comparisons.
  static func all(
    _ tables: [PacketTable], mixing: String, demuxing files: [Options.Demuxing]
  ) -> [Plan] {
    var plans: [Plan] = []
    for table in tables {
      for period in [64, 128, 256, 1024] {
        plans.append(
          Plan(name: "pull-\(period)") { () throws(BenchmarkFailure) in
            try Comparison.pull(table, period: period)
          })
      }
    }
    for table in tables { plans.append(Plan(name: "ring") { Comparison.ring(table) }) }
    for period in [64, 1024] {
      plans.append(Plan(name: "map-\(period)") { Comparison.channelMap(period: period) })
    }
    for (input, output) in [(44100, 48000), (48000, 44100)] {
      for period in [64, 1024] {
        plans.append(
          Plan(name: "resample-\(period)") { () throws(BenchmarkFailure) in
            try Comparison.resampler(from: input, to: output, period: period)
          })
      }
    }
    for count in [2, 8, 16] {
      plans.append(
        Plan(name: "mix-\(count)") { () throws(BenchmarkFailure) in
          try Comparison.mixing(PacketTable(path: mixing), sources: count)
        })
    }
    for count in [1, 2, 3, 10, 64] {
      plans.append(Plan(name: "filter-\(count)") { Comparison.filters(sections: count) })
    }
    plans.append(
      Plan(name: "filter-lsp-10") { () throws(BenchmarkFailure) in try Comparison.plugin() })
    plans.append(Plan(name: "filter-change-10") { Comparison.filterChange(sections: 10) })
    plans.append(Plan(name: "graph-64") { Comparison.graph(edges: 64, period: 64) })
    for count in [64, 1000] {
      plans.append(Plan(name: "graph-edit-\(count)") { Comparison.graphEdit(nodes: count) })
    }
    for taps in [4096, 16_384, 65_536] {
      plans.append(
        Plan(name: "convolver-\(taps)") { () throws(BenchmarkFailure) in
          try Comparison.convolver(taps: taps)
        })
    }
    plans.append(
      Plan(name: "silence-filter-10") { () throws(BenchmarkFailure) in
        try Comparison.silentFilters()
      })
    plans.append(
      Plan(name: "silence-convolver-65536") { () throws(BenchmarkFailure) in
        try Comparison.silentConvolver()
      })
    if let table = tables.last {
      for count in [1, 2, 4, 8, 16] {
        plans.append(
          Plan(name: "streams-\(count)") { () throws(BenchmarkFailure) in
            try Comparison.streams(table, count: count, outputRate: 48000, period: 256)
          })
      }
    }
    plans += cycles(tables.last)
    for table in tables { plans.append(Plan(name: "parse-ring") { Comparison.parser(table) }) }
    for file in files where file.path.hasSuffix(".mp3") {
      plans.append(
        Plan(name: "parse-scan") { () throws(BenchmarkFailure) in
          try Comparison.scan(file.path)
        })
    }
    for file in files {
      plans.append(
        Plan(name: "parse-demux") { () throws(BenchmarkFailure) in
          try Comparison.demux(file.path, brief: file.briefPath)
        })
    }
    plans.append(Plan(name: ResamplerTable.name, work: .resamplers))
    if let table = tables.last {
      plans.append(
        Plan(
          name: StreamCapacity.name,
          work: .capacity { () throws(BenchmarkFailure) in
            try StreamCapacity(table, outputRate: 48000, period: 256)
          }))
    }
    return plans
  }

  /// The cost of a cycle by itself, and with its record.
  private static func cycles(_ table: PacketTable?) -> [Plan] {
    var plans = [64, 1024].map { period in
      Plan(name: "render-empty-\(period)") { Comparison.emptyCycle(period: period) }
    }
    if let table {
      plans.append(
        Plan(name: "telemetry-mp3") { () throws(BenchmarkFailure) in
          try Comparison.telemetry(table, outputRate: 48000, period: 64)
        })
    }
    plans.append(Plan(name: "telemetry-silent") { Comparison.telemetryOfSilence(period: 64) })
    return plans
  }
}
