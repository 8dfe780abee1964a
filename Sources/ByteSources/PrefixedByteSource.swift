// SPDX-License-Identifier: MIT

/// A source whose first bytes were read to learn what they are, and are given again: of a pipe or a
/// radio stream they can be had only once.
public final class PrefixedByteSource: ByteSource, @unchecked Sendable {
  private let source: any ByteSource
  private let prefix: [UInt8]
  /// Bytes of the source before the prefix, which are not given and do not count.
  private let passedCount: UInt64
  private let exclusive = ExclusiveUse()
  /// The next byte to give is this one of the prefix; nil when it is the source's next one.
  private var place: Int?
  /// The source's next byte is the one behind the prefix.
  private var sourceFollowsPrefix = true
  private var hasBeenRead = false
  private var failure: ByteSourceError?
  private var isClosed = false

  /// Takes a source over.
  ///
  /// - Parameters:
  ///   - prefix: what was read from it.
  ///   - passedCount: bytes that were read before the prefix, if that does not begin with the first one.
  ///     They are left out, as if the source began behind them.
  ///   - source: stands behind the prefix, also at its end or where it failed; nobody else uses it.
  public init(
    _ prefix: [UInt8], after passedCount: UInt64 = 0, followedBy source: any ByteSource
  ) {
    self.prefix = prefix
    self.passedCount = passedCount
    self.source = source
    place = prefix.isEmpty ? nil : 0
  }

  /// What the source knows. Whether a server can be asked for other bytes is told with the first
  /// read, as by the source itself: before that, whoever asks would cost a request.
  public var information: ByteSourceInformation {
    exclusive { presentInformation }
  }

  private var presentInformation: ByteSourceInformation {
    var information = source.information
    if !hasBeenRead, !information.isLocal { information.isRepositionable = false }
    return information
  }

  /// What the source has spooled, with the prefix if it is there; told with the first read, too.
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

  /// What has become of the source's spool.
  public var spoolState: SpoolState { exclusive { source.spoolState } }

  /// Gives the prefix without waiting, and then what the source gives.
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

  /// Goes to a byte; within the prefix that asks nothing of the source while this stands behind it.
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
        // No stream has so many bytes that the sum could overflow.
        try source.reposition(to: min(byteOffset, .max - passedCount) + passedCount)
      } catch {
        // One that only refuses reads on where it was, and so does this.
        if error.reason != .notRepositionable { failure = error }
        throw error
      }
      sourceFollowsPrefix = byteOffset == UInt64(prefix.count)
      place = nil
    }
  }

  /// What the source is doing.
  public var status: ByteSourceStatus { exclusive { source.status } }

  /// What the source says between its bytes; the prefix counts as given.
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

  /// Closes the source. The prefix is not given after that.
  public func close() {
    exclusive {
      isClosed = true
      source.close()
    }
  }
}
