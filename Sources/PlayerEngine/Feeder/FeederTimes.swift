// SPDX-License-Identifier: MIT

/// The feeder's recent time by stage; older times count less and less.
struct FeederTimes {
  private var source: UInt64 = 0
  private var parser: UInt64 = 0
  private var decoder: UInt64 = 0
  private static let remembered: UInt64 = 8_000_000_000

  mutating func note(source: UInt64 = 0, parser: UInt64 = 0, decoder: UInt64 = 0) {
    self.source += source
    self.parser += parser
    self.decoder += decoder
    while self.source + self.parser + self.decoder > Self.remembered {
      self.source /= 2
      self.parser /= 2
      self.decoder /= 2
    }
  }

  /// Returns the stage that took the most time.
  func cause(isLocal: Bool) -> StallCause {
    if decoder > parser, decoder > source { return .decoder }
    if parser > source { return .parser }
    return isLocal ? .disk : .network
  }
}
