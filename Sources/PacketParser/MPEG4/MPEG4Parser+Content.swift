// SPDX-License-Identifier: MIT

import AudioModel

/// The content of single boxes.
extension MPEG4Parser {
  /// Reads a box, or its first bytes.
  mutating func read(_ header: BoxHeader, _ content: Span<UInt8>) {
    switch (open.last?.kind, header.type) {
    case (nil, "ftyp"): readFileType(content)
    case (.movie, "mvhd"):
      let place = Self.isLong(content) ? 20 : 12
      if content.count >= place + 4 { movieTimescale = content.bigEndian32(at: place) }
    case (.track, "tkhd"):
      let place = Self.isLong(content) ? 20 : 12
      guard content.count >= place + 4 else { return }
      draft.isEnabled = content[3] & 1 == 1
      draft.id = content.bigEndian32(at: place)
    case (.media, "mdhd"):
      let place = Self.isLong(content) ? 20 : 12
      if content.count >= place + 4 { draft.timescale = content.bigEndian32(at: place) }
    case (.media, "hdlr"):
      if content.count >= 12 {
        draft.handler = FourCharacterCode(rawValue: content.bigEndian32(at: 8))
      }
    case (.sampleEntry, _), (.wave, _):
      if !draft.entries.isEmpty {
        draft.entries[draft.entries.count - 1].take(header.type, content)
      }
    case (.extends, "mehd"):
      if Self.isLong(content), content.count >= 12 {
        fragments.movieDuration = Int64(clamping: content.bigEndian64(at: 4))
      } else if content.count >= 8 {
        fragments.movieDuration = Int64(content.bigEndian32(at: 4))
      }
    case (.extends, "trex"): fragments.addDefaults(content)
    case (.trackFragment, "tfhd"): fragments.readHeader(content, track: track?.id)
    case (.trackFragment, "tfdt"): fragments.readTime(content)
    case (.keys, _): tagReader.addKey(content)
    case (.item, "mean"), (.item, "name"): tagReader.read(header.type, content)
    case (.item, "data"): tagReader.readData(header, content, &details.tags)
    case (.userData, _): tagReader.readText(header.type, content, &details.tags)
    default: break
    }
  }

  /// The first byte of a full box is its version; in version 1 times have 64 bits.
  static func isLong(_ content: Span<UInt8>) -> Bool { content.count > 0 && content[0] == 1 }

  private mutating func readFileType(_ content: Span<UInt8>) {
    let brand = content.count >= 4 ? content.bigEndian32(at: 0) : 0
    let name = FourCharacterCode(rawValue: brand)
    isQuickTime = name == "qt  "
    for place in stride(from: 8, to: content.count - 3, by: 4) where content.has("qt  ", at: place)
    {
      isQuickTime = true
    }
    facts.fileFormat =
      switch name {
      case "M4A ": .m4a
      case "M4B ": .m4b
      default:
        if brand >> 8 == 0x33_67_70 {
          .threeGPP
        } else if brand >> 8 == 0x33_67_32 {
          .threeGPP2
        } else {
          .mpeg4
        }
      }
  }

  /// Completes the index, reports the known properties, and goes to the audio.
  mutating func closeMovie(at offset: Int64) throws(AudioFileStreamError) -> ParserStep? {
    hasMovie = true
    guard let draft = enabledTrack ?? disabledTrack else {
      throw AudioFileStreamError(
        .unsupportedDataFormat, at: offset, "the MPEG-4 file has no audio track")
    }
    let track = try SoundTrack(
      draft, fragmentEntry: fragments.isExpected ? fragments.defaultEntry(of: draft.id) : nil,
      at: offset)
    self.track = track
    enabledTrack = nil
    disabledTrack = nil
    if fragments.isExpected {
      fragments.constantPacketBytes = track.encoding.dataFormat.bytesPerPacket
      fragments.nextFrame = track.frameCount
      fragments.index = FragmentIndex(
        packetCount: track.map.packetCount, frameCount: track.frameCount)
      return nil
    }
    if !canReposition, track.map.packetCount > 0, !track.map.isInOrder || track.map.start < offset {
      throw outOfOrder(at: track.map.start)
    }
    facts.dataOffset = track.map.packetCount > 0 ? track.map.start : offset
    phase = .begin
    return .skip(0)
  }

  /// Sets the facts that the index states about all packets.
  mutating func describeTrack() {
    guard let track else { return }
    let map = track.map
    facts.audioExtent = max(0, map.end - map.start)
    facts.statedByteCount = map.byteCount
    facts.statedPacketCount = map.packetCount
    let bytesPerPacket = track.encoding.dataFormat.bytesPerPacket
    facts.packetSizeUpperBound =
      map.packetCount > 0 ? map.largestPacket : track.encoding.packetSizeUpperBound
    if map.packetCount > 0, bytesPerPacket == 0 {
      facts.statedMaximumPacketSize = map.largestPacket
    }
    describeTimes()
    describeEncoding()
  }

  /// Sets the total frames and the valid ones.
  private mutating func describeTimes() {
    guard let track else { return }
    let frames = track.frameCount
    let duration = track.statedDuration
    if let duration { facts.statedFrameCount = min(frames, track.scale.frames(duration)) }
    let isConstant = track.encoding.dataFormat.bytesPerPacket > 0
    if isConstant { facts.statedFrameCount = nil }
    let byTag = details.tags.info[ITunesGaplessInfo.key].flatMap(ITunesGaplessInfo.packetTableInfo)
    let table =
      track.edits.packetTable(
        mediaDuration: isConstant ? track.scale.units(frames) : duration ?? 0, scale: track.scale,
        movieUnits: Int64(movieTimescale), frames: frames)
      ?? byTag?.fitted(to: frames)
      ?? track.encoding.preSkip.flatMap {
        AudioFilePacketTableInfo(priming: $0, end: facts.statedFrameCount ?? frames, of: frames)
      }
    guard let table, table.numberValidFrames > 0 else { return }
    // If all frames are valid, constant packets need no table.
    if isConstant, table.primingFrames == 0, table.remainderFrames == 0 { return }
    facts.packetTableInfo = table
  }

  /// Sets the facts that follow from the encoding.
  mutating func describeEncoding() {
    guard let encoding = track?.encoding else { return }
    let format = encoding.dataFormat
    facts.dataFormat = format
    facts.nominalBitRate = encoding.nominalBitRate
    if format.bytesPerPacket > 0, format.framesPerPacket > 0 {
      let bitRate =
        Double(format.bytesPerPacket) * 8 * format.sampleRate / Double(format.framesPerPacket)
      facts.constantBitRate = Int(bitRate.rounded())
    }
    details.magicCookie = encoding.cookie
    details.formatList = encoding.formatList
    details.channelLayout = encoding.layout
  }
}
