// SPDX-License-Identifier: MIT

internal import CRealtimeScope
internal import Synchronization

/// The last cycles of an output, each with its times and what it did: written by the output's callback
/// alone, and read by others without stopping it. Always on.
///
/// A log holds ``capacity`` records; the oldest are written over. Each ``CycleLogReader`` goes through them
/// at its own pace and says how many it came too late for.
public final class CycleLog: Sendable {
  /// Records that it holds: 2.7 seconds of cycles of 64 frames at 48 kHz, 0.7 of 16. A power of two.
  public static let capacity = 2048

  package let storage: CycleLogStorage
  private let scale = TickScale()

  /// An empty log.
  package init() {
    drawbar_prepare_preemption_watch()
    storage = CycleLogStorage(capacity: Self.capacity)
  }

  deinit {
    storage.free()
  }

  /// Cycles that were recorded since the output was made.
  public var recordedCycles: UInt64 { storage.recordedCycles }

  /// Reads the records from now on, or from the oldest one that is still there.
  ///
  /// - Parameter isFromStart: from the oldest one.
  public func reader(fromOldest isFromStart: Bool = false) -> CycleLogReader {
    let recorded = recordedCycles
    let oldest = recorded > UInt64(Self.capacity) ? recorded - UInt64(Self.capacity) : 0
    return CycleLogReader(self, next: isFromStart ? oldest : recorded)
  }

  /// - Returns: the record, or nil when it was written over.
  func record(_ index: UInt64) -> CycleRecord? {
    storage.words(at: index).map { $0.record(index, scale: scale) }
  }
}

/// Goes through the records of a ``CycleLog``, oldest first. One thread at a time.
public struct CycleLogReader: Sendable {
  private let log: CycleLog
  private var nextIndex: UInt64
  /// Cycles of which the record was written over before it was read.
  public private(set) var lostRecords: UInt64 = 0

  init(_ log: CycleLog, next: UInt64) {
    self.log = log
    nextIndex = next
  }

  /// The next record; nil when there is none yet. Does not wait.
  public mutating func next() -> CycleRecord? {
    while true {
      let recorded = log.recordedCycles
      if nextIndex >= recorded { return nil }
      if recorded - nextIndex > UInt64(CycleLog.capacity) {
        let oldest = recorded - UInt64(CycleLog.capacity)
        lostRecords += oldest - nextIndex
        nextIndex = oldest
      }
      defer { nextIndex += 1 }
      if let record = log.record(nextIndex) { return record }
      lostRecords += 1
    }
  }
}
