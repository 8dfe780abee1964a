// SPDX-License-Identifier: MIT

public import AudioModel

/// A property of a stream that a parser can report. Core Audio's `AudioFileStreamPropertyID`
/// (AudioFileStream.h).
public struct AudioFileStreamPropertyID: RawRepresentable, Hashable, Sendable {
  /// The four-character code.
  public var rawValue: FourCharacterCode

  /// Creates the property with this code.
  public init(rawValue: FourCharacterCode) {
    self.rawValue = rawValue
  }

  /// All properties known before the first packet have been reported: `'redy'`.
  public static let readyToProducePackets = AudioFileStreamPropertyID(rawValue: "redy")
  /// The file type: `'ffmt'`.
  public static let fileFormat = AudioFileStreamPropertyID(rawValue: "ffmt")
  /// The packets' format: `'dfmt'`.
  public static let dataFormat = AudioFileStreamPropertyID(rawValue: "dfmt")
  /// All formats as which the packets can be decoded: `'flst'`.
  public static let formatList = AudioFileStreamPropertyID(rawValue: "flst")
  /// The data that a decoder needs besides the format: `'mgic'`.
  public static let magicCookieData = AudioFileStreamPropertyID(rawValue: "mgic")
  /// Bytes of audio data: `'bcnt'`.
  public static let audioDataByteCount = AudioFileStreamPropertyID(rawValue: "bcnt")
  /// Packets of audio data: `'pcnt'`.
  public static let audioDataPacketCount = AudioFileStreamPropertyID(rawValue: "pcnt")
  /// Bytes of the largest packet in the file: `'psze'`.
  public static let maximumPacketSize = AudioFileStreamPropertyID(rawValue: "psze")
  /// Byte offset of the first packet: `'doff'`.
  public static let dataOffset = AudioFileStreamPropertyID(rawValue: "doff")
  /// The speakers of the channels: `'cmap'`.
  public static let channelLayout = AudioFileStreamPropertyID(rawValue: "cmap")
  /// The first frame of a packet: `'pkfr'`.
  public static let packetToFrame = AudioFileStreamPropertyID(rawValue: "pkfr")
  /// The packet that holds a frame: `'frpk'`.
  public static let frameToPacket = AudioFileStreamPropertyID(rawValue: "frpk")
  /// The first byte of a packet: `'pkby'`.
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
  /// The statements of the tags: `'info'`.
  public static let infoDictionary = AudioFileStreamPropertyID(rawValue: "info")

  /// The properties reported before the first packet, in this order, if they are known.
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
