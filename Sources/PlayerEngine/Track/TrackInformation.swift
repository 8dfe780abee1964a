// SPDX-License-Identifier: MIT

public import AudioModel
public import PacketParser

/// What is known of a track once its first packet has been found.
public struct TrackInformation: Sendable, Equatable {
  /// The file's path or the URL without credentials.
  public var location: String
  /// The container or stream type.
  public var fileFormat: AudioFileTypeID
  /// The packets' format.
  public var dataFormat: AudioStreamBasicDescription
  /// Nanoseconds of sound, encoder padding not counted, when the stream or its length says so.
  public var durationNanoseconds: UInt64?
  /// What the duration was reckoned from.
  public var durationSource: AudioFileStreamDuration.Source?
  /// Bits per second, when known.
  public var bitRate: UInt32?
  /// Bytes from the start of the source to the first packet.
  public var dataOffset: Int64
  /// Bytes of audio, when known.
  public var audioDataByteCount: UInt64?
  /// Packets, when known.
  public var packetCount: UInt64?
  /// Sound, delay and padding as the file states them.
  public var packetTable: AudioFilePacketTableInfo?
  /// Whether the source could be read from another byte.
  public var isSeekable: Bool
}
