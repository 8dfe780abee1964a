// SPDX-License-Identifier: MIT

/// One of the formats that the same packets can be decoded as. Core Audio's type of the same name
/// (AudioFile.h): HE-AAC, for one, is also plain AAC at half the rate.
public struct AudioFormatListItem: Hashable, Sendable {
  /// The format.
  public var format: AudioStreamBasicDescription
  /// Which speakers its channels are for, when that is known.
  public var channelLayout: AudioChannelLayout?

  /// An item with these parts.
  public init(format: AudioStreamBasicDescription, channelLayout: AudioChannelLayout? = nil) {
    self.format = format
    self.channelLayout = channelLayout
  }
}
