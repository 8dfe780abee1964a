// SPDX-License-Identifier: MIT

/// Something that can be measured: its name and how. Each is made when its turn comes, so that a
/// single one can be looked at without the set-up of the others.
struct Plan {
  enum Work {
    /// The engine against one other, judged by their ratio.
    case comparison(() throws(BenchmarkFailure) -> Comparison)
    /// The figures of several resamplers. It takes a minute or two, so only when asked for by name.
    case resamplers
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

  /// The comparison's two sides can be run alone.
  var isComparison: Bool {
    if case .comparison = work { true } else { false }
  }

  /// Everything, in the order of the report.
  static func all(_ tables: [PacketTable], demuxing files: [Options.Demuxing]) -> [Plan] {
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
    return plans
  }
}
