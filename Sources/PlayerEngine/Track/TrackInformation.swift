// SPDX-License-Identifier: MIT

public import AudioModel
public import ByteSources
public import PacketParser

/// Format, tags and duration of a track, known once its first packet has been found.
public struct TrackInformation: Sendable, Equatable {
  /// The file's path or the URL without credentials.
  public var location: String
  /// The container or stream type.
  public var fileFormat: AudioFileTypeID
  /// The packets' format.
  public var dataFormat: AudioStreamBasicDescription
  /// Nanoseconds of sound without encoder padding, from the stream, its length or the track's list; nil if unknown.
  public var durationNanoseconds: UInt64?
  /// The basis of the duration; nil if the list states it.
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
  /// The title in the tags, or else in the list.
  public var title: String?
  /// The artist in the tags, or else in the list.
  public var artist: String?
  /// The album in the tags, or else in the list.
  public var album: String?
  /// The tags' track number, as written: often with the number of tracks, as in "3/12".
  public var trackNumber: String?
  /// A radio station's description of itself; nil for any other source.
  public var station: StationInformation?
  /// Bytes of a free-format frame without its padding; nil for any other stream.
  public var freeFormatFrameBytes: Int?
}
