// SPDX-License-Identifier: MIT

internal import AudioModel
public import ByteSources
internal import PacketParser
internal import RenderCore

/// Reads one track: bytes from its source through the parser to packets with their history.
///
/// A step reads at most one buffer of bytes; it never waits longer than it is told to. One thread at
/// a time: the opener's, then the feeder's. A file whose index lies behind its audio is played where
/// the source can be repositioned: see ``StreamDriver``.
public final class TrackReader {
  /// What parsing gave, to be taken by the feeder.
  struct Output {
    var packets = PendingPackets()
    /// Known when the first packet is.
    var information: TrackInformation?
    /// The duration in it is another one since this was last taken.
    var hasNewDuration = false
    /// Stretches that were not audio, since this was last taken.
    var skipped: [AudioFileStreamGap] = []
    /// What was parsed and lost so far.
    var account = TrackAccount()
  }

  let driver: StreamDriver<PacketCollector>
  /// What the track was opened by, credentials and all: for opening, never for showing.
  let location: String
  /// What the list says that led here, for what the track does not say itself.
  private var listed: PlaylistItem?
  /// The track as a list has it, to be opened anew.
  var item: PlaylistItem { listed ?? PlaylistItem(location: location) }
  /// Where in the track the packets begin, at first and after a seek, until a
  /// stream was begun with them.
  var startNanoseconds: UInt64? = 0
  /// Asked some five times a second while ``readInformation()`` or ``seek(toFrame:purpose:)`` waits for the
  /// source; `PlayerError.Reason.cancelled` is then thrown. False at first. It must not wait.
  public var isCancelled: @Sendable () -> Bool = { false }
  /// A seek that was begun and has not led anywhere yet.
  var seekUnderWay: SeekUnderWay?

  /// Reads a source that is open, and from which nothing was read.
  ///
  /// - Parameters:
  ///   - source: where the bytes come from.
  ///   - location: what it was opened by, to open it again when the track is played once more.
  public init(_ source: any ByteSource, location: String) {
    self.location = location
    driver = StreamDriver(
      source, listener: PacketCollector(location: source.information.name, generation: 0))
  }

  /// Lets go of the file or connection. Whoever opened the track may keep the reader for longer.
  func close() { driver.source.close() }

  /// - Throws: what stands in the way, when it is known before reading.
  public convenience init(
    opening location: String,
    configuration: ByteSourceConfiguration = ByteSourceConfiguration()
  ) throws(PlayerError) {
    try self.init(opening: PlaylistItem(location: location), configuration: configuration)
  }

  /// Opens a track of a list, or takes it over if it is open. What the list says of it counts where its
  /// tags say nothing.
  ///
  /// - Throws: what stands in the way, when it is known before reading.
  public convenience init(
    opening item: PlaylistItem, configuration: ByteSourceConfiguration = ByteSourceConfiguration()
  ) throws(PlayerError) {
    try self.init(item, configuration: configuration, generation: 0)
  }

  init(
    _ item: PlaylistItem, configuration: ByteSourceConfiguration, generation: UInt32
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
      listener: PacketCollector(location: source.information.name, generation: generation))
  }

  /// Reads until the track's format is known and its first packet is found. Waits for the source.
  ///
  /// - Throws: what went wrong before that; a track without any packet is an error of the parser.
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

  /// What can end a step's wait from another thread.
  var interrupter: any ByteSource { driver.source }

  /// What is known of the track: nil until its first packet is found.
  var information: TrackInformation? {
    guard var information = output.information else { return nil }
    let source = driver.source.information
    information.station = source.station
    if source.station == nil {
      listed?.complete(&information)
    } else if source.byteCount == nil {
      // The length of whatever the station happened to play first is not its own.
      information.durationNanoseconds = nil
      information.durationEvidence = nil
    }
    return information
  }

  /// What was read and lost so far.
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

  /// A step on behalf of one who waits for more than that.
  func cancellableStep() throws(PlayerError) -> StreamDriverStep {
    if isCancelled() { throw PlayerError(location: name, reason: .cancelled) }
    return try step(timeoutNanoseconds: 200_000_000)
  }

  /// Reads and parses one buffer of bytes, waiting at most so long for the first of them.
  ///
  /// - Throws: what went wrong; packets that were parsed before it are in ``output``.
  func step(timeoutNanoseconds: UInt64) throws(PlayerError) -> StreamDriverStep {
    let step = try driver.step(timeoutNanoseconds: timeoutNanoseconds)
    if step == .ended { driver.listener.renewDuration(driver.stream) }
    return step
  }
}
