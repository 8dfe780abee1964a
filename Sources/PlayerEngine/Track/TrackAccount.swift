// SPDX-License-Identifier: MIT

/// An account of a track's sound on its way from the source to the output.
///
/// `drawbar play`, `render` and `info` and ``PlayerEvent/account(index:_:)`` all report lost sound from it.
public struct TrackAccount: Hashable, Sendable {
  /// Nanoseconds of sound that the track or its list states; nil if neither does.
  public var statedNanoseconds: UInt64?
  /// Bytes read from the source, those read twice included.
  public var fetchedByteCount: UInt64 = 0
  /// Packets parsed since the last seek.
  public var parsedPacketCount: Int64 = 0
  /// Nanoseconds of sound in these packets; encoder delay and padding are not counted.
  public var parsedNanoseconds: UInt64 = 0
  /// Streams in the packets: a new one begins where the format changes or a stream follows another.
  var streamCount: UInt64 = 0
  /// Nanoseconds of sound in the longest packet, or run of linear PCM, by the stream's format.
  var longestPacketNanoseconds: UInt64 = 0
  /// Nanoseconds of sound rendered.
  public var deliveredNanoseconds: UInt64 = 0
  /// The number of losses.
  public private(set) var lossCount = 0
  /// Nanoseconds of sound in the losses whose length is known.
  public private(set) var lostNanoseconds: UInt64 = 0
  /// Whether the length of each loss is known.
  public var isLossLengthKnown: Bool { unknownLengthCount == 0 }
  /// The first losses, in the order in which they were found; at most ``maximumLosses``.
  public private(set) var losses: [SoundLoss] = []
  /// The most losses kept one by one; later ones are only counted.
  public static let maximumLosses = 16
  private var unknownLengthCount = 0
  /// The last loss added, and the greatest byte offset of all.
  private var last: SoundLoss?
  private var lastByteOffset = Int64.min

  /// An account of a track from which nothing was read.
  public init() {}

  /// Adds a loss. After a seek back, the parser reports losses again; their byte offsets identify them, and they are
  /// not added twice. A loss with the same cause that begins where the last one ends extends it: a cut packet and the
  /// missing packets after it are one loss.
  public mutating func add(_ loss: SoundLoss) {
    if let offset = loss.byteOffset {
      guard offset > lastByteOffset else { return }
      lastByteOffset = offset
    }
    defer { last = loss }
    count(nanoseconds: loss.nanoseconds)
    if let last, loss.extends(last) {
      // The loss at a stream's end includes the cut packet before it.
      let endsUnknown = last.nanoseconds == nil && loss.byteCount == 0 && loss.nanoseconds != nil
      if endsUnknown { unknownLengthCount -= 1 }
      guard losses.count == lossCount else { return }
      losses[lossCount - 1].byteCount += loss.byteCount
      let before = endsUnknown ? 0 : losses[lossCount - 1].nanoseconds
      losses[lossCount - 1].nanoseconds = before.flatMap { before in
        loss.nanoseconds.map { before &+ $0 }
      }
      return
    }
    lossCount += 1
    if losses.count < Self.maximumLosses { losses.append(loss) }
  }

  /// Adds the losses of another account.
  mutating func add(lossesOf other: TrackAccount) {
    lossCount += other.lossCount
    count(nanoseconds: other.lostNanoseconds)
    unknownLengthCount += other.unknownLengthCount
    losses += other.losses.prefix(Self.maximumLosses - losses.count)
  }

  private mutating func count(nanoseconds: UInt64?) {
    if let nanoseconds {
      lostNanoseconds = min(lostNanoseconds &+ min(nanoseconds, 1 << 60), 1 << 60)
    } else {
      unknownLengthCount += 1
    }
  }

  /// The length of the lost sound, its byte offset, the cause and a remedy, in one line; nil if nothing is lost.
  public var lossDescription: String? {
    guard let first = losses.first else { return nil }
    var text: String
    if lostNanoseconds > 0 {
      text = isLossLengthKnown ? "" : "at least "
      text += Self.seconds(lostNanoseconds) + " s of sound are missing"
    } else {
      text = "sound is missing"
    }
    if lossCount > 1 { text += " in \(lossCount) parts" }
    if let offset = first.byteOffset {
      text += lossCount > 1 ? ", the first at byte offset \(offset)" : " at byte offset \(offset)"
    }
    return text + ": " + first.cause.explanation
  }

  /// Seconds with three decimals, at least 0.001.
  private static func seconds(_ nanoseconds: UInt64) -> String {
    let milliseconds = max(1, (nanoseconds + 500_000) / 1_000_000)
    let decimals = String(milliseconds % 1000 + 1000).dropFirst()
    return "\(milliseconds / 1000).\(decimals)"
  }
}
