// SPDX-License-Identifier: MIT

import AudioModel

/// Properties in the form of Core Audio's `AudioFileStreamGetProperty`: the C structures of AudioFile.h
/// and CoreAudioBaseTypes.h, little-endian.
///
/// Refused with `pty?` are the info dictionary, which Core Audio returns as another library's object
/// (see ``AudioFileStream/infoDictionary``), and the translations, which need an argument (see
/// ``AudioFileStream/packet(containingFrame:)`` and the other translation methods).
extension AudioFileStream {
  /// Bytes of a property's value: `AudioFileStreamGetPropertyInfo`.
  ///
  /// - Throws: `pty?` for a property without such a form, `more` or `unk?` while it has no value.
  public func propertyByteCount(
    _ property: AudioFileStreamPropertyID
  ) throws(AudioFileStreamError) -> Int {
    try data(of: property).count
  }

  /// Writes a property's value to the start of a buffer: `AudioFileStreamGetProperty`.
  ///
  /// - Parameters:
  ///   - property: the property wanted.
  ///   - buffer: room for at least `propertyByteCount` bytes. Unchanged if the call throws.
  /// - Returns: bytes written.
  /// - Throws: the errors of `propertyByteCount`, or `!siz` for a buffer that is too small.
  public func copyProperty(
    _ property: AudioFileStreamPropertyID, into buffer: inout MutableSpan<UInt8>
  ) throws(AudioFileStreamError) -> Int {
    let data = try data(of: property)
    guard buffer.count >= data.count else {
      throw AudioFileStreamError(
        .badPropertySize, at: position,
        "'\(property)' has \(data.count) bytes, and there is room for \(buffer.count)")
    }
    for index in data.indices { buffer[index] = data[index] }
    return data.count
  }

  private func data(
    of property: AudioFileStreamPropertyID
  ) throws(AudioFileStreamError) -> [UInt8] {
    var data: [UInt8] = []
    switch property {
    case .readyToProducePackets: data.append(UInt32(isReadyToProducePackets ? 1 : 0))
    case .fileFormat: data.append(try fileFormat.rawValue.rawValue)
    case .dataFormat: data.append(try dataFormat)
    case .formatList:
      for item in try formatList { data.append(item) }
    case .magicCookieData: data = try magicCookieData
    case .channelLayout: data.append(try channelLayout)
    case .dataOffset: data.append(UInt64(bitPattern: try dataOffset))
    case .audioDataByteCount: data.append(UInt64(try audioDataByteCount))
    case .audioDataPacketCount: data.append(UInt64(try audioDataPacketCount))
    case .maximumPacketSize: data.append(UInt32(clamping: try maximumPacketSize))
    case .packetSizeUpperBound: data.append(UInt32(clamping: try packetSizeUpperBound))
    case .averageBytesPerPacket: data.append(try averageBytesPerPacket.bitPattern)
    case .bitRate: data.append(UInt32(clamping: try bitRate))
    case .packetTableInfo:
      let table = try packetTableInfo
      data.append(UInt64(bitPattern: table.numberValidFrames))
      data.append(UInt32(bitPattern: table.primingFrames))
      data.append(UInt32(bitPattern: table.remainderFrames))
    default:
      throw AudioFileStreamError(
        .unsupportedProperty, at: position, "'\(property)' has no form as plain bytes")
    }
    return data
  }
}

extension [UInt8] {
  /// `AudioFormatListItem`: 48 bytes, of which the last four are padding.
  fileprivate mutating func append(_ item: AudioFormatListItem) {
    append(item.format)
    append(item.channelLayout?.tagAlone ?? 0xFFFF_0000 | item.format.channelsPerFrame & 0xFFFF)
    append(UInt32(0))
  }

  /// `AudioChannelLayout`: 12 bytes, and 20 for each channel that no tag or bitmap describes.
  fileprivate mutating func append(_ layout: AudioChannelLayout) {
    if layout.tag > 0x10000 {
      for field in [layout.tag, 0, 0] { append(field) }
    } else if layout.tag == 0x10000, let bitmap = layout.bitmap, layout.isInBitmapOrder {
      for field in [0x10000, bitmap.rawValue, 0] { append(field) }
    } else {
      for field in [0, 0, UInt32(clamping: layout.labels.count)] { append(field) }
      // Label, flags and three coordinates. No file states the flags and coordinates.
      for label in layout.labels {
        for field in [label, 0, 0, 0, 0] { append(field) }
      }
    }
  }
}

extension AudioChannelLayout {
  /// The tag that describes the layout completely; nil if there is none.
  fileprivate var tagAlone: UInt32? {
    if tag > 0x10000 { return tag }
    switch labels {
    case [3], [42]: return 100 << 16 | 1
    case [1, 2]: return 101 << 16 | 2
    default: return nil
    }
  }
}
