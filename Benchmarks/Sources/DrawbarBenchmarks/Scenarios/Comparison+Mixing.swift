// SPDX-License-Identifier: MIT

internal import AudioModel
internal import BarePeers
internal import RenderCore

extension Comparison {
  /// Prepared samples in the rings of several sources, each with its own volume, mixed into two outputs,
  /// against a loop that multiplies and adds the same samples. Filling is not timed on either side.
  static func mixing(_ table: PacketTable, sources: Int) throws(BenchmarkFailure) -> Comparison {
    let work = try MixingWork(table, sources: sources)
    return Comparison(
      name: "mix-\(sources)", input: "\(sources) of \(table.name), \(MixingWork.period) frames",
      operations: work.framesPerRun, operation: "frame",
      baseline: Scenario("multiply-add in C") { work.mixBare() },
      subject: Scenario("render entry") { work.mix() }, objection: { work.objection })
  }
}

@safe
private final class MixingWork {
  static let period = 256
  private static let batch = 8

  let framesPerRun: Int
  private let table: PacketTable
  private let sources: Int
  private let packetsPerRun: Int
  private let framesPerBatch: Int
  private let path: PullPath
  private let mixer: OpaquePointer

  init(_ table: PacketTable, sources: Int) throws(BenchmarkFailure) {
    self.table = table
    self.sources = sources
    // The last packet of a file may be a short one.
    packetsPerRun = unsafe (table.packets.count - 1) / Self.batch * Self.batch
    let framesPerPacket = unsafe table.packets[0].frames
    framesPerBatch = Self.batch * framesPerPacket
    framesPerRun = packetsPerRun * framesPerPacket
    guard table.channels == 2, table.format.bytesPerFrame == 8, framesPerBatch % Self.period == 0
    else { throw BenchmarkFailure("\(table.name): not stereo floats") }
    // Different volumes, none of them 1, which needs no multiplication.
    let volumes = (0..<sources).map { Float($0 + 1) / Float(2 * sources) }
    path = try PullPath(
      table,
      PullPath.Configuration(
        packetsPerRun: packetsPerRun, period: Self.period, volumes: volumes, batch: Self.batch,
        ringBytes: 128 << 10))
    guard let mixer = unsafe bare_mixer_make(sources, volumes, framesPerBatch) else {
      throw BenchmarkFailure("no memory")
    }
    unsafe self.mixer = mixer
  }

  deinit {
    unsafe bare_mixer_free(mixer)
  }

  func mix() -> Timing {
    let (context, buffers) = unsafe (path.context, path.output.buffers)
    return path.runCycles { cycle in unsafe context.render(cycle, into: buffers) }
  }

  func mixBare() -> Timing {
    var total: UInt64 = 0
    for first in stride(from: 0, to: packetsPerRun, by: Self.batch) {
      for source in 0..<sources {
        var packet = PullPath.firstPacket(ofSource: source, lap: packetsPerRun) + first
        var frames = 0
        for _ in 0..<Self.batch {
          let next = unsafe table.packets[packet % packetsPerRun]
          unsafe bare_mixer_fill(mixer, source, frames, next.bytes, next.frames)
          unsafe frames += next.frames
          packet += 1
        }
      }
      total += Timing.of { unsafe bare_mixer_run(mixer, framesPerBatch, Self.period) }
    }
    return Timing(nanoseconds: total)
  }

  /// The reason if the outputs differ. Both sides have mixed the same number of runs, so their periods match.
  var objection: String? {
    if let objection = path.objection { return objection }
    for channel in 0..<2 {
      guard let bare = unsafe bare_mixer_output(mixer, Int32(channel)) else { continue }
      for frame in 0..<Self.period {
        guard unsafe path.output.buffers[channel][frame] == bare[frame] else {
          return "the two sides mix to different sound"
        }
      }
    }
    return nil
  }
}
