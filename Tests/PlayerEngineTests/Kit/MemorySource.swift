// SPDX-License-Identifier: MIT

import ByteSources

/// Bytes in memory that behave like a file's or a server's, and remember what was asked of them. One
/// thread at a time.
final class MemorySource: ByteSource, @unchecked Sendable {
  /// Like which source it behaves.
  enum Manner {
    /// Everything is known at once.
    case file
    /// What it can do is known with the first bytes.
    case server(offersRanges: Bool)
    /// Its length is never known.
    case pipe
  }

  /// The bytes; may change at any time.
  var bytes: [UInt8]
  /// Where the reader went, in order.
  private(set) var repositions: [UInt64] = []
  /// Bytes handed over.
  private(set) var bytesRead = 0
  /// True after `close()`.
  private(set) var isClosed = false
  /// A read from this offset on fails.
  var breaksAt = Int.max
  /// The reader is told before the bytes at these offsets that they do not continue those before.
  var discontinuities: [Int] = []
  /// What it says of its sound, with the read that gives the bytes before it.
  var metadata: [StreamMetadata] = []
  /// The bytes from here on have not come yet.
  var comesUpTo = Int.max
  /// Whether the bytes are on this machine.
  var isLocal = false
  /// Bytes of one read at most.
  var pieceBytes = Int.max
  /// Whether a reader may ask for what it does not offer, and is refused it.
  var refusesRepositions = false
  /// What was read from this offset on can be read again, in whatever manner it came.
  var keepsFrom: Int?
  private let manner: Manner
  private let statedByteCount: Int
  private var offset = 0
  private var hasAnswered = false

  init(_ bytes: [UInt8], _ manner: Manner) {
    self.bytes = bytes
    self.manner = manner
    statedByteCount = bytes.count
  }

  var information: ByteSourceInformation {
    var information = ByteSourceInformation(name: "memory", isLocal: isLocal)
    switch manner {
    case .file:
      information.byteCount = UInt64(statedByteCount)
      information.isRepositionable = true
    case .server(let offersRanges):
      if hasAnswered {
        information.byteCount = UInt64(statedByteCount)
        information.isRepositionable = offersRanges
      }
    case .pipe: break
    }
    return information
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, timeoutNanoseconds: UInt64
  ) throws(ByteSourceError) -> ByteSourceRead {
    hasAnswered = true
    if offset >= breaksAt {
      throw ByteSourceError(
        .interrupted(receivedBytes: UInt64(offset), expectedBytes: nil), at: "memory")
    }
    if discontinuities.first == offset {
      discontinuities.removeFirst()
      return .discontinuity
    }
    let end = min(bytes.count, breaksAt, discontinuities.first ?? .max, comesUpTo)
    let count = min(buffer.count, pieceBytes, end - offset)
    guard count > 0 else { return offset >= comesUpTo ? .wait : .end }
    unsafe buffer.copyBytes(from: bytes[offset..<offset + count])
    offset += count
    bytesRead += count
    return .bytes(count)
  }

  func reposition(to byteOffset: UInt64) throws(ByteSourceError) {
    if refusesRepositions { throw ByteSourceError(.notRepositionable, at: "memory") }
    let isKept = spooledByteRanges.contains { $0.contains(byteOffset) }
    precondition(isKept || information.isRepositionable, "asked for what it does not offer")
    repositions.append(byteOffset)
    offset = Int(clamping: byteOffset)
  }

  func takeStreamMetadata() -> [StreamMetadata] {
    let count = metadata.prefix { $0.byteOffset <= bytesRead }.count
    defer { metadata.removeFirst(count) }
    return Array(metadata.prefix(count))
  }

  var spooledByteRanges: [Range<UInt64>] {
    keepsFrom.map { $0 < bytesRead ? [UInt64($0)..<UInt64(bytesRead)] : [] } ?? []
  }

  var status: ByteSourceStatus {
    ByteSourceStatus(state: .receiving, receivedByteCount: UInt64(bytesRead))
  }

  func wake() {}

  func close() { isClosed = true }
}
