// SPDX-License-Identifier: MIT

public import ByteSources

/// The cause of a wait for sound.
public enum StallCause: String, Sendable, CaseIterable {
  /// A server, or the network path to it.
  case network
  /// A file, a pipe, or the disk under it.
  case disk
  /// Reading the container took longer than the sound lasts.
  case parser
  /// Decoding ahead of the callback took longer than the sound lasts.
  case decoder
}

/// The buffer level, arrival rate and underruns of a player.
public struct BufferingStatus: Sendable, Equatable {
  /// Nanoseconds of sound that are ready to be rendered.
  public var bufferedNanoseconds: UInt64 = 0
  /// Bytes per second that arrived over the network in the last three seconds; nil for a local source and until two
  /// samples exist.
  public var arrivalBytesPerSecond: Double?
  /// Underruns: times that the sound stopped because the ring was empty.
  public var stallCount = 0
  /// The cause of the present wait for sound; nil unless the player is opening or buffering.
  public var waitsFor: StallCause?
  /// The cause of the last underrun; nil before the first.
  public var lastStallCause: StallCause?
  /// The status of the source of the track being read; nil between tracks.
  public var source: ByteSourceStatus?

  /// A status with an empty buffer and without measurements.
  public init() {}
}
