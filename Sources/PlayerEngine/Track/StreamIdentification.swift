// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
internal import PacketParser

/// Finds out whether live sound continues in its former format after an interruption. It keeps the bytes until then,
/// for the parser that fits.
struct StreamIdentification: ~Copyable {
  /// The result so far.
  enum Verdict {
    /// More bytes are needed.
    case undecided
    /// The former parser takes the bytes, or throws its error.
    case continued
    /// The bytes begin a stream that needs a parser of its own.
    case another
  }

  /// The bytes so far.
  private(set) var bytes: [UInt8] = []
  /// The station's metadata for them.
  var metadata: [StreamMetadata] = []
  private var stream: AudioFileStream

  /// After this many bytes the former parser takes them.
  private static var limit: Int { 128 << 10 }

  /// - Parameter hint: the type that the server states.
  init(hint: AudioFileTypeID?) {
    stream = AudioFileStream(hint: hint)
  }

  /// Adds bytes.
  ///
  /// - Parameter former: the type of the stream before.
  mutating func add(_ piece: Span<UInt8>, former: AudioFileTypeID?) -> Verdict {
    unsafe piece.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    var listener = DeafListener()
    // The former parser skips bytes that no parser knows.
    guard (try? stream.parse(piece, listener: &listener)) != nil else { return .continued }
    guard let format = try? stream.fileFormat else {
      return bytes.count < Self.limit ? .undecided : .continued
    }
    return Self.isContinued(former, by: format) ? .continued : .another
  }

  /// Returns whether the parser of one type can continue with another type at any byte.
  private static func isContinued(_ former: AudioFileTypeID?, by format: AudioFileTypeID) -> Bool {
    let layers: [AudioFileTypeID?] = [.mpegLayer1, .mpegLayer2, .mpegLayer3]
    if layers.contains(former), layers.contains(format) { return true }
    return former == format && [.aacADTS, .ogg].contains(format)
  }
}

/// Ignores everything: only the parser's properties are used.
private struct DeafListener: AudioFileStreamListener {
  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {}

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {}
}

/// Passes everything to another listener, and notes whether packets came.
struct PacketWatch<Listener: StreamDriverListener>: AudioFileStreamListener {
  var listener: Listener
  /// Whether packets came since this was last set to false.
  var hasSeenPackets = false

  init(_ listener: consuming Listener) {
    self.listener = listener
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {
    listener.audioFileStream(stream, found: property)
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {
    hasSeenPackets = true
    listener.audioFileStream(stream, produced: packets, bytes: bytes, descriptions: descriptions)
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, skipped gap: AudioFileStreamGap
  ) {
    listener.audioFileStream(stream, skipped: gap)
  }
}
