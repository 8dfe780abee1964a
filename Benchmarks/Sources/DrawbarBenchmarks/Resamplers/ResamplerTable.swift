// SPDX-License-Identifier: MIT

/// All figures of all resamplers at one pair of rates, as a table in Markdown and as JSON.
struct ResamplerTable {
  static let name = "resamplers"
  /// The largest number of rounds; each takes a second.
  private static let maximumRounds = 20

  struct Row {
    let name: String
    let quality: ResamplerQualityFigures
    let time: ResamplerTimeFigures
  }

  let rates: ResamplerRates
  let rows: [Row]

  init(_ rates: ResamplerRates, rounds: Int) throws(BenchmarkFailure) {
    let contenders = ResamplerContender.all
    let times = try ResamplerTimeFigures.all(
      contenders, rates, rounds: min(rounds, Self.maximumRounds))
    var rows: [Row] = []
    for (contender, time) in zip(contenders, times) {
      let quality = try ResamplerQualityFigures(contender, rates)
      rows.append(Row(name: contender.name, quality: quality, time: time))
    }
    self.rates = rates
    self.rows = rows
  }

  private static let columns = [
    "resampler", "noise, dB", "alias, dB", "at the edge, dB", "pass band, dB", "latency, frames",
    "latency, ms", "off place, frames", "ns a frame", "to soxr", "worst block, µs",
    "over the median", "most input frames",
  ]

  var text: String {
    var lines = [Self.columns, Self.columns.indices.map { $0 == 0 ? "---" : "---:" }]
    lines += rows.map(cells)
    let table = lines.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    return "\(rates)\n\n" + table
  }

  private func cells(_ row: Row) -> [String] {
    [
      row.name, row.quality.signalToNoise.decimal(1), row.quality.alias.decimal(1),
      row.quality.edgeAlias.decimal(1), row.quality.ripple.decimal(4),
      row.quality.latencyFrames.decimal(0), milliseconds(row).decimal(1),
      row.quality.offsetFrames.decimal(2), row.time.nanosecondsPerFrame.decimal(1),
      row.time.ratioToSoxr.decimal(2), (row.time.worstBlock / 1000).decimal(1),
      (row.time.worstBlock / row.time.medianBlock).decimal(1), "\(row.time.mostInputFrames)",
    ]
  }

  private func milliseconds(_ row: Row) -> Double {
    row.quality.latencyFrames * 1000 / Double(rates.output)
  }

  /// An object for each row.
  var jsonObjects: [String] {
    rows.map { row in
      """
      {"name":"\(Self.name)","inputRate":\(rates.input),"outputRate":\(rates.output),\
      "resampler":"\(row.name)","signalToNoiseDecibels":\(row.quality.signalToNoise),\
      "aliasDecibels":\(row.quality.alias),"edgeAliasDecibels":\(row.quality.edgeAlias),\
      "passBandDecibels":\(row.quality.ripple),"latencyFrames":\(row.quality.latencyFrames),\
      "offsetFrames":\(row.quality.offsetFrames),\
      "nanosecondsPerFrame":\(row.time.nanosecondsPerFrame),\
      "ratioToSoxr":\(row.time.ratioToSoxr),"worstBlockNanoseconds":\(row.time.worstBlock),\
      "medianBlockNanoseconds":\(row.time.medianBlock),\
      "mostInputFrames":\(row.time.mostInputFrames)}
      """
    }
  }
}
