// SPDX-License-Identifier: MIT

import AudioModel

/// FLAC without a magic cookie, as ffmpeg writes it: the description states the mean frames of all
/// packets, the short last one included, and the packet table a multiple of that. The frames' own
/// headers state the frames that are decoded.
extension CoreAudioFormatParser {
  /// Reads the header of the last packet, if the parser can go to it, then that of the first one.
  mutating func stepBlockSize(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool, isLast: Bool
  ) -> ParserStep {
    guard let table, var place = table.place(ofPacket: isLast ? table.end.packet - 1 : 0),
      let packet = table.next(&place)
    else {
      state = .firstByte
      return .skip(0)
    }
    let start = (facts.dataOffset ?? 0) + place.byteOffset - packet.byteCount
    guard offset == start else { return .goTo(start) }
    let wanted = min(FLACFrameHeader.maximumBytes, Int(packet.byteCount))
    guard bytes.count >= wanted || isEnd else { return .need(wanted) }
    var header: FLACFrameHeader?
    let packetStart = bytes.extracting(0..<min(wanted, bytes.count))
    if case .header(let found) = FLACFrameHeader.read(packetStart, at: 0, isEnd: true) {
      header = found
    }
    if isLast {
      lastBlockSize = header?.blockSize
      state = .blockSize(isLast: false)
      return .skip(0)
    }
    state = .firstByte
    // The audio begins here, so there is no need to go back.
    isTableBehind = false
    // If blocks differ in size, one does not determine the others.
    if let header, !header.isVariable { take(blockSize: header.blockSize) }
    return .skip(0)
  }

  private mutating func take(blockSize: Int) {
    guard let table, table.framesPerPacket != Int64(blockSize) else { return }
    self.table?.correct(framesPerPacket: Int64(blockSize))
    facts.dataFormat?.framesPerPacket = UInt32(blockSize)
    facts.packetTableInfo = nil
    facts.statedFrameCount = lastBlockSize.map {
      (table.end.packet - 1) * Int64(blockSize) + Int64(min($0, blockSize))
    }
  }
}
