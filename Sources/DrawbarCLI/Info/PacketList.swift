// SPDX-License-Identifier: MIT

/// The packets of a stream, in order: number, first frame, byte offset and size. Adjacent packets of one size take no
/// more memory than one.
struct PacketList: Sequence {
  /// One packet.
  struct Packet {
    var index: Int64
    /// Frames from the start of the stream to the packet's first frame.
    var frame: Int64
    /// Bytes from the start of the stream to the packet; in Ogg, to the page that it begins in.
    var byteOffset: Int64
    var byteCount: Int64
  }

  private struct Run {
    var first: Packet
    var framesPerPacket: Int64
    var count: Int64

    func packet(_ place: Int64) -> Packet {
      Packet(
        index: first.index + place, frame: first.frame &+ place &* framesPerPacket,
        byteOffset: first.byteOffset + place * first.byteCount, byteCount: first.byteCount)
    }
  }

  private var runs: [Run] = []

  /// Adds adjacent packets of one size and duration.
  mutating func append(_ first: Packet, framesPerPacket: Int64, count: Int64) {
    if let last = runs.last, last.framesPerPacket == framesPerPacket {
      let next = last.packet(last.count)
      if next.index == first.index, next.frame == first.frame, next.byteOffset == first.byteOffset,
        next.byteCount == first.byteCount
      {
        runs[runs.count - 1].count += count
        return
      }
    }
    runs.append(Run(first: first, framesPerPacket: framesPerPacket, count: count))
  }

  mutating func removeAll() {
    runs.removeAll(keepingCapacity: true)
  }

  func makeIterator() -> AnyIterator<Packet> {
    var place: Int64 = 0
    var runIndex = 0
    return AnyIterator {
      guard runIndex < runs.count else { return nil }
      let packet = runs[runIndex].packet(place)
      place += 1
      if place == runs[runIndex].count {
        runIndex += 1
        place = 0
      }
      return packet
    }
  }
}
