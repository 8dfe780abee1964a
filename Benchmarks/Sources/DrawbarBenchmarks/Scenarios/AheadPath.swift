// SPDX-License-Identifier: MIT

internal import AudioModel
internal import BarePeers
internal import PacketDecoders

@testable internal import RenderCore

/// The decoder that runs ahead of the callback, and the channel map that makes its frames planar.
@safe
final class AheadPath: DecodePath {
  let name = "decoder ahead"
  let rewinds = true
  let packetsPerRun: Int
  private(set) var lastFrames = 0
  private let table: PacketTable
  private let decoder: AheadDecoder
  private let mapping: UnsafeMutablePointer<ChannelMap>
  private let output: PlanarOutput
  private var failed = 0

  init(_ table: PacketTable) throws(BenchmarkFailure) {
    self.table = table
    packetsPerRun = unsafe table.packets.count / DecodeBatch.packets * DecodeBatch.packets
    do throws(AheadDecoderError) {
      decoder = try AheadDecoder(table.stream)
    } catch {
      throw BenchmarkFailure("\(table.name): \(error)")
    }
    let layout = table.stream.layout
    unsafe mapping = .allocate(capacity: 1)
    unsafe mapping.initialize(
      to: ChannelMap(inputs: table.channels, outputs: table.channels, layout: layout))
    // Spectral band replication doubles the frames.
    unsafe output = PlanarOutput(
      channels: table.channels, frames: 2 * (table.packets.map(\.frames).max() ?? 0))
  }

  deinit {
    unsafe mapping.deinitialize(count: 1)
    unsafe mapping.deallocate()
  }

  func run() -> Timing {
    decoder.reset()
    var total: UInt64 = 0
    for first in stride(from: 0, to: packetsPerRun, by: DecodeBatch.packets) {
      total += Timing.of { decode(first..<first + DecodeBatch.packets) }
    }
    return Timing(nanoseconds: total)
  }

  private func decode(_ range: Range<Int>) {
    let decoder = decoder
    let (packets, mapping, buffers) = unsafe (table.packets, self.mapping, output.buffers)
    for index in range {
      let packet = unsafe packets[index]
      let decoded = unsafe decoder.decode(
        Span(_unsafeStart: packet.bytes, count: packet.count), frameCount: packet.frames)
      lastFrames = decoded.frames
      if !decoded.isDecoded { failed += 1 }
      guard decoded.frames > 0 else { continue }
      let samples = decoder.samples
      unsafe samples.withUnsafeBufferPointer { samples in
        unsafe mapping.pointee.write(
          samples.baseAddress!, frames: decoded.frames, to: buffers, at: 0)
      }
    }
  }

  func lastSample(_ channel: Int, _ frame: Int) -> Float { unsafe output.buffers[channel][frame] }

  var objection: String? {
    failed > 0 ? "\(failed) packets could not be decoded" : nil
  }
}
