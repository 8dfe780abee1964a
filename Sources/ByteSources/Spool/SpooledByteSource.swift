// SPDX-License-Identifier: MIT

/// A source that keeps the bytes read from another one in a file, so that they can be read again without a
/// request to a server.
///
///     ─────────────┬═══════════════════┬───────────────┬═════════════┬──────▶ bytes of the stream
///                  ╰── in the file ────╯    ╰ place    ╰ in the file ╯ ╰ where the other source is
///
/// A reposition only sets the offset `place`. The next read takes the byte from the file if it is there.
/// Otherwise the other source is read on, if it is at that offset or shortly before it, or repositioned.
///
/// A source that cannot be repositioned can be read again from a byte if the file holds all bytes from there up
/// to the source's own offset. If its length is known and the file may be as large, it is as good as
/// repositionable: earlier bytes are in the file, and later ones are reached by reading.
final class SpooledByteSource: ByteSource, @unchecked Sendable {
  private let wrapped: any ByteSource
  private let directoryPath: String
  private let maximumBytes: UInt64
  private let blockBytes: UInt64
  private let exclusive = ExclusiveUse()
  /// Created with the first bytes; removed after an error.
  private var file: SpoolFile?
  private var state = SpoolState.active
  /// The offset of the next byte to deliver.
  private var place: UInt64 = 0
  /// The offset of the other source's next byte.
  private var wrappedPlace: UInt64 = 0
  /// The end of the stream, once known.
  private var endOffset: UInt64?
  /// Whether the file has room for all of the stream.
  private var hasRoomForAll = false
  private var failure: ByteSourceError?
  private var isClosed = false

  /// The least distance, in bytes, over which a server is asked again; a shorter one is read through.
  private static var leastJump: UInt64 { 64 << 10 }
  /// The same for a server that has not stated whether it sends parts: one that does not sends everything
  /// again.
  private static var leastTrial: UInt64 { 4 << 20 }
  /// The most bytes that one read reads through, so that a wake is noticed soon.
  private static var mostPassedAtOnce: UInt64 { 1 << 20 }

  /// Wraps a source that was not read from yet.
  ///
  /// - Parameters:
  ///   - directoryPath: the directory of the file, which is created with the first bytes.
  ///   - maximumBytes: the limit of this process's files in that directory.
  ///   - blockBytes: the size of the pieces in which the file's room is reused; nil for one that suits the
  ///     limit.
  init(
    _ wrapped: any ByteSource, directoryPath: String, maximumBytes: UInt64,
    blockBytes: UInt64? = nil
  ) {
    self.wrapped = wrapped
    self.directoryPath = directoryPath
    self.maximumBytes = maximumBytes
    self.blockBytes = blockBytes ?? SpoolFile.blockBytes(maximumBytes: maximumBytes)
  }

  deinit {
    wrapped.close()
  }

  var information: ByteSourceInformation {
    exclusive {
      var information = wrapped.information
      if hasRoomForAll { information.isRepositionable = true }
      return information
    }
  }

  var spooledByteRanges: [Range<UInt64>] {
    exclusive { file?.ranges.ranges ?? [] }
  }

  var spoolState: SpoolState {
    exclusive { state }
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, timeoutNanoseconds: UInt64
  ) throws(ByteSourceError) -> ByteSourceRead {
    precondition(buffer.count > 0, "a read needs room for a byte")
    return try exclusive { () throws(ByteSourceError) in
      if isClosed { return .end }
      if let failure { throw failure }
      do throws(ByteSourceError) {
        let read = try unsafe read(
          at: place, into: buffer, timeoutNanoseconds: timeoutNanoseconds)
        if case .bytes(let count) = read { place &+= UInt64(count) }
        return read
      } catch {
        // The kept bytes may no longer be the server's.
        failure = error
        file = nil
        throw error
      }
    }
  }

  func reposition(to byteOffset: UInt64) throws(ByteSourceError) {
    try exclusive { () throws(ByteSourceError) in
      if isClosed { return }
      if let failure { throw failure }
      guard canReach(byteOffset) else {
        throw ByteSourceError(.notRepositionable, at: wrapped.information.name)
      }
      place = byteOffset
    }
  }

  var status: ByteSourceStatus {
    exclusive { wrapped.status }
  }

  func takeStreamMetadata() -> [StreamMetadata] {
    exclusive { wrapped.takeStreamMetadata() }
  }

  func wake() {
    wrapped.wake()
  }

  func close() {
    exclusive {
      isClosed = true
      file = nil
      wrapped.close()
    }
  }

  /// Returns whether the bytes from an offset on can be read.
  private func canReach(_ byteOffset: UInt64) -> Bool {
    if byteOffset == wrappedPlace || wrapped.information.isRepositionable { return true }
    if byteOffset > wrappedPlace { return hasRoomForAll }
    // The kept bytes must lead up to the other source's offset without a gap.
    return file?.ranges.range(containing: byteOffset)?.upperBound == wrappedPlace
  }

  /// Reads once at an offset.
  private func read(
    at place: UInt64, into buffer: UnsafeMutableRawBufferPointer, timeoutNanoseconds: UInt64
  ) throws(ByteSourceError) -> ByteSourceRead {
    let count = unsafe readFile(into: buffer)
    if count > 0 { return .bytes(count) }
    if place != wrappedPlace {
      if let endOffset, place >= endOffset { return .end }
      let isAhead = place > wrappedPlace
      if isAhead, isReadUp(to: place) {
        return try unsafe readUp(to: place, buffer, timeoutNanoseconds: timeoutNanoseconds)
      }
      // A source that cannot be repositioned throws: the bytes were in the file when the offset was set, and
      // could not be read from there.
      try wrapped.reposition(to: place)
      wrappedPlace = place
    }
    return try unsafe readWrapped(into: buffer, timeoutNanoseconds: timeoutNanoseconds)
  }

  /// Returns whether the bytes before an offset ahead are read, which keeps them, rather than skipped.
  private func isReadUp(to place: UInt64) -> Bool {
    let information = wrapped.information
    guard information.isRepositionable else { return true }
    return switch information.reach {
    case .direct: place - wrappedPlace < Self.leastJump
    case .untried: place - wrappedPlace < Self.leastTrial
    case .byReading: true
    }
  }
}

extension SpooledByteSource {
  /// Reads the other source up to an offset, and then the bytes there.
  private func readUp(
    to place: UInt64, _ buffer: UnsafeMutableRawBufferPointer, timeoutNanoseconds: UInt64
  ) throws(ByteSourceError) -> ByteSourceRead {
    let start = monotonicNanoseconds()
    let first = wrappedPlace
    while wrappedPlace < place {
      if wrappedPlace - first >= Self.mostPassedAtOnce { return .wait }
      // After the time-out, bytes that have come already are still read through.
      let elapsed = monotonicNanoseconds() - start
      let piece = unsafe UnsafeMutableRawBufferPointer(
        rebasing: buffer.prefix(Int(min(UInt64(buffer.count), place - wrappedPlace))))
      let read = try unsafe readWrapped(
        into: piece, timeoutNanoseconds: timeoutNanoseconds - min(elapsed, timeoutNanoseconds))
      guard case .bytes = read else { return read }
    }
    let elapsed = monotonicNanoseconds() - start
    return try unsafe readWrapped(
      into: buffer, timeoutNanoseconds: timeoutNanoseconds - min(elapsed, timeoutNanoseconds))
  }

  /// Reads the other source at its offset, and keeps the bytes.
  private func readWrapped(
    into buffer: UnsafeMutableRawBufferPointer, timeoutNanoseconds: UInt64
  ) throws(ByteSourceError) -> ByteSourceRead {
    let read = try unsafe wrapped.read(into: buffer, timeoutNanoseconds: timeoutNanoseconds)
    // The bytes on either side of it must not look contiguous.
    if read == .discontinuity { file = nil }
    if read == .end { endOffset = min(endOffset ?? .max, wrappedPlace) }
    guard case .bytes(let count) = read else { return read }
    unsafe keep(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    wrappedPlace &+= UInt64(count)
    return read
  }

  /// Writes bytes from the other source's offset into the file.
  private func keep(_ bytes: UnsafeRawBufferPointer) {
    guard state == .active else { return }
    do throws(SpoolFailure) {
      if file == nil { file = try makeFile() }
      try unsafe file?.write(bytes, at: wrappedPlace)
    } catch {
      stop(error)
    }
  }

  private func makeFile() throws(SpoolFailure) -> SpoolFile {
    let file = try SpoolFile(
      in: SpoolDirectory.open(directoryPath), maximumBytes: maximumBytes, blockBytes: blockBytes)
    // A server has answered, so its facts are known now.
    let information = wrapped.information
    let isDirect = information.isRepositionable && information.reach == .direct
    if !isDirect, let byteCount = information.byteCount {
      hasRoomForAll = file.reserve(byteCount)
    }
    return file
  }

  /// Reads bytes at the current offset from the file; returns 0 if it holds none.
  private func readFile(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let file else { return 0 }
    do throws(SpoolFailure) {
      return try unsafe file.read(into: buffer, at: place)
    } catch {
      stop(error)
      return 0
    }
  }

  /// Goes on without a spool. The kept bytes are removed: if the disk is full, others need the room.
  private func stop(_ failure: SpoolFailure) {
    state = .stopped(errno: failure.errno)
    file = nil
    hasRoomForAll = false
  }
}
