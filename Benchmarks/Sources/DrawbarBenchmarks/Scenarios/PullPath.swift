// SPDX-License-Identifier: MIT

internal import AudioModel
internal import BarePeers
internal import RenderCore

/// The whole pull path with public calls only: packets into a source's ring, frames out of the
/// render entry, period by period.
///
/// Both ends run on one thread, so what two processors would pay for handing cache lines to each
/// other is not in the figures.
@safe
final class PullPath {
  /// Packets that are fed in one go, then rendered. Times are taken around these, so that asking for
  /// the time costs next to nothing.
  static let batch = 32
  /// Packets in the ring beyond those about to be rendered.
  private static let lead = 4

  private let table: PacketTable
  private let packetsPerRun: Int
  private let outputRate: Int
  private let period: Int
  private let renderer: Renderer
  private let control: SourceControl
  private let feed: UnsafeMutablePointer<SourceFeed>
  private let outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  private var nextPacket = 0
  private var packetsFed: Int64 = 0
  /// Frames fed and not rendered yet, beyond the lead, times the file's rate.
  private var scaledFramesDue = 0
  private var frameTime: UInt32 = 0

  /// - Parameters:
  ///   - packetsPerRun: a multiple of ``batch``. A run gives the first so many packets of the table.
  ///   - outputRate: the output's frames per second; nil for the file's own.
  init(
    _ table: PacketTable, packetsPerRun: Int, period: Int, outputRate: Int? = nil
  ) throws(BenchmarkFailure) {
    self.table = table
    self.packetsPerRun = packetsPerRun
    self.period = period
    self.outputRate = outputRate ?? Int(table.format.sampleRate)
    renderer = Renderer(sampleRate: Double(self.outputRate), outputChannels: table.channels)
    unsafe outputs = .allocate(capacity: table.channels)
    for channel in 0..<table.channels {
      let samples = UnsafeMutablePointer<Float>.allocate(capacity: period)
      unsafe samples.initialize(repeating: 0, count: period)
      unsafe outputs.initializeElement(at: channel, to: samples)
    }
    let source = renderer.addSource()
    control = source.control
    unsafe feed = .allocate(capacity: 1)
    unsafe feed.initialize(to: source.feed)
    do throws(AudioConverterError) {
      let first = unsafe table.packets[0]
      _ = try unsafe feed.pointee.beginStream(
        CodedStreamDescription(format: table.format),
        firstPacket: UnsafeRawBufferPointer(start: first.bytes, count: first.count),
        joinsPrevious: false)
    } catch {
      throw BenchmarkFailure("\(table.name): \(error)")
    }
    control.mode = .play
    write(Self.lead)
  }

  deinit {
    unsafe feed.deinitialize(count: 1)
    unsafe feed.deallocate()
    for channel in 0..<table.channels { unsafe outputs[channel].deallocate() }
    unsafe outputs.deallocate()
  }

  /// One run.
  func run() -> Timing {
    var feedNanoseconds: UInt64 = 0
    var renderNanoseconds: UInt64 = 0
    for _ in 0..<packetsPerRun / Self.batch {
      let start = bare_thread_nanoseconds()
      write(Self.batch)
      let written = bare_thread_nanoseconds()
      render()
      renderNanoseconds += bare_thread_nanoseconds() - written
      feedNanoseconds += written - start
    }
    return Timing(
      nanoseconds: feedNanoseconds + renderNanoseconds, feedNanoseconds: feedNanoseconds)
  }

  private func write(_ count: Int) {
    let feed = unsafe self.feed
    let frames = table.framesPerPacket
    let duration = UInt64(Double(frames) * 1_000_000_000 / table.format.sampleRate)
    for _ in 0..<count {
      let packet = unsafe table.packets[nextPacket]
      nextPacket = nextPacket + 1 == packetsPerRun ? 0 : nextPacket + 1
      let isWritten = unsafe feed.pointee.write(
        packet: UnsafeRawBufferPointer(start: packet.bytes, count: packet.count),
        history: PacketHistory(
          generation: 0, packetIndex: packetsFed, firstFrame: packetsFed &* Int64(frames),
          frameCount: Int32(frames), trimStartFrames: 0, trimEndFrames: 0, byteOffset: 0,
          durationNanoseconds: duration))
      precondition(isWritten, "the ring holds more than one batch")
      packetsFed += 1
    }
  }

  /// Renders one batch, to the nearest whole period below.
  private func render() {
    scaledFramesDue += Self.batch * table.framesPerPacket * outputRate
    let scaledPeriod = period * Int(table.format.sampleRate)
    let context = renderer.context
    while scaledFramesDue >= scaledPeriod {
      scaledFramesDue -= scaledPeriod
      unsafe context.render(
        RenderCycle(frameCount: period, frameTime: frameTime, hostNanoseconds: 1), into: outputs)
      frameTime &+= UInt32(period)
    }
  }

  /// Why the figures are not of an undisturbed path.
  var objection: String? {
    let counters = control.counters
    if counters.underruns > 0 { return "the ring ran dry \(counters.underruns) times" }
    if counters.silentFrames > 0 { return "\(counters.silentFrames) frames were silence" }
    // Each lap's first packets lean on the last lap's, which are of another place in the file.
    let laps = packetsFed / Int64(packetsPerRun) + 1
    if counters.failedPackets > UInt64(3 * laps) {
      return "\(counters.failedPackets) of \(counters.packets) packets could not be decoded"
    }
    return nil
  }
}
