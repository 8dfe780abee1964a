// SPDX-License-Identifier: MIT

public import AudioModel
public import ByteSources
public import PacketParser

/// What is known of a track once its first packet has been found.
public struct TrackInformation: Sendable, Equatable {
  /// The file's path or the URL without credentials.
  public var location: String
  /// The container or stream type.
  public var fileFormat: AudioFileTypeID
  /// The packets' format.
  public var dataFormat: AudioStreamBasicDescription
  /// Nanoseconds of sound, encoder padding not counted, when the stream or its length says so, or the list
  /// that led to it.
  public var durationNanoseconds: UInt64?
  /// What the duration was reckoned from; nil where it is the list's.
  public var durationEvidence: AudioFileStreamDuration.Evidence?
  /// Bits per second, when known.
  public var bitRate: Int?
  /// Bytes from the start of the source to the first packet.
  public var dataOffset: Int64
  /// Bytes of audio, when known.
  public var audioDataByteCount: Int64?
  /// Packets, when known.
  public var packetCount: Int64?
  /// Sound, delay and padding as the file states them.
  public var packetTable: AudioFilePacketTableInfo?
  /// What the tags say, or else the list that led to it.
  public var title: String?
  /// What the tags say, or else the list that led to it.
  public var artist: String?
  /// What the tags say, or else the list that led to it.
  public var album: String?
  /// The tags' track number, as written: often with the number of tracks, as in "3/12".
  public var trackNumber: String?
  /// What a radio station says of itself; nil for what is none.
  public var station: StationInformation?
  /// Bytes of a free-format frame without its padding; nil for any other stream.
  public var freeFormatFrameBytes: Int?
}
