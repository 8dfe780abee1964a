// SPDX-License-Identifier: MIT

internal import AudioModel
internal import BarePeers
internal import RenderCore

/// The number of streams that one client can play on one processor without a cycle over its budget, and the
/// number that the libraries alone could decode and resample in that time, if spread evenly.
///
/// Both sides run alternately. A cycle's time is the least of several runs with the same work, and so is the
/// libraries' time, which excludes disturbances by other programs. The first cycles are left out: in them every
/// stream decodes several packets before the first sound; later the work is spread.
struct StreamCapacity {
  static let name = "most-streams"
  private static let runs = 11
  private static let packetsPerRun = 96
  /// About half a second of output frames.
  private static let framesLeftOut = 25600
  private static let few = (streams: 16, period: 64)

  let input: String
  let periodNanoseconds: Double
  /// The libraries' time for one stream and cycle.
  let bareNanoseconds: Double
  /// The number of streams played, and their longest and mean cycle.
  let streams: Int
  let longestNanoseconds: Double
  let meanNanoseconds: Double
  let cycles: Int
  /// The ratio of the longest to the mean cycle, for few streams at a short period.
  let longestOfFew: Double

  init(_ table: PacketTable, outputRate: Int, period: Int) throws(BenchmarkFailure) {
    input = "\(table.name) to \(outputRate) Hz, \(period) frames"
    periodNanoseconds = Double(period) * 1_000_000_000 / Double(outputRate)
    // Find the number of streams with a few runs, then measure with it.
    var streams = 256
    for runs in [3, 3] {
      let found = try Self.measure(table, streams: streams, runs: runs, outputRate, period)
      streams = max(1, Int(Double(streams) * periodNanoseconds / (found.times.max() ?? 1)))
    }
    let found = try Self.measure(table, streams: streams, runs: Self.runs, outputRate, period)
    self.streams = streams
    bareNanoseconds = found.bare
    longestNanoseconds = found.times.max() ?? 0
    meanNanoseconds = found.times.reduce(0, +) / Double(found.times.count)
    cycles = found.times.count
    let few = try Self.measure(
      table, streams: Self.few.streams, runs: Self.runs, outputRate, Self.few.period)
    longestOfFew =
      (few.times.max() ?? 0) / (few.times.reduce(0, +) / Double(few.times.count))
  }

  /// The largest number of streams whose longest cycle would fit: a cycle's time is proportional to it.
  var most: Double { Double(streams) * periodNanoseconds / longestNanoseconds }
  /// The number of streams that the libraries could play on average.
  var limit: Double { periodNanoseconds / bareNanoseconds }
  var share: Double { most / limit }

  /// Measures each cycle's time, and the libraries' time for one stream and cycle.
  private static func measure(
    _ table: PacketTable, streams: Int, runs: Int, _ outputRate: Int, _ period: Int
  ) throws(BenchmarkFailure) -> (bare: Double, times: [Double]) {
    let cycles =
      packetsPerRun * table.framesPerPacket * outputRate
      / (Int(table.format.sampleRate) * period)
    let players = unsafe try BarePlayers(
      table, count: streams, outputRate: outputRate, lap: table.packets.count, period: period,
      cyclesPerRun: cycles)
    _ = players.run()
    var bare = Double.infinity
    var least: [UInt64] = []
    for _ in 0..<runs {
      bare = min(bare, Double(players.run().nanoseconds) / Double(cycles * streams))
      let times = try times(table, streams: streams, outputRate, period)
      least = least.isEmpty ? times : zip(least, times).map { min($0, $1) }
    }
    // Not `Double.init`, which for an unsigned number may resolve to the initializer with a bit pattern.
    return (bare, least.dropFirst(framesLeftOut / period).map { Double($0) })
  }

  /// Measures each cycle's time in one run from the beginning.
  private static func times(
    _ table: PacketTable, streams: Int, _ outputRate: Int, _ period: Int
  ) throws(BenchmarkFailure) -> [UInt64] {
    let path = unsafe try PullPath(
      table,
      PullPath.Configuration(
        packetsPerRun: packetsPerRun, period: period, outputRate: outputRate,
        volumes: Array(repeating: 1 / Float(streams), count: streams), ringBytes: 1 << 17,
        lap: table.packets.count))
    var times: [UInt64] = []
    let (context, buffers) = unsafe (path.context, path.output.buffers)
    _ = path.runCycles { cycle in
      times.append(Timing.of { unsafe context.render(cycle, into: buffers) })
    }
    if let objection = path.objection { throw BenchmarkFailure("\(name): \(objection)") }
    return times
  }

  var text: String {
    """
    \(Self.name): \(input), \((periodNanoseconds / 1_000_000).decimal(2)) ms
      libmpg123, soxr in C  \((bareNanoseconds / 1000).decimal(2)) µs a stream and cycle: \
    \(limit.decimal(0)) streams
      pull path             \(streams) streams: \((longestNanoseconds / 1_000_000).decimal(2)) ms \
    the longest of \(cycles) cycles, \((meanNanoseconds / 1_000_000).decimal(2)) ms the mean: \
    \(most.decimal(0)) streams
      \(Self.few.streams) streams at \(Self.few.period) frames: the longest cycle is \
    \(longestOfFew.decimal(2)) times as long as the mean one
      share \(share.decimal(3))
    """
  }

  var jsonObject: String {
    """
    {"name":"\(Self.name)","bareNanoseconds":\(bareNanoseconds),"limit":\(limit),\
    "streams":\(streams),"longestNanoseconds":\(longestNanoseconds),\
    "meanNanoseconds":\(meanNanoseconds),"most":\(most),\
    "longestOfFew":\(longestOfFew),"share":\(share)}
    """
  }
}
