// SPDX-License-Identifier: MIT

import AudioConversion
import AudioModel
import TestKit

@testable import PushQueue

/// A file's packets one by one, as they are enqueued.
struct QueuedFile {
  var packets: [[UInt8]]
  var stream: CodedStreamDescription
  /// The priming, valid and remainder frames of the decode, if the file states them.
  let table: AudioFilePacketTableInfo?

  /// One of the fixtures.
  init(_ name: String) throws { try self.init(path: Fixtures.path(name)) }

  init(path: String) throws {
    let file = try PacketFile(path: path)
    packets = file.packets
    stream = file.stream
    table = file.tableInfo
  }

  /// Returns the converter's decode of all packets, as floats, from one call.
  func decoded() throws -> [Float] {
    let converter = try AudioConverter(
      decoding: stream,
      to: .linearPCM(
        sampleRate: 0, channels: stream.format.channelsPerFrame, bitsPerChannel: 32,
        flags: [.float, .packed]))
    var result: [Float] = []
    var chunk = [Float](repeating: 0, count: 4096 * Int(stream.format.channelsPerFrame))
    var next = 0
    while true {
      var span = chunk.mutableSpan
      let fill = converter.fill(&span) { _ in
        guard next < packets.count else { return .endOfStream }
        next += 1
        return .packets(.init(packets[next - 1], count: 1))
      }
      result += chunk[..<(fill.packetCount * Int(stream.format.channelsPerFrame))]
      guard case .complete = fill.status else { return result }
    }
  }

  /// Returns a buffer of a queue with a run of packets.
  func buffer(_ range: Range<Int>, of queue: AudioQueue) throws -> AudioQueueBuffer {
    let buffer = try queue.allocateBuffer(
      byteCapacity: packets[range].reduce(0) { $0 + $1.count },
      packetDescriptionCapacity: range.count)
    for packet in packets[range] { buffer.append(packet: packet.span) }
    return buffer
  }
}
