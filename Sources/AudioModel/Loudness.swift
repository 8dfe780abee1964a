// SPDX-License-Identifier: MIT

/// The loudness of sound by ITU-R BS.1770 and EBU R 128, in LUFS; nil if there was only silence.
public struct Loudness: Sendable, Equatable {
  /// The loudness of the last 400 ms.
  public var momentary: Double?
  /// The loudness of the last 3 s.
  public var shortTerm: Double?
  /// The loudness from the start on, without parts that are much softer than the rest (gated).
  public var integrated: Double?

  /// Creates loudness from its values.
  public init(momentary: Double? = nil, shortTerm: Double? = nil, integrated: Double? = nil) {
    self.momentary = momentary
    self.shortTerm = shortTerm
    self.integrated = integrated
  }
}
