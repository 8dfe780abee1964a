// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
internal import PacketParser

/// Finds out whether live sound that was lost goes on in the format of before. The bytes are kept until that
/// is known, and then parsed by the parser that fits.
struct StreamIdentification: ~Copyable {
  /// What the bytes are.
  enum Verdict {
    /// More bytes are needed.
    case undecided
    /// The former parser goes on with them, or says why it cannot.
    case continued
    /// They begin a stream that needs a parser of its own.
    case another
  }

  /// The bytes so far.
  private(set) var bytes: [UInt8] = []
  /// What the station says of them.
  var metadata: [StreamMetadata] = []
  private var stream: AudioFileStream

  /// Bytes after which the former parser has to find its own way.
  private static var limit: Int { 128 << 10 }

  /// - Parameter hint: what the server says that they are.
  init(hint: AudioFileTypeID?) {
    stream = AudioFileStream(hint: hint)
  }

  /// Adds bytes.
  ///
  /// - Parameter former: what the stream was before.
  mutating func add(_ piece: Span<UInt8>, former: AudioFileTypeID?) -> Verdict {
    unsafe piece.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    var listener = DeafListener()
    // Bytes that no parser knows are the former one's to pass.
    guard (try? stream.parse(piece, listener: &listener)) != nil else { return .continued }
    guard let format = try? stream.fileFormat else {
      return bytes.count < Self.limit ? .undecided : .continued
    }
    return Self.isContinued(former, by: format) ? .continued : .another
  }

  /// Whether the parser of one type takes up another at any place.
  private static func isContinued(_ former: AudioFileTypeID?, by format: AudioFileTypeID) -> Bool {
    let layers: [AudioFileTypeID?] = [.mpegLayer1, .mpegLayer2, .mpegLayer3]
    if layers.contains(former), layers.contains(format) { return true }
    return former == format && [.aacADTS, .ogg].contains(format)
  }
}

/// Wants only the parser's properties.
private struct DeafListener: AudioFileStreamListener {
  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {}

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {}
}

/// Notices packets on their way to another listener.
struct PacketWatch<Listener: StreamDriverListener>: AudioFileStreamListener {
  var listener: Listener
  /// Packets came since this was last made false.
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
