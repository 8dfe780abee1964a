// SPDX-License-Identifier: MIT

public import AudioModel

/// placeholder
public struct AudioFileStream: ~Copyable {
  /// x
  public init(hint: AudioFileTypeID? = nil) {}
}
