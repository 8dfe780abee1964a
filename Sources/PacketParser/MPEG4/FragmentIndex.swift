// SPDX-License-Identifier: MIT

/// An index of the fragments seen. It stores every n-th fragment and doubles n when it is full, so
/// memory is bounded. It covers the packets from the first one on without a gap.
struct FragmentIndex {
  struct Entry {
    var firstPacket: Int64
    var firstFrame: Int64
    /// The stream offset of the fragment.
    var byteOffset: Int64
  }

  static let maximumEntries = 1 << 14

  private(set) var entries: [Entry] = []
  private(set) var packetCount: Int64 = 0
  private(set) var frameCount: Int64 = 0
  private var seen = 0
  private var stride = 1

  /// Creates an index of fragments that follow packets and frames listed in another table.
  init(packetCount: Int64 = 0, frameCount: Int64 = 0) {
    self.packetCount = packetCount
    self.frameCount = frameCount
  }

  /// Adds a fragment if it begins where the index ends.
  mutating func add(_ entry: Entry, packets: Int64, frames: Int64) {
    guard entry.firstPacket == packetCount else { return }
    if seen % stride == 0 {
      if entries.count == Self.maximumEntries {
        stride *= 2
        entries = Swift.stride(from: 0, to: entries.count, by: 2).map { entries[$0] }
      }
      if seen % stride == 0 { entries.append(entry) }
    }
    seen += 1
    packetCount += packets
    frameCount = min(entry.firstFrame + frames, 1 << 60)
  }

  /// Returns the last entry at or before this packet.
  func entry(ofPacket packet: Int64) -> Entry? {
    guard packet >= 0, packet < packetCount else { return nil }
    return last { $0.firstPacket <= packet }
  }

  func entry(atFrame frame: Int64) -> Entry? {
    guard frame >= 0, frame < frameCount else { return nil }
    return last { $0.firstFrame <= frame }
  }

  private func last(_ holds: (Entry) -> Bool) -> Entry? {
    var low = 0
    var end = entries.count
    while low < end {
      let middle = low + (end - low) / 2
      if holds(entries[middle]) { low = middle + 1 } else { end = middle }
    }
    return low > 0 ? entries[low - 1] : nil
  }
}

/// The segments that the stream lists (`sidx`, ISO/IEC 14496-12 section 8.16.3).
struct SegmentIndex {
  struct Entry {
    /// The time in units of `unitsPerSecond`, from the first segment's beginning.
    var time: Int64
    var byteOffset: Int64
  }

  static let maximumEntries = 1 << 16

  var unitsPerSecond: Int64 = 1
  private(set) var entries: [Entry] = []
  /// The end of the last segment, in time and bytes.
  private(set) var endTime: Int64 = 0
  private(set) var endByte: Int64 = 0
  /// The byte offset at which the first segment ends.
  var firstEndByte: Int64 { entries.count > 1 ? entries[1].byteOffset : endByte }

  init(unitsPerSecond: Int64, firstByte: Int64) {
    self.unitsPerSecond = unitsPerSecond
    endByte = firstByte
  }

  mutating func append(byteCount: Int64, duration: Int64) {
    guard entries.count < Self.maximumEntries, endByte < 1 << 60, endTime < 1 << 60 else { return }
    entries.append(Entry(time: endTime, byteOffset: endByte))
    endByte += byteCount
    endTime += duration
  }

  /// Returns the segment at a time, in the index's units, and the time of the next segment.
  func segment(at time: Int64) -> (entry: Entry, endTime: Int64)? {
    guard time >= 0, time < endTime else { return nil }
    var low = 0
    var end = entries.count
    while low < end {
      let middle = low + (end - low) / 2
      if entries[middle].time <= time { low = middle + 1 } else { end = middle }
    }
    guard low > 0 else { return nil }
    return (entries[low - 1], low < entries.count ? entries[low].time : endTime)
  }
}
