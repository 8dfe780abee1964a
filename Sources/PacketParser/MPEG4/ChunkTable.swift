// SPDX-License-Identifier: MIT

/// The byte offsets of a track's chunks (`stco` and `co64`, ISO/IEC 14496-12 section 8.7.5) and their
/// numbers of samples (`stsc`, section 8.7.4).
struct ChunkTable {
  /// Consecutive chunks with the same number of samples and the same sample entry.
  struct Run {
    /// The first chunk's number, from 0.
    var firstChunk: Int
    var samplesPerChunk: UInt32
    var entry: UInt32
  }

  private(set) var runs: [Run] = []
  private var narrow: [UInt32] = []
  private var wide: [UInt64] = []
  /// Whether the numbers of the runs' first chunks fail to rise.
  private(set) var isContradictory = false

  /// The sample entries of existing chunks, in their order.
  var usedEntries: [UInt32] {
    var entries: [UInt32] = []
    for run in runs where run.samplesPerChunk > 0 && run.firstChunk < count {
      if !entries.contains(run.entry), entries.count < TrackDraft.maximumEntries {
        entries.append(run.entry)
      }
    }
    return entries
  }

  /// The number of chunks.
  var count: Int { narrow.isEmpty ? wide.count : narrow.count }

  /// Returns the stream offset of a chunk.
  func offset(_ chunk: Int) -> Int64 {
    narrow.isEmpty ? Int64(clamping: wide[chunk]) : Int64(narrow[chunk])
  }

  mutating func append(offset: UInt32) { narrow.append(offset) }
  mutating func append(offset: UInt64) { wide.append(offset) }

  mutating func append(firstChunk: UInt32, samplesPerChunk: UInt32, entry: UInt32) {
    guard firstChunk > 0, Int(firstChunk) - 1 > runs.last?.firstChunk ?? -1 else {
      isContradictory = true
      return
    }
    runs.append(
      Run(firstChunk: Int(firstChunk) - 1, samplesPerChunk: samplesPerChunk, entry: entry))
  }
}
