// SPDX-License-Identifier: MIT

public import ByteSources

/// What sound waits for, or last waited for.
public enum StallCause: String, Sendable, CaseIterable {
  /// A server, or the way to it.
  case network
  /// A file, a pipe, or the disk under it.
  case disk
  /// Reading the container took longer than the sound lasts.
  case parser
  /// Decoding ahead of the callback took longer than the sound lasts.
  case decoder
}

/// How a player stands to the sound that it is going to need.
public struct BufferingStatus: Sendable, Equatable {
  /// Nanoseconds of sound that are ready to be rendered.
  public var bufferedNanoseconds: UInt64 = 0
  /// Bytes that came over the network per second, in the last seconds; nil for what is local and
  /// until there is something to reckon with.
  public var arrivalBytesPerSecond: Double?
  /// Times that the sound stopped because there was no more of it.
  public var stallCount = 0
  /// What the sound waits for now; nil while it does not wait.
  public var waitsFor: StallCause?
  /// What it waited for when it stopped last; nil when it never did.
  public var lastStallCause: StallCause?
  /// What the source of the track that is being read does; nil between tracks.
  public var source: ByteSourceStatus?

  /// Nothing buffered, nothing known.
  public init() {}
}

/// How fast bytes came in the last seconds: a value that is told a growing count now and then.
struct ArrivalMeter {
  private var samples: [(nanoseconds: UInt64, byteCount: UInt64)] = []
  private static let window: UInt64 = 3_000_000_000
  private static let step: UInt64 = 100_000_000

  /// Takes the count of this moment. A count that has shrunk is another source's.
  mutating func note(byteCount: UInt64, at nanoseconds: UInt64) {
    if let last = samples.last {
      if byteCount < last.byteCount {
        samples = []
      } else if nanoseconds < last.nanoseconds + Self.step {
        return
      }
    }
    samples.append((nanoseconds, byteCount))
    while samples.count > 2, samples[1].nanoseconds + Self.window <= nanoseconds {
      samples.removeFirst()
    }
  }

  /// Bytes per second; nil before two moments are known.
  var bytesPerSecond: Double? {
    guard let first = samples.first, let last = samples.last, last.nanoseconds > first.nanoseconds
    else { return nil }
    return Double(last.byteCount - first.byteCount) * 1e9
      / Double(last.nanoseconds - first.nanoseconds)
  }
}

/// Where the feeder's time went of late: what is long ago counts less and less.
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

  /// What took most.
  func cause(isLocal: Bool) -> StallCause {
    if decoder > parser, decoder > source { return .decoder }
    if parser > source { return .parser }
    return isLocal ? .disk : .network
  }
}
