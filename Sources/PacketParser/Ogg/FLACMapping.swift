// SPDX-License-Identifier: MIT

import AudioModel

/// FLAC in Ogg (RFC 9639 section 10.1): the metadata blocks, one per packet, then the frames. In an
/// older form, the first packet is the bare signature of a FLAC file.
///
/// ```
/// 7F "FLAC"  version 1.0  packets of metadata 16  "fLaC"  STREAMINFO with its block header
/// ```
struct FLACMapping: OggMapping {
  private static let blockHeaderBytes = 4

  private var info: FLACStreamInfo?
  private(set) var isComplete = false
  private var channelMask: UInt32?
  /// The most bytes of the frames so far by their own headers, which may disagree with `info`.
  private var frameBound = 0
  /// The current block's header, and readers for its content.
  private var blockHeader: [UInt8] = []
  private var streamInfo: [UInt8] = []
  private var comments = VorbisCommentReader()
  private var picture = FLACPictureReader()

  init(_ packet: Span<UInt8>, at offset: Int64) throws(AudioFileStreamError) {
    guard packet.has("\u{7F}FLAC", at: 0) else { return }
    let start = 9 + 4 + Self.blockHeaderBytes
    guard packet.count >= start + FLACStreamInfo.byteCount, packet.has("fLaC", at: 9),
      let info = FLACStreamInfo(packet.extracting(start..<packet.count))
    else { throw Self.broken(at: offset) }
    guard packet[5] == 1 else {
      throw AudioFileStreamError(
        .unsupportedDataFormat, at: offset,
        "the FLAC stream lies in Ogg in a way that is not known here")
    }
    self.info = info
    isComplete = packet[13] & 0x80 != 0
  }

  private static func broken(at offset: Int64) -> AudioFileStreamError {
    AudioFileStreamError(
      .invalidFile, at: offset, "the FLAC stream's information contradicts itself")
  }

  var dataFormat: AudioStreamBasicDescription {
    info?.dataFormat ?? AudioStreamBasicDescription(sampleRate: 0, formatID: .flac)
  }

  var magicCookie: [UInt8] { info?.bytes ?? [] }
  var channelLayout: AudioChannelLayout? { info?.channelLayout(mask: channelMask) }
  var packetSizeUpperBound: Int { max(frameBound, info?.frameByteUpperBound ?? 0) }
  var totalFrames: Int64? { info?.totalFrames }

  mutating func readHeader(
    _ bytes: Span<UInt8>, isStart: Bool, isEnd: Bool, at offset: Int64,
    into tags: inout TagCollector
  ) throws(AudioFileStreamError) -> Bool {
    if isStart {
      if bytes.count > 0, bytes[0] == 0xFF {
        guard info != nil else { throw Self.broken(at: offset) }
        isComplete = true
        return false
      }
      blockHeader = []
      streamInfo = []
      comments = VorbisCommentReader()
      picture = FLACPictureReader()
    }
    var place = 0
    while blockHeader.count < Self.blockHeaderBytes, place < bytes.count {
      blockHeader.append(bytes[place])
      place += 1
    }
    readBlock(bytes.extracting(place..<bytes.count), into: &tags)
    if isEnd { try endBlock(at: offset) }
    return true
  }

  private mutating func readBlock(_ bytes: Span<UInt8>, into tags: inout TagCollector) {
    guard let type = blockHeader.first.map({ $0 & 0x7F }) else { return }
    switch type {
    case 0 where info == nil:
      for index in 0..<bytes.count where streamInfo.count < FLACStreamInfo.byteCount {
        streamInfo.append(bytes[index])
      }
    case 4: comments.read(bytes, into: &tags)
    case 6: picture.read(bytes, into: &tags)
    default: break
    }
  }

  private mutating func endBlock(at offset: Int64) throws(AudioFileStreamError) {
    channelMask = comments.channelMask ?? channelMask
    if !streamInfo.isEmpty {
      info = FLACStreamInfo(streamInfo.span)
      streamInfo = []
    }
    guard info != nil else { throw Self.broken(at: offset) }
    isComplete = (blockHeader.first ?? 0) & 0x80 != 0
  }

  mutating func frames(_ packet: Span<UInt8>) -> Int? {
    guard let info, case .header(let header) = FLACFrameHeader.read(packet, at: 0, isEnd: true)
    else { return nil }
    frameBound = max(frameBound, header.byteUpperBound(info))
    return header.blockSize
  }
}
