// SPDX-License-Identifier: MIT

import ByteSources

/// Bytes in memory that behave like a file's or a server's, and record the calls. One thread at a time.
final class MemorySource: ByteSource, @unchecked Sendable {
  /// The kind of source that it imitates.
  enum Manner {
    /// All properties are known at once.
    case file
    /// Its properties are known with the first bytes.
    case server(offersRanges: Bool)
    /// Its length is never known.
    case pipe
  }

  /// The bytes; may change at any time.
  var bytes: [UInt8]
  /// The byte offsets that the reader repositioned to, in order.
  private(set) var repositions: [UInt64] = []
  /// Bytes handed over.
  private(set) var bytesRead = 0
  /// True after `close()`.
  private(set) var isClosed = false
  /// A read from this offset on fails.
  var breaksAt = Int.max
  /// Before the bytes at these offsets, a read returns a discontinuity.
  var discontinuities: [Int] = []
  /// Stream metadata, each returned once the bytes up to its offset have been read.
  var metadata: [StreamMetadata] = []
  /// Bytes from this offset on have not arrived yet.
  var comesUpTo = Int.max
  /// Whether the bytes are on this machine.
  var isLocal = false
  /// The most bytes that one read returns.
  var pieceBytes = Int.max
  /// Whether repositions are refused with an error.
  var refusesRepositions = false
  /// Bytes from this offset on can be read again once they have been read, whatever the manner.
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
