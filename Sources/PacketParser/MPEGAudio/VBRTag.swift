// SPDX-License-Identifier: MIT

import AudioModel

/// The tag in the first frame of a layer III stream, which describes the other frames: the Xing or Info
/// tag with LAME's extension, or Fraunhofer's VBRI.
struct VBRTag {
  /// The relation of byte offsets to time.
  enum SeekTable {
    /// The byte offset at each hundredth of the duration, as 256ths of the whole.
    case xing([UInt8])
    /// The byte offset after each run of `packetsPerEntry` packets, counted from the tag's frame.
    case vbri(ends: [Int64], packetsPerEntry: Int64, scale: Int64)
  }

  /// The number of packets, without the tag's own frame.
  var packetCount: Int64?
  /// Bytes from the tag's frame on, including that frame.
  var byteCount: Int64?
  var seekTable: SeekTable?
  /// Frames that the encoder added before the sound.
  var encoderDelayFrames: Int32?
  /// Frames that the encoder added after the sound.
  var encoderPaddingFrames: Int32?
  /// Whether the tag states that all packets have one bit rate.
  var isConstantBitRate = false

  /// Reads the tag in `frame`, a whole frame that begins with `header`; nil if it is a frame of sound.
  init?(_ frame: Span<UInt8>, header: MPEGAudioHeader) {
    guard header.layer == 3 else { return nil }
    // The tag's offset counts from the side information as if there were no CRC.
    let place = 4 + header.sideInformationBytes
    if frame.has("Xing", at: place) || frame.has("Info", at: place) {
      isConstantBitRate = frame.has("Info", at: place)
      readXing(frame, at: place + 4)
    } else if frame.has("VBRI", at: 36) {
      readVBRI(frame, at: 36)
    } else {
      return nil
    }
  }

  /// Reads flags, then the frames, bytes, table and quality that the flags select, then LAME's block.
  private mutating func readXing(_ frame: Span<UInt8>, at start: Int) {
    guard frame.count - start >= 4 else { return }
    let flags = frame.bigEndian32(at: start)
    var place = start + 4
    if flags & 1 != 0, frame.count - place >= 4 {
      packetCount = Int64(frame.bigEndian32(at: place))
      place += 4
    }
    if flags & 2 != 0, frame.count - place >= 4 {
      byteCount = Int64(frame.bigEndian32(at: place))
      place += 4
    }
    if flags & 4 != 0, frame.count - place >= 100 {
      var table: [UInt8] = []
      table.reserveCapacity(100)
      for index in 0..<100 { table.append(frame[place + index]) }
      if zip(table, table.dropFirst()).allSatisfy({ $0 <= $1 }) { seekTable = .xing(table) }
      place += 100
    }
    if flags & 8 != 0 { place += 4 }
    if packetCount == 0 { packetCount = nil }
    if byteCount == 0 { byteCount = nil }
    readLAME(frame, at: place)
  }

  /// Reads LAME's block, which other encoders write too: a name of nine characters, and at offset 21
  /// the delay and the padding, twelve bits each.
  private mutating func readLAME(_ frame: Span<UInt8>, at start: Int) {
    guard frame.count - start >= 24 else { return }
    for index in 0..<4 where !(0x20...0x7E).contains(frame[start + index]) { return }
    let both = frame.bigEndian32(at: start + 20) & 0xFF_FFFF
    encoderDelayFrames = Int32(both >> 12)
    encoderPaddingFrames = Int32(both & 0xFFF)
  }

  /// Reads version, delay, quality, bytes, frames, then a table of byte counts of equal runs of frames.
  ///
  /// The delay is ignored: no field states the frames after the sound, which a packet table needs, and
  /// it is unclear whether the delay counts the tag's own frame and the decoder's delay. mpg123 and
  /// ffmpeg do not trim by it either.
  private mutating func readVBRI(_ frame: Span<UInt8>, at start: Int) {
    guard frame.count - start >= 26 else { return }
    byteCount = Int64(frame.bigEndian32(at: start + 10))
    packetCount = Int64(frame.bigEndian32(at: start + 14))
    if packetCount == 0 { packetCount = nil }
    if byteCount == 0 { byteCount = nil }
    let entryCount = Int(frame.bigEndian16(at: start + 18))
    let scale = Int64(frame.bigEndian16(at: start + 20))
    let entryBytes = Int(frame.bigEndian16(at: start + 22))
    let packetsPerEntry = Int64(frame.bigEndian16(at: start + 24))
    guard (1...4).contains(entryBytes), packetsPerEntry > 0, scale > 0, entryCount > 0,
      frame.count - start - 26 >= entryCount * entryBytes
    else { return }
    var ends: [Int64] = []
    ends.reserveCapacity(entryCount)
    var end: Int64 = 0
    for index in 0..<entryCount {
      var span: Int64 = 0
      for byte in 0..<entryBytes {
        span = span << 8 | Int64(frame[start + 26 + index * entryBytes + byte])
      }
      end += span * scale
      ends.append(end)
    }
    seekTable = .vbri(ends: ends, packetsPerEntry: packetsPerEntry, scale: scale)
  }

  /// Returns the valid frames, if the tag states the number of packets and the frames added.
  func packetTableInfo(framesPerPacket: Int) -> AudioFilePacketTableInfo? {
    guard let packetCount, let encoderDelayFrames, let encoderPaddingFrames else { return nil }
    let valid =
      packetCount * Int64(framesPerPacket) - Int64(encoderDelayFrames)
      - Int64(encoderPaddingFrames)
    guard valid >= 0 else { return nil }
    return AudioFilePacketTableInfo(
      numberValidFrames: valid, primingFrames: encoderDelayFrames,
      remainderFrames: encoderPaddingFrames)
  }
}

extension VBRTag {
  /// Returns the estimated byte offset of a packet, counted from the tag's frame; nil without a table.
  func estimatedByte(packet: Int64) -> Int64? {
    switch seekTable {
    case .xing(let table):
      guard let packetCount, let byteCount else { return nil }
      // Between two entries the offset grows linearly; the table ends at the last byte, 256/256.
      let position = Double(packet) * 100 / Double(packetCount)
      let index = min(99, max(0, Int(position)))
      let low = Double(table[index])
      let high = index < 99 ? Double(table[index + 1]) : 256
      return Int64((low + (high - low) * (position - Double(index))) / 256 * Double(byteCount))
    case .vbri(let ends, let packetsPerEntry, _):
      let index = Int(min(packet / packetsPerEntry, Int64(ends.count)))
      let low = index == 0 ? 0 : ends[index - 1]
      guard index < ends.count else { return low }
      let into = Double(packet % packetsPerEntry) / Double(packetsPerEntry)
      return low + Int64(Double(ends[index] - low) * into)
    case nil:
      return nil
    }
  }
  /// Returns the largest distance in packets between the packet at `byte`, counted from the tag's
  /// frame, and the one sought; nil without a table.
  func errorBound(packet: Int64, byte: Int64, tagFrameBytes: Int64) -> Int64? {
    guard let anchors = anchors(tagFrameBytes: tagFrameBytes) else { return nil }
    var earliest = 0.0
    var latest = Double(packetCount ?? .max)
    for anchor in anchors.places {
      if anchor.bytes.upperBound <= Double(byte) { earliest = max(earliest, anchor.packet) }
      if anchor.bytes.lowerBound >= Double(byte) { latest = min(latest, anchor.packet) }
    }
    let before = Double(packet) - (earliest - anchors.slack)
    let behind = latest + anchors.slack - Double(packet)
    return Int64(min(max(before, behind, 0) + 1, 0x1p60).rounded(.up))
  }

  /// Returns the table's packet numbers with their possible byte ranges, and an additional error in
  /// packets.
  private func anchors(
    tagFrameBytes: Int64
  ) -> (places: [(packet: Double, bytes: ClosedRange<Double>)], slack: Double)? {
    let tagBytes = Double(tagFrameBytes)
    switch seekTable {
    case .xing(let table):
      guard let packetCount, let byteCount else { return nil }
      // Entries are rounded, by most encoders downwards. LAME uses the byte at the end of a run of up
      // to 1/200 of the packets.
      let unit = Double(byteCount) / 256
      let places = table.indices.map { index in
        let byte = Double(table[index]) * unit
        return (
          packet: Double(packetCount) * Double(index) / 100,
          bytes: byte - unit...byte + unit + tagBytes
        )
      }
      return (places, (Double(packetCount) / 200).rounded(.up) + 1)
    case .vbri(let ends, let packetsPerEntry, let scale):
      // Each entry may be too small by less than one unit.
      let places = ends.indices.map { index in
        let lost = Double(scale) * Double(index + 1)
        let end = Double(ends[index])
        return (
          packet: Double(packetsPerEntry) * Double(index + 1),
          bytes: end - lost - tagBytes...end + lost + tagBytes
        )
      }
      return (places, 1)
    case nil:
      return nil
    }
  }
}
