// SPDX-License-Identifier: MIT

/// A source whose first bytes were read to detect their type, and are delivered again: a pipe or a radio stream
/// sends them only once.
public final class PrefixedByteSource: ByteSource, @unchecked Sendable {
  private let source: any ByteSource
  private let prefix: [UInt8]
  /// Bytes of the source before the prefix, which are not delivered and do not count.
  private let passedCount: UInt64
  private let exclusive = ExclusiveUse()
  /// The index of the prefix's next byte to deliver; nil when the source's bytes are next.
  private var place: Int?
  /// Whether the source's next byte is the one behind the prefix.
  private var sourceFollowsPrefix = true
  private var hasBeenRead = false
  private var failure: ByteSourceError?
  private var isClosed = false

  /// Takes over a source.
  ///
  /// - Parameters:
  ///   - prefix: the bytes read from it.
  ///   - passedCount: bytes read before the prefix, if it does not begin with the first one. They are left out,
  ///     as if the source began behind them.
  ///   - source: a source that stands behind the prefix, at its end or at its failure, and is not used
  ///     elsewhere.
  public init(
    _ prefix: [UInt8], after passedCount: UInt64 = 0, followedBy source: any ByteSource
  ) {
    self.prefix = prefix
    self.passedCount = passedCount
    self.source = source
    place = prefix.isEmpty ? nil : 0
  }

  /// The source's information. A server's `isRepositionable` is false before the first read, as with the source
  /// itself: an earlier reposition would cost a request.
  public var information: ByteSourceInformation {
    exclusive { presentInformation }
  }

  private var presentInformation: ByteSourceInformation {
    var information = source.information
    if !hasBeenRead, !information.isLocal { information.isRepositionable = false }
    return information
  }

  /// The source's spooled ranges, with the prefix if it is spooled; empty before the first read.
  public var spooledByteRanges: [Range<UInt64>] {
    exclusive { presentSpooledByteRanges }
  }

  private var presentSpooledByteRanges: [Range<UInt64>] {
    guard hasBeenRead else { return [] }
    return source.spooledByteRanges.compactMap { range in
      guard range.upperBound > passedCount else { return nil }
      return max(range.lowerBound, passedCount) - passedCount..<range.upperBound - passedCount
    }
  }

  /// The state of the source's spool.
  public var spoolState: SpoolState { exclusive { source.spoolState } }

  /// Reads the prefix without waiting, and then the source.
  public func read(
    into buffer: UnsafeMutableRawBufferPointer, timeoutNanoseconds: UInt64
  ) throws(ByteSourceError) -> ByteSourceRead {
    precondition(buffer.count > 0, "a read needs room for a byte")
    return try exclusive { () throws(ByteSourceError) in
      if isClosed { return .end }
      if let failure { throw failure }
      hasBeenRead = true
      if let start = place {
        let count = min(buffer.count, prefix.count - start)
        unsafe buffer.copyBytes(from: prefix[start..<start + count])
        place = start + count < prefix.count ? start + count : nil
        return .bytes(count)
      }
      do throws(ByteSourceError) {
        let read = unsafe try source.read(into: buffer, timeoutNanoseconds: timeoutNanoseconds)
        if case .bytes = read { sourceFollowsPrefix = false }
        return read
      } catch {
        failure = error
        throw error
      }
    }
  }

  /// Repositions to a byte; within the prefix without the source, while that stands behind the prefix.
  public func reposition(to byteOffset: UInt64) throws(ByteSourceError) {
    try exclusive { () throws(ByteSourceError) in
      if isClosed { return }
      if let failure { throw failure }
      let information = presentInformation
      guard information.isRepositionable || !presentSpooledByteRanges.isEmpty else {
        throw ByteSourceError(.notRepositionable, at: information.name)
      }
      if sourceFollowsPrefix, byteOffset <= UInt64(prefix.count) {
        place = byteOffset < UInt64(prefix.count) ? Int(byteOffset) : nil
        return
      }
      do throws(ByteSourceError) {
        // No stream has enough bytes to reach the limit.
        try source.reposition(to: min(byteOffset, .max - passedCount) + passedCount)
      } catch {
        // A source that only refuses reads on where it was, and so does this one.
        if error.reason != .notRepositionable { failure = error }
        throw error
      }
      sourceFollowsPrefix = byteOffset == UInt64(prefix.count)
      place = nil
    }
  }

  /// The source's status.
  public var status: ByteSourceStatus { exclusive { source.status } }

  /// Returns the source's metadata; the prefix counts as delivered.
  public func takeStreamMetadata() -> [StreamMetadata] {
    exclusive {
      source.takeStreamMetadata().map { metadata in
        var metadata = metadata
        metadata.byteOffset -= min(metadata.byteOffset, passedCount)
        return metadata
      }
    }
  }

  /// Ends a wait for the source early. Any thread.
  public func wake() {
    source.wake()
  }

  /// Closes the source. The prefix is not delivered afterwards.
  public func close() {
    exclusive {
      isClosed = true
      source.close()
    }
  }
}
