// SPDX-License-Identifier: MIT

/// How loud sound is, by ITU-R BS.1770 and EBU R 128, in LUFS; nil where there has been nothing but
/// silence.
public struct Loudness: Sendable, Equatable {
  /// Of the last 400 ms.
  public var momentary: Double?
  /// Of the last 3 s.
  public var shortTerm: Double?
  /// From the start on, without what is much softer than the rest (gated).
  public var integrated: Double?

  /// Loudness with these values.
  public init(momentary: Double? = nil, shortTerm: Double? = nil, integrated: Double? = nil) {
    self.momentary = momentary
    self.shortTerm = shortTerm
    self.integrated = integrated
  }
}
