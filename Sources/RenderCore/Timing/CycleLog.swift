// SPDX-License-Identifier: MIT

internal import CRealtimeScope
internal import Synchronization

/// The last cycles of an output, each with its times and its work. Only the output's callback writes it; other threads
/// read it without stopping the callback. Always on.
///
/// A log has ``capacity`` records; the oldest are overwritten. Each ``CycleLogReader`` reads them at its own pace and
/// counts the records that it has missed.
public final class CycleLog: Sendable {
  /// Records in the log: 2.7 seconds of cycles of 64 frames at 48 kHz, 0.7 of 16. A power of two.
  public static let capacity = 2048

  package let storage: CycleLogStorage
  private let scale = TickScale()

  /// Creates an empty log.
  package init() {
    drawbar_prepare_preemption_watch()
    storage = CycleLogStorage(capacity: Self.capacity)
  }

  deinit {
    storage.free()
  }

  /// Cycles that were recorded since the output was made.
  public var recordedCycles: UInt64 { storage.recordedCycles }

  /// Returns a reader of the records from now on, or from the oldest one that is still there.
  ///
  /// - Parameter isFromStart: whether it begins with the oldest one.
  public func reader(fromOldest isFromStart: Bool = false) -> CycleLogReader {
    let recorded = recordedCycles
    let oldest = recorded > UInt64(Self.capacity) ? recorded - UInt64(Self.capacity) : 0
    return CycleLogReader(self, next: isFromStart ? oldest : recorded)
  }

  /// - Returns: the record, or nil if it was overwritten.
  func record(_ index: UInt64) -> CycleRecord? {
    storage.words(at: index).map { $0.record(index, scale: scale) }
  }
}

/// A reader of the records of a ``CycleLog``, oldest first. One thread at a time.
public struct CycleLogReader: Sendable {
  private let log: CycleLog
  private var nextIndex: UInt64
  /// Cycles whose record was overwritten before it was read.
  public private(set) var lostRecords: UInt64 = 0

  init(_ log: CycleLog, next: UInt64) {
    self.log = log
    nextIndex = next
  }

  /// Returns the next record; nil if there is none yet. Does not wait.
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
