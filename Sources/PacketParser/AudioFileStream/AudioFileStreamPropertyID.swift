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
  /// Valid, priming and remainder frames: `'pnfo'`.
  public static let packetTableInfo = AudioFileStreamPropertyID(rawValue: "pnfo")
  /// Bytes that no packet of this format exceeds: `'pkub'`.
  public static let packetSizeUpperBound = AudioFileStreamPropertyID(rawValue: "pkub")
  /// Mean bytes of a packet: `'abpp'`.
  public static let averageBytesPerPacket = AudioFileStreamPropertyID(rawValue: "abpp")
  /// Bits per second: `'brat'`.
  public static let bitRate = AudioFileStreamPropertyID(rawValue: "brat")
}

extension AudioFileStreamPropertyID: CustomStringConvertible {
  /// The code as four characters.
  public var description: String { rawValue.description }
}
