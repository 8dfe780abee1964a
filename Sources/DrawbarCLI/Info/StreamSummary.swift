// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser

/// What a parser knows of its stream at one moment; nil is unknown.
struct StreamSummary {
  var fileFormat: AudioFileTypeID?
  var dataFormat: AudioStreamBasicDescription?
  /// What the packets can be decoded as, the richest first.
  var formatList: [AudioFormatListItem] = []
  var channelLayout: AudioChannelLayout?
  var dataOffset: Int64?
  var audioDataByteCount: Int64?
  var packetCount: Int64?
  var bitRate: Int?
  var duration: AudioFileStreamDuration?
  var packetTable: AudioFilePacketTableInfo?
  var info: AudioFileInfo?

  /// Nothing is known.
  init() {}

  /// What is known now.
  init(_ stream: borrowing AudioFileStream) {
    fileFormat = try? stream.fileFormat
    dataFormat = try? stream.dataFormat
    formatList = (try? stream.formatList) ?? []
    channelLayout = try? stream.channelLayout
    dataOffset = try? stream.dataOffset
    audioDataByteCount = try? stream.audioDataByteCount
    packetCount = try? stream.audioDataPacketCount
    bitRate = try? stream.bitRate
    duration = try? stream.duration
    packetTable = try? stream.packetTableInfo
    info = try? stream.infoDictionary
  }

  /// Keeps the format that the stream begins with, where it goes on in another one.
  mutating func keepFormat(of head: Self) {
    guard let first = head.dataFormat, let last = dataFormat,
      first.formatID != last.formatID || first.sampleRate != last.sampleRate
        || first.channelsPerFrame != last.channelsPerFrame
    else { return }
    dataFormat = first
    formatList = head.formatList
    channelLayout = head.channelLayout
  }

  var pictures: [AudioFilePicture] { info?.pictures ?? [] }

  /// The front cover, else the first picture; its place among the pictures.
  var coverIndex: Int? {
    pictures.firstIndex { $0.kind == 3 } ?? (pictures.isEmpty ? nil : 0)
  }
}
