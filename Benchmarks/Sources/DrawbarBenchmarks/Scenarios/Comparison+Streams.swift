// SPDX-License-Identifier: MIT

internal import AudioModel
internal import BarePeers

extension Comparison {
  /// Several streams of one client, each resampled and all mixed, against libmpg123 and soxr for each stream
  /// without mixing. Both sides process all streams in every cycle, as a client must.
  static func streams(
    _ table: PacketTable, count: Int, outputRate: Int, period: Int
  ) throws(BenchmarkFailure) -> Comparison {
    // Makes a run's length independent of the number of streams.
    let lap = unsafe table.packets.count / PullPath.batch * PullPath.batch
    let packets = max(PullPath.batch, lap / count / PullPath.batch * PullPath.batch)
    let path = try PullPath(
      table,
      PullPath.Configuration(
        packetsPerRun: packets, period: period, outputRate: outputRate,
        volumes: Array(repeating: 1, count: count), lap: lap))
    let players = try BarePlayers(
      table, count: count, outputRate: outputRate, lap: lap, period: period,
      cyclesPerRun: path.cyclesPerRun(framesPerPacket: table.framesPerPacket))
    return Comparison(
      name: "streams-\(count)",
      input: "\(table.name) to \(outputRate) Hz, \(period) frames",
      operations: packets * count, operation: "packet",
      baseline: Scenario("libmpg123, soxr in C") { players.run() },
      subject: Scenario("pull path") { path.run() }, objection: { path.objection })
  }
}

/// The C loop over several streams.
@safe
final class BarePlayers {
  private let table: PacketTable
  private let period: Int
  private let cyclesPerRun: Int
  private let packets: UnsafeMutableBufferPointer<bare_packet>
  private let players: UnsafeMutableBufferPointer<OpaquePointer>

  init(
    _ table: PacketTable, count: Int, outputRate: Int, lap: Int, period: Int, cyclesPerRun: Int
  ) throws(BenchmarkFailure) {
    self.table = table
    self.period = period
    self.cyclesPerRun = cyclesPerRun
    // Each stream has its own order of packets, from its own first packet on.
    unsafe packets = .allocate(capacity: lap * count)
    for stream in 0..<count {
      let first = PullPath.firstPacket(ofSource: stream, lap: lap)
      for index in 0..<lap {
        unsafe packets.initializeElement(
          at: stream * lap + index, to: table.packets[(first + index) % lap])
      }
    }
    unsafe players = .allocate(capacity: count)
    for stream in 0..<count {
      guard
        let player = unsafe bare_player_make(
          packets.baseAddress! + stream * lap, lap, Int32(table.format.sampleRate),
          Int32(outputRate))
      else { throw BenchmarkFailure("\(table.name): libmpg123 or soxr refuses it") }
      unsafe players.initializeElement(at: stream, to: player)
    }
  }

  deinit {
    for index in unsafe 0..<players.count { unsafe bare_player_free(players[index]) }
    unsafe players.deallocate()
    unsafe packets.deallocate()
  }

  func run() -> Timing {
    let (players, period) = unsafe (self.players, self.period)
    let time = Timing.of {
      for _ in 0..<cyclesPerRun {
        for index in unsafe 0..<players.count { unsafe bare_player_run(players[index], period) }
      }
    }
    return Timing(nanoseconds: time)
  }
}
