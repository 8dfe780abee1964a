// SPDX-License-Identifier: MIT

internal import AudioModel
public import ByteSources
internal import PacketParser
internal import RenderCore

/// Reads one track: its source's bytes, through the parser, into packets with their metadata.
///
/// A step reads at most one buffer of bytes and waits no longer than its time limit. One thread at a time: the
/// opener's, then the feeder's. A file whose index lies behind its audio plays if the source can be repositioned: see
/// ``StreamDriver``.
public final class TrackReader {
  /// The parser's results, for the feeder.
  struct Output {
    var packets = PendingPackets()
    /// Known when the first packet is.
    var information: TrackInformation?
    /// The duration in it has changed since the feeder last took it.
    var hasNewDuration = false
    /// Stretches that were not audio, since the feeder last took them.
    var skipped: [AudioFileStreamGap] = []
    /// The account of packets and losses so far.
    var account = TrackAccount()
  }

  let driver: StreamDriver<PacketCollector>
  /// The location as opened, with credentials: for opening, never for display.
  let location: String
  /// The list's item, for metadata that the track itself does not state.
  private var listed: PlaylistItem?
  /// The track as a list's item, for opening it again.
  var item: PlaylistItem { listed ?? PlaylistItem(location: location) }
  /// Start time of the packets in the track, at first and after a seek, until a stream begins with them.
  var startNanoseconds: UInt64? = 0
  /// Returns true to cancel with `PlayerError.Reason.cancelled`. ``readInformation()`` and ``seek(toFrame:purpose:)``
  /// call it about five times a second while they wait for the source. It must not wait.
  public var isCancelled: @Sendable () -> Bool = { false }
  /// The seek in progress, if any.
  var seekUnderWay: SeekUnderWay?

  /// Creates a reader of an open source from which nothing was read.
  ///
  /// - Parameters:
  ///   - source: the source of the bytes.
  ///   - location: the location that it was opened from, to open it again when the track repeats.
  public init(_ source: any ByteSource, location: String) {
    self.location = location
    driver = StreamDriver(
      source, listener: PacketCollector(location: source.information.name, flushSerial: 0))
  }

  /// Closes the file or connection. The opener of the track may keep the reader for longer.
  func close() { driver.source.close() }

  /// - Throws: the failure, if it is known before reading.
  public convenience init(
    opening location: String,
    configuration: ByteSourceConfiguration = ByteSourceConfiguration()
  ) throws(PlayerError) {
    try self.init(opening: PlaylistItem(location: location), configuration: configuration)
  }

  /// Opens a track of a list, or takes over its open source. The list's metadata fills in for missing tags.
  ///
  /// - Throws: the failure, if it is known before reading.
  public convenience init(
    opening item: PlaylistItem, configuration: ByteSourceConfiguration = ByteSourceConfiguration()
  ) throws(PlayerError) {
    try self.init(item, configuration: configuration, flushSerial: 0)
  }

  init(
    _ item: PlaylistItem, configuration: ByteSourceConfiguration, flushSerial: UInt32
  ) throws(PlayerError) {
    let source: any ByteSource
    do throws(ByteSourceError) {
      source =
        if let open = item.source {
          open
        } else {
          try openByteSource(item.location, configuration: configuration)
        }
    } catch {
      throw PlayerError(location: error.location, reason: .source(error))
    }
    location = item.location
    listed = item
    listed?.source = nil
    driver = StreamDriver(
      source,
      listener: PacketCollector(location: source.information.name, flushSerial: flushSerial))
  }

  /// Reads until the track's format is known and its first packet is found. Waits for the source.
  ///
  /// - Throws: the failure before that; a track without any packet is an error of the parser.
  @discardableResult
  public func readInformation() throws(PlayerError) -> TrackInformation {
    while true {
      if let information, driver.listener.lastPacketSeen != nil { return information }
      if try cancellableStep() == .ended, driver.listener.lastPacketSeen == nil {
        throw PlayerError(
          location: name,
          reason: .parser(
            AudioFileStreamError(.invalidFile, at: 0, "there is no audio in it")))
      }
    }
  }

  /// The file's path or the URL without credentials.
  public var name: String { driver.source.information.name }

  /// The source whose `wake()` ends a step's wait from another thread.
  var interrupter: any ByteSource { driver.source }

  /// The track's format, tags and duration; nil until its first packet is found.
  var information: TrackInformation? {
    guard var information = output.information else { return nil }
    let source = driver.source.information
    information.station = source.station
    if source.station == nil {
      listed?.complete(&information)
    } else if source.byteCount == nil {
      // The length of the first track that a station sends is not the station's.
      information.durationNanoseconds = nil
      information.durationEvidence = nil
    }
    return information
  }

  /// The account of bytes, packets and losses so far.
  var account: TrackAccount {
    var account = output.account
    account.statedNanoseconds = information?.durationNanoseconds
    account.fetchedByteCount = driver.readByteCount
    for _ in 0..<driver.source.status.discontinuityCount {
      account.add(SoundLoss(.interruption, byteOffset: nil))
    }
    return account
  }

  /// The packets and facts so far.
  var output: Output {
    get { driver.listener.output }
    _modify { yield &driver.listener.output }
  }

  /// Performs one of several steps that a caller waits for, unless ``isCancelled`` returns true.
  func cancellableStep() throws(PlayerError) -> StreamDriverStep {
    if isCancelled() { throw PlayerError(location: name, reason: .cancelled) }
    return try step(timeoutNanoseconds: 200_000_000)
  }

  /// Reads and parses one buffer of bytes, waiting at most the time limit for the first of them.
  ///
  /// - Throws: the failure; packets that were parsed before it are in ``output``.
  func step(timeoutNanoseconds: UInt64) throws(PlayerError) -> StreamDriverStep {
    let step = try driver.step(timeoutNanoseconds: timeoutNanoseconds)
    if step == .ended { driver.listener.renewDuration(driver.stream) }
    return step
  }
}
