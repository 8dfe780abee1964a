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
