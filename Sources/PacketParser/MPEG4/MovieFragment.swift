// SPDX-License-Identifier: MIT

/// The samples of one track in one movie fragment (`moof`, ISO/IEC 14496-12 section 8.8.4).
struct MovieFragment {
  /// Consecutive samples (`trun`).
  struct Run {
    var byteOffset: Int64
    var count: Int64
    /// The common size and duration of the samples, or the table index of the first sample's.
    var size: Value
    var duration: Value
    /// The number of their sample entry, from 1.
    var entry: UInt32
  }

  enum Value {
    case common(UInt32)
    case table(Int)
  }

  /// The byte offset of the fragment.
  var start: Int64
  /// The decoding time of the first sample, in the media's units (`tfdt`).
  var baseTime: Int64?
  private(set) var runs: [Run] = []
  private(set) var sizes: [UInt32] = []
  private(set) var durations: [UInt32] = []
  private(set) var packetCount: Int64 = 0
  /// The duration of all samples, in the media's units.
  private(set) var duration: Int64 = 0

  /// The next packet's run, its number in that run, and its byte offset.
  private(set) var run = 0
  private(set) var index: Int64 = 0
  private(set) var byteOffset: Int64 = 0
  /// The next packet's number and time, both from the fragment's first packet.
  private(set) var packet: Int64 = 0
  private(set) var time: Int64 = 0

  init(start: Int64) {
    self.start = start
  }

  mutating func append(_ run: Run) {
    guard run.count > 0, run.count <= MPEG4Parser.maximumPackets,
      packetCount < MPEG4Parser.maximumPackets
    else { return }
    if runs.isEmpty { byteOffset = run.byteOffset }
    runs.append(run)
    packetCount += run.count
    switch run.duration {
    case .common(let duration):
      let (time, overflow) = run.count.multipliedReportingOverflow(by: Int64(duration))
      self.duration = min(1 << 60, self.duration + (overflow ? 1 << 60 : min(time, 1 << 60)))
    case .table(let first):
      for index in first..<first + Int(run.count) { duration += Int64(durations[index]) }
    }
  }

  mutating func append(size: UInt32) { sizes.append(size) }
  mutating func append(duration: UInt32) { durations.append(duration) }

  /// Whether all packets have been passed.
  var isDone: Bool { run >= runs.count }

  /// Packets of the same run from the next packet on.
  var left: Int64 { runs[run].count - index }

  /// The next packet's sample entry, from 1.
  var entry: UInt32 { runs[run].entry }

  /// The next packet's bytes and duration.
  var size: Int64 {
    switch runs[run].size {
    case .common(let size): Int64(size)
    case .table(let first): Int64(sizes[first + Int(index)])
    }
  }

  var packetDuration: Int64 {
    switch runs[run].duration {
    case .common(let duration): Int64(duration)
    case .table(let first): Int64(durations[first + Int(index)])
    }
  }

  /// Moves past the next packet.
  ///
  /// - Returns: whether the packet after it follows directly, with the same sample entry.
  @discardableResult
  mutating func advance() -> Bool {
    byteOffset += size
    time = min(time + packetDuration, 1 << 60)
    packet += 1
    index += 1
    if index < runs[run].count { return true }
    run += 1
    index = 0
    guard run < runs.count else { return false }
    let isNeighbour =
      byteOffset == runs[run].byteOffset && runs[run - 1].entry == runs[run].entry
    byteOffset = runs[run].byteOffset
    return isNeighbour
  }

  /// Moves past `count` packets of the same size and duration, no more than the run has.
  mutating func advance(by count: Int64) {
    let (time, overflow) = packetDuration.multipliedReportingOverflow(by: count - 1)
    self.time = overflow ? 1 << 60 : min(self.time + min(time, 1 << 60), 1 << 60)
    byteOffset += size * (count - 1)
    packet += count - 1
    index += count - 1
    advance()
  }

  /// Moves past empty packets.
  ///
  /// - Returns: their number, and their duration in the media's units.
  mutating func passEmptyPackets() -> (count: Int, duration: Int64) {
    var count = 0
    let start = time
    while !isDone, size == 0 {
      advance()
      count += 1
    }
    return (count, time - start)
  }

  /// Moves past the packets of the current run.
  ///
  /// - Returns: their bytes, and their duration in the media's units.
  mutating func passRun() -> (byteCount: Int64, duration: Int64) {
    let startTime = time
    var byteCount: Int64 = 0
    if case .common = runs[run].duration, case .common = runs[run].size {
      let product = left.multipliedReportingOverflow(by: size)
      byteCount = product.overflow ? .max : product.partialValue
      advance(by: left)
    } else {
      let current = run
      while !isDone, run == current {
        byteCount += size
        advance()
      }
    }
    return (byteCount, time - startTime)
  }

  /// Moves to a packet of the fragment, counted from its first one.
  mutating func advance(to packet: Int64) {
    rewind()
    while self.packet < packet {
      if case .common = runs[run].duration, case .common = runs[run].size {
        advance(by: min(left, packet - self.packet))
      } else {
        advance()
      }
    }
  }

  /// Moves back to the first packet.
  mutating func rewind() {
    (run, index, packet, time) = (0, 0, 0, 0)
    byteOffset = runs.first?.byteOffset ?? 0
  }
}

/// The header of a track's part of a fragment (`tfhd`, ISO/IEC 14496-12 section 8.8.7) with the defaults
/// of `trex`.
struct TrackFragmentHeader {
  var trackID: UInt32 = 0
  /// The byte offset of the next run's data, unless that run states its own.
  var nextByte: Int64
  /// The byte offset from which data offsets count.
  var base: Int64
  /// The number of the sample entry, from 1.
  var entry: UInt32 = 1
  var defaultSize: UInt32 = 0
  var defaultDuration: UInt32 = 0
}

/// A run of samples whose table is being read.
struct RunDraft {
  var byteOffset: Int64
  var count: Int64
  var hasDuration: Bool
  var hasSize: Bool
  var entryBytes: Int
  /// Bytes of the samples read so far.
  var byteCount: Int64 = 0
  /// The indices of its first sample in the fragment's tables.
  var firstSize: Int
  var firstDuration: Int
}
