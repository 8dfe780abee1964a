// SPDX-License-Identifier: MIT

public import PacketParser

/// Lost sound of a track.
public struct SoundLoss: Hashable, Sendable {
  /// The cause of the loss.
  public enum Cause: String, Hashable, Sendable, CaseIterable {
    /// The data is damaged.
    case damage
    /// The stream ends before its sound does.
    case cut
    /// The audio has a form that no decoder here takes.
    case unsupported
    /// A packet could not be decoded. Silence of its length, or the decoder's concealment, replaced it.
    case undecodable
    /// The connection to live sound was lost for a while.
    case interruption
    /// Fewer frames were rendered than the packets hold.
    case undelivered
  }

  /// The cause of the loss.
  public var cause: Cause
  /// Bytes from the start of the source to the first affected byte; nil if unknown.
  public var byteOffset: Int64?
  /// Affected bytes; 0 at the end of the stream, or if unknown.
  public var byteCount: Int64
  /// Nanoseconds of sound lost; nil if unknown.
  public var nanoseconds: UInt64?

  /// A loss with these fields.
  public init(
    _ cause: Cause, byteOffset: Int64?, byteCount: Int64 = 0, nanoseconds: UInt64? = nil
  ) {
    self.cause = cause
    self.byteOffset = byteOffset
    self.byteCount = byteCount
    self.nanoseconds = nanoseconds
  }

  /// The sound lost in a gap; nil if the gap holds no sound.
  ///
  /// - Parameters:
  ///   - gap: a gap that the parser reported.
  ///   - sampleRate: frames per second of the stream there.
  public init?(_ gap: AudioFileStreamGap, sampleRate: Double) {
    switch gap.cause {
    case .foreignBytes: return nil
    case .damage: cause = .damage
    case .cut: cause = .cut
    case .unsupported: cause = .unsupported
    }
    byteOffset = gap.byteOffset
    byteCount = gap.byteCount
    if let frames = gap.frameCount, sampleRate > 0 {
      nanoseconds = UInt64(min(Double(max(0, frames)) / sampleRate * 1e9, 0x1p60))
    }
  }
}

extension SoundLoss {
  /// Returns whether this loss continues `other`: the same cause, and no byte between them.
  func extends(_ other: SoundLoss) -> Bool {
    guard let byteOffset, let start = other.byteOffset else { return false }
    return cause == other.cause && other.byteCount > 0 && byteOffset - start <= other.byteCount
  }
}

extension SoundLoss.Cause {
  /// The cause and a remedy, for the end of a line.
  var explanation: String {
    switch self {
    case .damage: "the data is damaged; try another copy"
    case .cut: "the stream ends too early; fetch it again or try another copy"
    case .unsupported: "no decoder here takes this form of audio; convert the file"
    case .undecodable: "packets cannot be decoded; try another copy"
    case .interruption: "the connection was lost; live sound cannot be fetched again"
    case .undelivered: "the decoder returned fewer frames than the packets hold; try another copy"
    }
  }
}
