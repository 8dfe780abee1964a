// SPDX-License-Identifier: MIT

public import AudioModel

/// Names what a listener can be told about a stream. Core Audio's `AudioFileStreamPropertyID`
/// (AudioFileStream.h).
public struct AudioFileStreamPropertyID: RawRepresentable, Hashable, Sendable {
  /// The four-character code.
  public var rawValue: FourCharacterCode

  /// The property with this code.
  public init(rawValue: FourCharacterCode) {
    self.rawValue = rawValue
  }

  /// Everything that can be known before the first packet is known: `'redy'`.
  public static let readyToProducePackets = AudioFileStreamPropertyID(rawValue: "redy")
  /// The file type: `'ffmt'`.
  public static let fileFormat = AudioFileStreamPropertyID(rawValue: "ffmt")
  /// The packets' format: `'dfmt'`.
  public static let dataFormat = AudioFileStreamPropertyID(rawValue: "dfmt")
  /// All formats that the packets can be decoded as: `'flst'`.
  public static let formatList = AudioFileStreamPropertyID(rawValue: "flst")
  /// What a decoder needs besides the format: `'mgic'`.
  public static let magicCookieData = AudioFileStreamPropertyID(rawValue: "mgic")
  /// Bytes of audio data: `'bcnt'`.
  public static let audioDataByteCount = AudioFileStreamPropertyID(rawValue: "bcnt")
  /// Packets of audio data: `'pcnt'`.
  public static let audioDataPacketCount = AudioFileStreamPropertyID(rawValue: "pcnt")
  /// Bytes of the largest packet in the file: `'psze'`.
  public static let maximumPacketSize = AudioFileStreamPropertyID(rawValue: "psze")
  /// Byte offset of the first packet: `'doff'`.
  public static let dataOffset = AudioFileStreamPropertyID(rawValue: "doff")
  /// Which speakers the channels are for: `'cmap'`.
  public static let channelLayout = AudioFileStreamPropertyID(rawValue: "cmap")
  /// The frame that a packet begins with: `'pkfr'`.
  public static let packetToFrame = AudioFileStreamPropertyID(rawValue: "pkfr")
  /// The packet that holds a frame: `'frpk'`.
  public static let frameToPacket = AudioFileStreamPropertyID(rawValue: "frpk")
  /// The byte that a packet begins at: `'pkby'`.
  public static let packetToByte = AudioFileStreamPropertyID(rawValue: "pkby")
  /// The packet that holds a byte: `'bypk'`.
  public static let byteToPacket = AudioFileStreamPropertyID(rawValue: "bypk")
  /// Valid, priming and remainder frames: `'pnfo'`.
  public static let packetTableInfo = AudioFileStreamPropertyID(rawValue: "pnfo")
  /// Bytes that no packet of this format exceeds: `'pkub'`.
  public static let packetSizeUpperBound = AudioFileStreamPropertyID(rawValue: "pkub")
  /// Mean bytes of a packet: `'abpp'`.
  public static let averageBytesPerPacket = AudioFileStreamPropertyID(rawValue: "abpp")
  /// Bits per second: `'brat'`.
  public static let bitRate = AudioFileStreamPropertyID(rawValue: "brat")
  /// What the tags say: `'info'`.
  public static let infoDictionary = AudioFileStreamPropertyID(rawValue: "info")

  /// What a listener is told before the first packet, in this order, as far as it is known.
  static let beforePackets: [AudioFileStreamPropertyID] = [
    .fileFormat, .dataFormat, .formatList, .magicCookieData, .channelLayout, .dataOffset,
    .audioDataByteCount, .audioDataPacketCount, .maximumPacketSize, .packetSizeUpperBound,
    .bitRate, .packetTableInfo, .infoDictionary, .readyToProducePackets,
  ]
}

extension AudioFileStreamPropertyID: CustomStringConvertible {
  /// The code as four characters.
  public var description: String { rawValue.description }
}
