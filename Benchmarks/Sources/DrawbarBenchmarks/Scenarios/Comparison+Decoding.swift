// SPDX-License-Identifier: MIT

internal import AudioModel
internal import BarePeers
internal import RenderCore

extension Plan {
  /// The plan for decoding a file's packets.
  static func decoding(_ path: String) -> Plan {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let name = "decode-" + (file.split(separator: ".").first.map(String.init) ?? file)
    return Plan(name: name) { () throws(BenchmarkFailure) in
      try Comparison.decoding(PacketTable(path: path), name: name)
    }
  }
}

extension Comparison {
  /// Packets to one buffer of floats for each channel: through the converter of the render callback or the
  /// decoder that runs ahead, as the engine chooses by format, against the same library in a C loop.
  static func decoding(_ table: PacketTable, name: String) throws(BenchmarkFailure) -> Comparison {
    let library = CallbackCodec.library(for: table.format.formatID)
    let path: any DecodePath =
      if library != nil { try ConverterPath(table) } else { try AheadPath(table) }
    let packets = path.packetsPerRun
    let bare = try BareCodec(table, packets: packets)
    return Comparison(
      name: name, input: "\(table.name), \(table.format.formatID.name)", operations: packets,
      operation: "packet", maximumRounds: 20,
      baseline: Scenario(bare.name) { bare.run(packets: packets, rewinds: path.rewinds) },
      subject: Scenario(path.name) { path.run() },
      objection: {
        path.objection ?? (bare.plays(as: path) ? nil : "the two sides decode to different sound")
      })
  }
}

/// The engine's side of a decoding comparison.
protocol DecodePath {
  /// The name in the report.
  var name: String { get }
  var packetsPerRun: Int { get }
  /// Whether each run begins with a reset decoder.
  var rewinds: Bool { get }
  var objection: String? { get }
  /// Decodes all packets once.
  func run() -> Timing
  /// The last packet's frames, and a channel of them.
  var lastFrames: Int { get }
  func lastSample(_ channel: Int, _ frame: Int) -> Float
}

/// The number of packets decoded between two readings of the clock, which take longer than a short packet.
enum DecodeBatch {
  static let packets = 32
}
