// SPDX-License-Identifier: MIT

import ByteSources
import Glibc
import TestKit

/// A source of bytes that depend on their offset, which records its reads and repositions.
final class SyntheticSource: ByteSource, @unchecked Sendable {
  /// The source's abilities and faults.
  struct Manner {
    /// The number of bytes; nil for an endless source.
    var byteCount: UInt64? = 1_000_000
    var tellsByteCount = true
    var isRepositionable = true
    /// Whether reads deliver fewer bytes than fit, and sometimes none.
    var isUnsteady = false
    /// Whether reads leave the buffer's bytes unset, for tests that only count them.
    var isFast = false
    /// The error that reads after a reposition throw.
    var failureElsewhere: ByteSourceError.Reason?
  }

  private(set) var repositions: [UInt64] = []
  private(set) var readCount = 0
  /// The offset of the next byte.
  private(set) var offset: UInt64 = 0
  private(set) var isClosed = false
  private let manner: Manner
  private var random = SplitMix(state: 7)

  init(_ manner: Manner = Manner()) {
    self.manner = manner
  }

  var information: ByteSourceInformation {
    let isAnswered = readCount > 0
    return ByteSourceInformation(
      name: "synthetic",
      byteCount: isAnswered && manner.tellsByteCount ? manner.byteCount : nil,
      isRepositionable: isAnswered && manner.isRepositionable)
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, timeoutNanoseconds: UInt64
  ) throws(ByteSourceError) -> ByteSourceRead {
    if isClosed { return .end }
    readCount += 1
    if let failure = manner.failureElsewhere, !repositions.isEmpty {
      throw ByteSourceError(failure, at: "synthetic")
    }
    var count = min(UInt64(buffer.count), 1 << 16, (manner.byteCount ?? .max) - offset)
    if count == 0 { return .end }
    if manner.isUnsteady {
      let most = min(count, 20_000)
      count = UInt64.random(in: 0...most, using: &random)
      if count == 0 { return .wait }
    }
    if !manner.isFast {
      unsafe buffer.copyBytes(from: Pattern.bytes(offset, Int(count)))
    }
    offset += count
    return .bytes(Int(count))
  }

  func reposition(to byteOffset: UInt64) throws(ByteSourceError) {
    guard information.isRepositionable else {
      throw ByteSourceError(.notRepositionable, at: "synthetic")
    }
    repositions.append(byteOffset)
    offset = min(byteOffset, manner.byteCount ?? .max)
  }

  func wake() {}

  func close() {
    isClosed = true
  }
}
