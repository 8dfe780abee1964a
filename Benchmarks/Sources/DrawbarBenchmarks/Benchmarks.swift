// SPDX-License-Identifier: MIT

internal import AudioModel
internal import Glibc

/// The program.
@main
enum Benchmarks {
  static func main() {
    do throws(BenchmarkFailure) {
      try run(Options(Array(CommandLine.arguments.dropFirst())))
    } catch {
      _ = WholeFile.write("drawbar-benchmarks: \(error)\n", toDescriptor: STDERR_FILENO)
      exit(1)
    }
  }

  private static func run(_ options: Options) throws(BenchmarkFailure) {
    if options.isHelp {
      print(Options.help)
      return
    }
    var tables: [PacketTable] = []
    if options.only != ResamplerTable.name {
      for file in options.files {
        let table = try PacketTable(path: file)
        guard table.format.formatID.isMPEGAudio, table.framesPerPacket > 0 else {
          throw BenchmarkFailure("\(file): not an MPEG audio file")
        }
        tables.append(table)
      }
    }
    let plans =
      Plan.all(tables, mixing: options.mixing, demuxing: options.demuxing)
      + options.decoding.map(Plan.decoding)
    if options.isList {
      for plan in plans { print(plan.isComparison ? "\(plan.name) bare-\(plan.name)" : plan.name) }
    } else if let name = options.once {
      try count(name, in: plans)
    } else {
      let wanted = plans.filter { plan in
        guard let only = options.only else { return plan.isComparison }
        return plan.name == only || plan.name.hasPrefix(only + "-")
      }
      try measure(wanted, options)
    }
  }

  private static func measure(_ plans: [Plan], _ options: Options) throws(BenchmarkFailure) {
    guard !plans.isEmpty else {
      throw BenchmarkFailure("there is no comparison \(options.only ?? ""); see --list")
    }
    var thresholds = Thresholds()
    if let path = options.thresholdsPath { thresholds = try Thresholds(path: path) }
    var report = Report(thresholds: thresholds)
    if plans.contains(where: \.isComparison) { print(Report.heading) }
    for plan in plans {
      switch plan.work {
      case .comparison(let make):
        print("\n" + report.add(try ComparisonResult(try make(), rounds: options.rounds)))
      case .resamplers:
        for rates in ResamplerRates.all {
          print("\n" + report.add(try ResamplerTable(rates, rounds: options.rounds)))
        }
      case .capacity(let find): print("\n" + report.add(try find()))
      }
    }
    if let path = options.jsonPath { try WholeFile.write(report.json, to: path) }
    if options.isCheck, !report.isWithinLimits {
      throw BenchmarkFailure("a figure is beyond its limit")
    }
  }

  private static func count(_ name: String, in plans: [Plan]) throws(BenchmarkFailure) {
    let bare = name.hasPrefix("bare-")
    guard let plan = plans.first(where: { name == (bare ? "bare-" : "") + $0.name }),
      case .comparison(let make) = plan.work
    else {
      throw BenchmarkFailure("there is no scenario \(name); see --list")
    }
    let comparison = try make()
    let scenario = bare ? comparison.baseline : comparison.subject
    // The first run does one-time work; the second one is counted.
    _ = scenario.run()
    countedRun(scenario)
    print(comparison.operations)
  }
}

/// Runs the scenario once, in a function that a profiler finds by its name.
@inline(never)
private func countedRun(_ scenario: Scenario) {
  _ = scenario.run()
}
