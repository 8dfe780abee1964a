// SPDX-License-Identifier: MIT

/// One of several formats as which the same packets can be decoded. Core Audio's type of the same name
/// (AudioFile.h): HE-AAC, for example, is also plain AAC at half the rate.
public struct AudioFormatListItem: Hashable, Sendable {
  /// The format.
  public var format: AudioStreamBasicDescription
  /// The speakers of its channels, if known.
  public var channelLayout: AudioChannelLayout?

  /// Creates an item from its parts.
  public init(format: AudioStreamBasicDescription, channelLayout: AudioChannelLayout? = nil) {
    self.format = format
    self.channelLayout = channelLayout
  }
}
