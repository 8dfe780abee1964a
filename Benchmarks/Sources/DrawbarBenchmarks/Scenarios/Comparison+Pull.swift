// SPDX-License-Identifier: MIT

internal import BarePeers

extension Comparison {
  /// The pull path at the file's own rate against libmpg123 and a loop that writes its samples.
  static func pull(_ table: PacketTable, period: Int) throws(BenchmarkFailure) -> Comparison {
    let packets = unsafe table.packets.count / PullPath.batch * PullPath.batch
    let bare = try BareDecoder(table, packetsPerRun: packets)
    let path = try PullPath(
      table, PullPath.Configuration(packetsPerRun: packets, period: period))
    return Comparison(
      name: "pull-\(period)", input: table.name, operations: packets, operation: "packet",
      baseline: Scenario("libmpg123 in C") { bare.run() },
      subject: Scenario("pull path") { path.run() }, objection: { path.objection })
  }
}

/// The C loop over a table's packets.
@safe
final class BareDecoder {
  private let table: PacketTable
  private let decoder: OpaquePointer
  private let packetsPerRun: Int

  init(_ table: PacketTable, packetsPerRun: Int) throws(BenchmarkFailure) {
    guard
      let decoder = unsafe bare_decoder_make(
        table.packets.baseAddress, packetsPerRun, Int32(table.channels))
    else {
      throw BenchmarkFailure("\(table.name): libmpg123 refuses the first packet")
    }
    self.table = table
    self.packetsPerRun = packetsPerRun
    unsafe self.decoder = decoder
  }

  deinit {
    unsafe bare_decoder_free(decoder)
  }

  /// Runs once, in the same batches as the pull path.
  func run() -> Timing {
    var total: UInt64 = 0
    for _ in 0..<packetsPerRun / PullPath.batch {
      total += Timing.of { _ = unsafe bare_decoder_run(decoder, PullPath.batch) }
    }
    return Timing(nanoseconds: total)
  }
}
