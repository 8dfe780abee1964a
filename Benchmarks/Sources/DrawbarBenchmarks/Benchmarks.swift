// SPDX-License-Identifier: MIT

internal import Glibc

/// The program.
@main
enum Benchmarks {
  static func main() {
    do throws(BenchmarkFailure) {
      try run(Options(Array(CommandLine.arguments.dropFirst())))
    } catch {
      try? WholeFile.write("drawbar-benchmarks: \(error)\n", to: "/dev/stderr")
      exit(1)
    }
  }

  private static func run(_ options: Options) throws(BenchmarkFailure) {
    if options.isHelp {
      print(Options.help)
      return
    }
    var tables: [PacketTable] = []
    for file in options.files { tables.append(try PacketTable(path: file)) }
    let comparisons = try comparisons(of: tables)
    if options.isList {
      for comparison in comparisons { print("\(comparison.name) bare-\(comparison.name)") }
      return
    }
    if let name = options.once {
      guard let scenario = scenario(name, in: comparisons) else {
        throw BenchmarkFailure("there is no scenario \(name); see --list")
      }
      _ = scenario.run()
      return
    }
    var thresholds = Thresholds()
    if let path = options.thresholdsPath { thresholds = try Thresholds(path: path) }
    var report = Report(thresholds: thresholds)
    print(Report.heading)
    for comparison in comparisons {
      print("")
      print(report.add(try ComparisonResult(comparison, rounds: options.rounds)))
    }
    if let path = options.jsonPath { try WholeFile.write(report.json, to: path) }
    if options.isCheck, !report.isWithinLimits {
      throw BenchmarkFailure("a figure is beyond its limit")
    }
  }

  private static func comparisons(
    of tables: [PacketTable]
  ) throws(BenchmarkFailure) -> [Comparison] {
    var all: [Comparison] = []
    for table in tables { all += try Comparison.pull(table) }
    for table in tables { all.append(Comparison.ring(table)) }
    all += Comparison.channelMap()
    all += try Comparison.resampler()
    for table in tables { all.append(Comparison.parser(table)) }
    return all
  }

  private static func scenario(_ name: String, in comparisons: [Comparison]) -> Scenario? {
    for comparison in comparisons {
      if name == comparison.name { return comparison.subject }
      if name == "bare-" + comparison.name { return comparison.baseline }
    }
    return nil
  }
}
