// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser

/// The properties of a stream that its parser knows at one moment; nil means unknown.
struct StreamSummary {
  var fileFormat: AudioFileTypeID?
  var dataFormat: AudioStreamBasicDescription?
  /// The formats that the packets can be decoded to, the richest first.
  var formatList: [AudioFormatListItem] = []
  var channelLayout: AudioChannelLayout?
  var dataOffset: Int64?
  var audioDataByteCount: Int64?
  var packetCount: Int64?
  var bitRate: Int?
  var duration: AudioFileStreamDuration?
  var packetTable: AudioFilePacketTableInfo?
  var info: AudioFileInfo?

  /// Creates a summary without properties.
  init() {}

  /// Creates a summary of the properties known now.
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

  /// Restores the first format of a stream that has changed its format.
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

  /// The index of the front cover, or else of the first picture.
  var coverIndex: Int? {
    pictures.firstIndex { $0.kind == 3 } ?? (pictures.isEmpty ? nil : 0)
  }
}
