// SPDX-License-Identifier: MIT

internal import AudioModel
public import ByteSources
internal import PacketParser
internal import RenderCore

/// Reads one track: bytes from its source through the parser to packets with their history.
///
/// A step reads at most one buffer of bytes; it never waits longer than it is told to. One thread at
/// a time: the opener's, then the feeder's.
@safe
public final class TrackReader {
  /// What one step did.
  enum Step: Equatable {
    /// Bytes came and were parsed; there may be packets now.
    case progressed
    /// No byte came in the time given.
    case waiting
    /// The source has ended; all its packets have been parsed.
    case ended
  }

  /// What parsing gave, to be taken by the feeder.
  struct Output {
    var packets = PendingPackets()
    /// Known when the first packet is.
    var information: TrackInformation?
    /// Stretches that were not audio, since this was last taken.
    var skipped: [(byteCount: Int64, byteOffset: Int64)] = []
  }

  private let source: any ByteSource
  private var stream: AudioFileStream
  private var listener: PacketCollector
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 << 10, alignment: 64)
  private var hasTold = false
  private var hasEnded = false

  /// - Throws: what stands in the way, when it is known before reading.
  public convenience init(
    opening location: String,
    configuration: ByteSourceConfiguration = ByteSourceConfiguration()
  ) throws(PlayerError) {
    try self.init(location: location, configuration: configuration, generation: 0)
  }

  init(
    location: String, configuration: ByteSourceConfiguration, generation: UInt32
  ) throws(PlayerError) {
    do throws(ByteSourceError) {
      source = try openByteSource(location, configuration: configuration)
    } catch {
      throw PlayerError(location: location, reason: .source(error))
    }
    stream = AudioFileStream(hint: source.information.fileTypeHint)
    listener = PacketCollector(location: source.information.name, generation: generation)
  }

  deinit {
    source.close()
    unsafe buffer.deallocate()
  }

  /// Reads until the track's format is known. Waits for the source.
  ///
  /// - Throws: what went wrong before that; a track without any packet is an error of the parser.
  public func readInformation() throws(PlayerError) -> TrackInformation {
    while true {
      if let information = listener.output.information { return information }
      if try step(timeoutNanoseconds: 1_000_000_000) == .ended,
        listener.output.information == nil
      {
        throw PlayerError(
          location: name,
          reason: .parser(
            AudioFileStreamError(.invalidFile, at: 0, "there is no audio in it")))
      }
    }
  }

  /// The file's path or the URL without credentials.
  public var name: String { source.information.name }

  /// What can end a step's wait from another thread.
  var interrupter: any ByteSource { source }

  /// The packets and facts so far.
  var output: Output {
    get { listener.output }
    _modify { yield &listener.output }
  }

  /// Reads and parses one buffer of bytes, waiting at most so long for the first of them.
  ///
  /// - Throws: what went wrong; packets that were parsed before it are in ``output``.
  func step(timeoutNanoseconds: UInt64) throws(PlayerError) -> Step {
    if hasEnded { return .ended }
    let read: ByteSourceRead
    do throws(ByteSourceError) {
      read = unsafe try source.read(into: buffer, timeoutNanoseconds: timeoutNanoseconds)
    } catch {
      // What was parsed before the source failed is still played.
      hasEnded = true
      try? stream.finish(listener: &listener)
      throw PlayerError(location: name, reason: .source(error))
    }
    do throws(AudioFileStreamError) {
      switch read {
      case .wait: return .waiting
      case .end:
        hasEnded = true
        try stream.finish(listener: &listener)
        return .ended
      case .bytes(let count):
        tellLength()
        let bytes = unsafe UnsafeBufferPointer(
          start: buffer.baseAddress!.assumingMemoryBound(to: UInt8.self), count: count)
        try stream.parse(unsafe bytes.span, listener: &listener)
        return .progressed
      }
    } catch {
      throw PlayerError(location: name, reason: .parser(error))
    }
  }

  private func tellLength() {
    guard !hasTold else { return }
    hasTold = true
    if let byteCount = source.information.byteCount, let count = Int64(exactly: byteCount) {
      stream.tell(totalByteCount: count)
    }
  }
}
