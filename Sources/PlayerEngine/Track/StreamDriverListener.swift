// SPDX-License-Identifier: MIT

public import ByteSources
public import PacketParser

/// Receives the results of a ``StreamDriver`` and the station's metadata between the bytes.
public protocol StreamDriverListener: AudioFileStreamListener {
  /// Receives the station's metadata for the sound from its `byteOffset` on, which is counted as the parser counts.
  /// Called before any later byte is parsed.
  mutating func streamDriver(found metadata: StreamMetadata)

  /// Notes that live sound continues as another stream. Its own parser counts packets, frames and bytes from 0 again.
  /// Its properties follow.
  mutating func streamDriverBeganStream()
}

extension StreamDriverListener {
  /// Does nothing: most listeners read no station.
  public mutating func streamDriver(found metadata: StreamMetadata) {}

  /// Does nothing: most sources are never interrupted.
  public mutating func streamDriverBeganStream() {}
}
