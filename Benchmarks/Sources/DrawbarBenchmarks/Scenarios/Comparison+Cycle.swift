// SPDX-License-Identifier: MIT

internal import BarePeers

@testable internal import RenderCore

extension Comparison {
  /// The render entry without a source, against memset of the two buffers.
  static func emptyCycle(period: Int) -> Comparison {
    let work = EmptyCycles(period: period)
    return Comparison(
      name: "render-empty-\(period)", input: "two outputs", operations: EmptyCycles.perRun,
      operation: "cycle", baseline: Scenario("memset") { work.fill() },
      subject: Scenario("render entry") { work.render() })
  }

  /// The cost of a cycle's record, added to a cycle that decodes and resamples.
  static func telemetry(
    _ table: PacketTable, outputRate: Int, period: Int
  ) throws(BenchmarkFailure) -> Comparison {
    // The added cost is less than the disturbance by other programs in a long run, so runs are short.
    let lap = unsafe table.packets.count / PullPath.batch * PullPath.batch
    let path = try PullPath(
      table,
      PullPath.Configuration(
        packetsPerRun: PullPath.batch, period: period, outputRate: outputRate, lap: lap))
    let log = CycleLog()
    let (context, buffers) = unsafe (path.context, path.output.buffers)
    return Comparison(
      name: "telemetry-mp3", input: "\(table.name) to \(outputRate) Hz, \(period) frames",
      operations: path.cyclesPerRun(framesPerPacket: table.framesPerPacket), operation: "cycle",
      roundsForOne: 40,
      baseline: Scenario("no record") {
        path.runCycles { cycle in unsafe context.render(cycle, into: buffers) }
      },
      subject: Scenario("record") {
        let storage = log.storage
        return path.runCycles { cycle in
          unsafe context.render(cycle, into: buffers, recordingIn: storage)
        }
      }, objection: { path.objection })
  }

  /// The same for a cycle without a source, which does hardly anything else.
  static func telemetryOfSilence(period: Int) -> Comparison {
    let work = EmptyCycles(period: period)
    return Comparison(
      name: "telemetry-silent", input: "two outputs, \(period) frames",
      operations: EmptyCycles.perRun, operation: "cycle", roundsForOne: 10,
      baseline: Scenario("no record") { work.render() },
      subject: Scenario("record") { work.renderRecorded() })
  }
}

extension RenderContext {
  /// Renders a cycle with its record as an output's callback does, except for the calls to the server.
  @inline(__always)
  fileprivate func render(
    _ cycle: RenderCycle, into buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>,
    recordingIn log: CycleLogStorage
  ) {
    var recorder = CycleRecorder()
    recorder.facts.frameTime = cycle.frameTime
    recorder.facts.frameCount = UInt32(cycle.frameCount)
    unsafe render(cycle, into: buffers)
    recorder.facts.takeWork(of: self)
    recorder.finish(in: log)
  }
}

/// Cycles of a renderer without a source.
@safe
private final class EmptyCycles {
  static let perRun = 1 << 16

  private let period: Int
  private let renderer: Renderer
  private let output: PlanarOutput
  private let log = CycleLog()

  init(period: Int) {
    self.period = period
    renderer = Renderer(sampleRate: 48000, outputChannels: 2)
    output = PlanarOutput(channels: 2, frames: period)
  }

  func fill() -> Timing {
    let buffers = unsafe output.buffers
    let time = Timing.of { unsafe bare_silence(buffers[0], buffers[1], period, Self.perRun) }
    return Timing(nanoseconds: time)
  }

  func render() -> Timing {
    let (context, buffers) = unsafe (renderer.context, output.buffers)
    let time = Timing.of { cycles { cycle in unsafe context.render(cycle, into: buffers) } }
    return Timing(nanoseconds: time)
  }

  func renderRecorded() -> Timing {
    let (context, buffers, storage) = unsafe (renderer.context, output.buffers, log.storage)
    let time = Timing.of {
      cycles { cycle in unsafe context.render(cycle, into: buffers, recordingIn: storage) }
    }
    return Timing(nanoseconds: time)
  }

  @inline(__always)
  private func cycles(_ render: (RenderCycle) -> Void) {
    for index in 0..<Self.perRun {
      render(
        RenderCycle(
          frameCount: period, frameTime: UInt32(truncatingIfNeeded: index &* period),
          hostNanoseconds: 1))
    }
  }
}
