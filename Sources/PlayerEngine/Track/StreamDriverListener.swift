// SPDX-License-Identifier: MIT

public import ByteSources
public import PacketParser

/// Listens to what a ``StreamDriver`` finds in the bytes, and to what a station says between them.
public protocol StreamDriverListener: AudioFileStreamListener {
  /// The station says this of the sound from `byteOffset` on, which is counted as the parser counts.
  /// Told before any byte behind that is parsed.
  mutating func streamDriver(found metadata: StreamMetadata)

  /// Live sound goes on as another stream, with a parser of its own: packets, frames and bytes are counted
  /// from 0 again. Its properties follow.
  mutating func streamDriverBeganStream()
}

extension StreamDriverListener {
  /// Nothing: most listeners read what is no station.
  public mutating func streamDriver(found metadata: StreamMetadata) {}

  /// Does nothing: most listeners read what is never lost.
  public mutating func streamDriverBeganStream() {}
}
