// SPDX-License-Identifier: MIT

import AudioModel

/// FLAC without a magic cookie, as ffmpeg writes it: the description has the mean of all packets' frames,
/// the short last one among them, and the packet table as many times that. What the frames' own headers
/// say is what is decoded.
extension CoreAudioFormatParser {
  /// Looks at the last packet, where the parser can go to it, then at the first one.
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
    let header = blockHeader(bytes.extracting(0..<min(wanted, bytes.count)))
    if isLast {
      lastBlockSize = header?.blockSize
      state = .blockSize(isLast: false)
      return .skip(0)
    }
    state = .firstByte
    // The audio begins here: there is no need to go back.
    isTableBehind = false
    // Where blocks differ in size, one does not tell of all.
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

  /// The header at the start of a packet, which has to name its own bits a sample.
  private func blockHeader(_ packet: Span<UInt8>) -> FLACFrameHeader? {
    guard packet.count > 3, let format = facts.dataFormat, format.sampleRate < 0x1p20,
      (1...8).contains(format.channelsPerFrame)
    else { return nil }
    let bits = [0, 8, 12, 0, 16, 20, 24, 32][Int(packet[3] >> 1 & 7)] as UInt64
    guard bits > 0 else { return nil }
    // What a block of stream information would say of it.
    let fields =
      UInt64(format.sampleRate) << 44 | UInt64(format.channelsPerFrame - 1) << 41 | (bits - 1) << 36
    var block: [UInt8] = [0, 16, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0]
    for shift in stride(from: 56, through: 0, by: -8) {
      block.append(UInt8(truncatingIfNeeded: fields >> UInt64(shift)))
    }
    block += [UInt8](repeating: 0, count: FLACStreamInfo.byteCount - block.count)
    guard let info = FLACStreamInfo(block.span),
      case .header(let header) = FLACFrameHeader.read(packet, at: 0, info, isEnd: true)
    else { return nil }
    return header
  }
}
