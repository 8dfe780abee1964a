// SPDX-License-Identifier: MIT

internal import AudioModel
internal import BarePeers
internal import RenderCore

/// One source of a renderer, fed with a table's packets repeatedly.
@safe
final class PullSource {
  let control: SourceControl
  private let table: PacketTable
  private let feed: UnsafeMutablePointer<SourceFeed>
  /// The number of the table's packets in a lap.
  private let lap: Int
  private var nextPacket: Int
  private var packetsFed: Int64 = 0
  private var framesFed: Int64 = 0

  /// Creates a source that plays.
  ///
  /// - Parameter first: the index of its first packet in the table.
  init(
    _ source: consuming RenderSource, _ table: PacketTable, lap: Int, first: Int
  ) throws(BenchmarkFailure) {
    self.table = table
    self.lap = lap
    nextPacket = first
    control = source.control
    unsafe feed = .allocate(capacity: 1)
    unsafe feed.initialize(to: source.feed)
    do throws(AudioConverterError) {
      let packet = unsafe table.packets[first]
      _ = try unsafe feed.pointee.beginStream(
        CodedStreamDescription(format: table.format),
        firstPacket: UnsafeRawBufferPointer(start: packet.bytes, count: packet.count),
        joinsPrevious: false)
    } catch {
      throw BenchmarkFailure("\(table.name): \(error)")
    }
    control.mode = .play
  }

  deinit {
    unsafe feed.deinitialize(count: 1)
    unsafe feed.deallocate()
  }

  /// Writes the next `count` packets to the ring.
  ///
  /// - Returns: their number of frames.
  @discardableResult
  func write(_ count: Int) -> Int {
    let feed = unsafe self.feed
    let nanosecondsPerFrame = 1_000_000_000 / table.format.sampleRate
    let before = framesFed
    for _ in 0..<count {
      let packet = unsafe table.packets[nextPacket]
      nextPacket = nextPacket + 1 == lap ? 0 : nextPacket + 1
      let isWritten = unsafe feed.pointee.write(
        packet: UnsafeRawBufferPointer(start: packet.bytes, count: packet.count),
        metadata: PacketMetadata(
          flushSerial: 0, packetIndex: packetsFed, firstFrame: framesFed,
          frameCount: Int32(packet.frames), trimStartFrames: 0, trimEndFrames: 0, byteOffset: 0,
          durationNanoseconds: UInt64(Double(packet.frames) * nanosecondsPerFrame)))
      precondition(isWritten, "the ring holds more than one batch")
      packetsFed += 1
      unsafe framesFed += Int64(packet.frames)
    }
    return Int(framesFed - before)
  }

  /// The reason why the figures are invalid, or nil.
  var objection: String? {
    let counters = control.counters
    if counters.underruns > 0 { return "the ring ran dry \(counters.underruns) times" }
    if counters.silentFrames > 0 { return "\(counters.silentFrames) frames were silence" }
    // Each lap's first packets depend on the previous lap's last ones, which are from another part of the file.
    let laps = packetsFed / Int64(lap) + 1
    if counters.failedPackets > UInt64(3 * laps) {
      return "\(counters.failedPackets) of \(counters.packets) packets could not be decoded"
    }
    return nil
  }
}
