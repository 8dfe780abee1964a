// SPDX-License-Identifier: MIT

import Glibc

/// A file with bytes of one stream, in blocks: any slot of the file may hold any block of the stream. When the
/// file may not grow, the oldest block is replaced, so that the newest bytes of an endless stream are kept.
///
///     stream   … │ 41 │ 42 │ 43 │ 44 │ 45 │ …        file   │ 44 │ 45 │ 42 │ 43 │
///                                                  next to be replaced ──╯
///
/// Removed with the last reference. One thread at a time.
final class SpoolFile {
  /// The bytes of the stream that the file holds.
  private(set) var ranges = DisjointRanges()

  private let directory: SpoolDirectory
  private let name: String
  private let descriptor: Int32
  private let maximumBytes: UInt64
  private let blockBytes: UInt64
  /// The block of the stream that each slot holds.
  private var blocks: [UInt64] = []
  private var slots: [UInt64: Int] = [:]
  /// The slot that is replaced next when none can be added.
  private var oldestSlot = 0
  /// The number of slots that the file may have.
  private var grantedSlots: UInt64 = 0

  /// Returns the size of a block: such that there are never more than 16,384, however large the limit is.
  static func blockBytes(maximumBytes: UInt64) -> UInt64 {
    max(64 << 10, ((maximumBytes >> 14) + 4095) & ~4095)
  }

  /// Creates an empty file.
  ///
  /// - Parameters:
  ///   - maximumBytes: the limit of this process's files in the directory.
  ///   - blockBytes: the size of a block.
  init(
    in directory: SpoolDirectory, maximumBytes: UInt64, blockBytes: UInt64
  ) throws(SpoolFailure) {
    (name, descriptor) = try directory.makeFile()
    self.directory = directory
    self.maximumBytes = maximumBytes
    self.blockBytes = blockBytes
  }

  deinit {
    directory.remove(name, descriptor)
    directory.takeBack(grantedSlots * blockBytes)
  }

  /// Makes sure that the stream's first `byteCount` bytes all have room.
  ///
  /// - Returns: false if they do not.
  func reserve(_ byteCount: UInt64) -> Bool {
    // No file is larger, and the sum would overflow.
    guard byteCount < 1 << 62 else { return false }
    let wanted = (byteCount + blockBytes - 1) / blockBytes
    guard wanted > grantedSlots else { return true }
    return grow(by: wanted - grantedSlots)
  }

  /// Writes bytes of the stream. Bytes without room are left out.
  ///
  /// - Throws: when they cannot be written. The file is then unusable.
  func write(_ bytes: UnsafeRawBufferPointer, at byteOffset: UInt64) throws(SpoolFailure) {
    // No stream is longer, but a server may claim so.
    guard byteOffset < 1 << 62 else { return }
    var done = 0
    while done < bytes.count {
      let place = byteOffset + UInt64(done)
      let block = place / blockBytes
      let inBlock = place % blockBytes
      let count = min(bytes.count - done, Int(blockBytes - inBlock))
      guard let slot = slots[block] ?? makeRoom(for: block) else { return }
      try unsafe write(
        UnsafeRawBufferPointer(rebasing: bytes[done..<(done + count)]),
        inFile: UInt64(slot) * blockBytes + inBlock)
      ranges.insert(place..<(place + UInt64(count)))
      done += count
    }
  }

  /// Reads bytes of the stream, as many as are contiguous in the file and fit.
  ///
  /// - Returns: their number; 0 if the file does not hold the first one.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at byteOffset: UInt64
  ) throws(SpoolFailure) -> Int {
    guard let range = ranges.range(containing: byteOffset),
      let slot = slots[byteOffset / blockBytes]
    else { return 0 }
    let inBlock = byteOffset % blockBytes
    let limit = min(range.upperBound - byteOffset, blockBytes - inBlock, UInt64(buffer.count))
    let place = UInt64(slot) * blockBytes + inBlock
    while true {
      let count = unsafe pread(descriptor, buffer.baseAddress!, Int(limit), off_t(place))
      if count > 0 { return count }
      if count < 0, errno == EINTR { continue }
      // At the end of the file: another program has shortened it.
      throw SpoolFailure(errno: count == 0 ? EIO : errno)
    }
  }

  /// Returns a slot for a block: a new one, else the oldest block's; nil if there is no slot.
  private func makeRoom(for block: UInt64) -> Int? {
    if UInt64(blocks.count) < grantedSlots || grow(by: 1) {
      slots[block] = blocks.count
      blocks.append(block)
      return blocks.count - 1
    }
    guard !blocks.isEmpty else { return nil }
    let slot = oldestSlot
    oldestSlot = (oldestSlot + 1) % blocks.count
    let old = blocks[slot]
    slots[old] = nil
    ranges.remove(old * blockBytes..<(old + 1) * blockBytes)
    slots[block] = slot
    blocks[slot] = block
    return slot
  }

  private func grow(by slotCount: UInt64) -> Bool {
    let (byteCount, isTooMuch) = slotCount.multipliedReportingOverflow(by: blockBytes)
    let present = grantedSlots * blockBytes
    // Beyond the limit on file sizes a write would end the process by a signal.
    var limit = rlimit()
    guard !isTooMuch, unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0,
      UInt64(limit.rlim_cur) >= present, byteCount <= UInt64(limit.rlim_cur) - present,
      directory.grant(byteCount, besides: present, maximumBytes: maximumBytes)
    else { return false }
    grantedSlots += slotCount
    return true
  }

  private func write(
    _ bytes: UnsafeRawBufferPointer, inFile place: UInt64
  ) throws(SpoolFailure) {
    var done = 0
    while done < bytes.count {
      let count = unsafe pwrite(
        descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(place) + done)
      if count > 0 {
        done += count
      } else if count == 0 || errno != EINTR {
        throw SpoolFailure(errno: count == 0 ? ENOSPC : errno)
      }
    }
  }
}
