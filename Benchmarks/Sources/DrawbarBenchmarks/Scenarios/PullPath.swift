// SPDX-License-Identifier: MIT

internal import AudioModel
internal import BarePeers
internal import RenderCore

/// The whole pull path with public calls only: packets into the rings of a renderer's sources, frames out of
/// the render entry, period by period.
///
/// Both ends run on one thread, so the figures exclude the cost of moving cache lines between two
/// processors.
@safe
final class PullPath {
  /// The parameters of a pull path.
  struct Configuration {
    /// The number of packets of each source in one run.
    var packetsPerRun: Int
    var period: Int
    /// The output's frames per second; nil for the file's own.
    var outputRate: Int?
    /// Each source's volume. The sources begin at packets that are far apart.
    var volumes: [Float] = [1]
    /// The number of packets fed together and then rendered. The clock is read only around a batch, so reading
    /// it costs hardly anything.
    var batch = PullPath.batch
    var ringBytes = 2 << 20
    /// The number of packets of the table that are repeated; nil for those of a run.
    var lap: Int?
  }

  static let batch = 32
  /// The number of packets in the ring beyond those of the current batch.
  private static let lead = 4

  let output: PlanarOutput
  let context: RenderContext
  private let configuration: Configuration
  private let inputRate: Int
  private let outputRate: Int
  private let renderer: Renderer
  private let sources: [PullSource]
  /// Output frames fed but not rendered yet, beyond the lead, times the file's rate.
  private var scaledFramesDue = 0
  private var frameTime: UInt32 = 0

  init(_ table: PacketTable, _ configuration: Configuration) throws(BenchmarkFailure) {
    self.configuration = configuration
    inputRate = Int(table.format.sampleRate)
    outputRate = configuration.outputRate ?? inputRate
    renderer = Renderer(sampleRate: Double(outputRate), outputChannels: table.channels)
    context = renderer.context
    unsafe output = PlanarOutput(channels: table.channels, frames: configuration.period)
    let lap = configuration.lap ?? configuration.packetsPerRun
    var sources: [PullSource] = []
    for (index, volume) in configuration.volumes.enumerated() {
      let source = try PullSource(
        renderer.addSource(ringBytes: configuration.ringBytes), table, lap: lap,
        first: Self.firstPacket(ofSource: index, lap: lap))
      source.control.volume = volume
      source.write(Self.lead)
      sources.append(source)
    }
    self.sources = sources
  }

  /// The packet of the table that a source begins with.
  static func firstPacket(ofSource index: Int, lap: Int) -> Int { index * 37 % lap }

  /// Runs once.
  func run() -> Timing {
    var feedNanoseconds: UInt64 = 0
    var renderNanoseconds: UInt64 = 0
    for _ in 0..<configuration.packetsPerRun / configuration.batch {
      let start = bare_thread_nanoseconds()
      let count = feed()
      let written = bare_thread_nanoseconds()
      render(count)
      renderNanoseconds += bare_thread_nanoseconds() - written
      feedNanoseconds += written - start
    }
    return Timing(
      nanoseconds: feedNanoseconds + renderNanoseconds, feedNanoseconds: feedNanoseconds)
  }

  /// Runs once, and times only the cycles.
  ///
  /// - Parameter render: renders one cycle.
  @inline(__always)
  func runCycles(_ render: (RenderCycle) -> Void) -> Timing {
    var nanoseconds: UInt64 = 0
    for _ in 0..<configuration.packetsPerRun / configuration.batch {
      let count = feed()
      nanoseconds += Timing.of { cycles(count, render) }
    }
    return Timing(nanoseconds: nanoseconds)
  }

  /// The number of cycles in one run, rounded.
  func cyclesPerRun(framesPerPacket: Int) -> Int {
    configuration.packetsPerRun * framesPerPacket * outputRate
      / (inputRate * configuration.period)
  }

  /// Writes one batch to every ring.
  ///
  /// - Returns: the number of cycles that render it, rounded down.
  private func feed() -> Int {
    var frames = 0
    for source in sources { frames = source.write(configuration.batch) }
    scaledFramesDue += frames * outputRate
    let (count, rest) = scaledFramesDue.quotientAndRemainder(
      dividingBy: configuration.period * inputRate)
    scaledFramesDue = rest
    return count
  }

  private func render(_ count: Int) {
    let (context, buffers) = unsafe (context, output.buffers)
    cycles(count) { cycle in unsafe context.render(cycle, into: buffers) }
  }

  @inline(__always)
  private func cycles(_ count: Int, _ render: (RenderCycle) -> Void) {
    let period = configuration.period
    var time = frameTime
    for _ in 0..<count {
      render(RenderCycle(frameCount: period, frameTime: time, hostNanoseconds: 1))
      time &+= UInt32(period)
    }
    frameTime = time
  }

  /// The reason why the figures are invalid, or nil.
  var objection: String? { sources.lazy.compactMap(\.objection).first }
}
