// SPDX-License-Identifier: MIT

public import AudioModel

/// What is known of the stream. A value that is not known is an error, never zero: `more` before
/// the parser has reached the audio, `unk?` when the stream does not say.
extension AudioFileStream {
  /// Whether the parser has reached the audio: all that can be known before is known. `'redy'`.
  public var isReadyToProducePackets: Bool { facts.isReady }

  /// The file type: `'ffmt'`.
  public var fileFormat: AudioFileTypeID {
    get throws(AudioFileStreamError) { try known(facts.fileFormat, "the file type") }
  }

  /// The format of the packets that come next: `'dfmt'`.
  public var dataFormat: AudioStreamBasicDescription {
    get throws(AudioFileStreamError) { try known(facts.dataFormat, "the data format") }
  }

  /// Bytes from the start of the stream to the first packet: `'doff'`.
  public var dataOffset: Int64 {
    get throws(AudioFileStreamError) { try known(facts.dataOffset, "the place of the audio") }
  }

  /// Bytes of audio, tags not counted: `'bcnt'`. What the stream says, bounded by its length where
  /// `tell` gave that; or what was counted once all of it was parsed.
  public var audioDataByteCount: Int64 {
    get throws(AudioFileStreamError) { try known(effectiveByteCount, "the audio's size") }
  }

  /// Packets in the stream: `'pcnt'`. From a Xing or VBRI tag, from the size of constant packets,
  /// or counted once all of the stream was parsed.
  public var audioDataPacketCount: Int64 {
    get throws(AudioFileStreamError) { try known(effectivePacketCount, "the number of packets") }
  }

  /// Bytes of the largest packet: `'psze'`. Known when all packets have one size, or once all of the
  /// stream was parsed.
  public var maximumPacketSize: Int {
    get throws(AudioFileStreamError) {
      let facts = facts
      let constant = facts.dataFormat.map { Int($0.bytesPerPacket) } ?? 0
      let largest = constant > 0 ? constant : facts.isWhole ? facts.largestPacketSeen : nil
      return try known(largest, "the largest packet's size")
    }
  }

  /// Bytes that no packet of this format exceeds: `'pkub'`.
  public var packetSizeUpperBound: Int {
    get throws(AudioFileStreamError) {
      try known(facts.packetSizeUpperBound, "the bound of a packet's size")
    }
  }

  /// Mean bytes of a packet: `'abpp'`. By the stream's own totals, else of the packets so far.
  public var averageBytesPerPacket: Double {
    get throws(AudioFileStreamError) {
      try known(facts.averageBytesPerPacket, "the mean size of a packet")
    }
  }

  /// Bits per second: `'brat'`. What the packets' headers say as long as they agree, else by the
  /// mean size of a packet.
  public var bitRate: Int {
    get throws(AudioFileStreamError) {
      let facts = facts
      if let constant = facts.constantBitRate { return constant }
      guard let average = facts.averageBytesPerPacket, let format = facts.dataFormat,
        format.framesPerPacket > 0
      else { throw unknown("the bit rate") }
      let packetsPerSecond = format.sampleRate / Double(format.framesPerPacket)
      return Int((average * 8 * packetsPerSecond).rounded())
    }
  }

  /// Which speakers the channels are for: `'cmap'`.
  public var channelLayout: AudioChannelBitmap {
    get throws(AudioFileStreamError) { try known(facts.channelLayout, "the channel layout") }
  }

  /// The frames that are sound, and those that the encoder put around them, as the stream states
  /// them: `'pnfo'`. A decoder's own delay (529 frames for layer III) is not in them.
  public var packetTableInfo: AudioFilePacketTableInfo {
    get throws(AudioFileStreamError) { try known(facts.packetTableInfo, "the encoder's delay") }
  }

  /// Bytes of a frame without its padding in MPEG audio of free format, whose headers do not tell
  /// it; unknown for all other streams. A decoder that is handed one frame at a time needs it.
  public var freeFormatFrameByteCount: Int {
    get throws(AudioFileStreamError) {
      try known(facts.freeFormatFrameByteCount, "a free-format frame size")
    }
  }

  /// Whether a property has a value.
  func isKnown(_ property: AudioFileStreamPropertyID) -> Bool {
    do throws(AudioFileStreamError) {
      switch property {
      case .bitRate: _ = try bitRate
      case .maximumPacketSize: _ = try maximumPacketSize
      case .averageBytesPerPacket: _ = try averageBytesPerPacket
      case .audioDataByteCount: _ = try audioDataByteCount
      case .audioDataPacketCount: _ = try audioDataPacketCount
      case .packetTableInfo: _ = try packetTableInfo
      case .channelLayout: _ = try channelLayout
      default: return true
      }
      return true
    } catch {
      return false
    }
  }

  /// Bytes of audio, by counting, by statement, or by the stream's length.
  var effectiveByteCount: Int64? {
    let facts = facts
    if facts.isWhole { return facts.bytesSeen }
    guard let dataOffset = facts.dataOffset, let totalByteCount else {
      return facts.statedByteCount
    }
    var left = max(0, totalByteCount - dataOffset - trailingTagByteCount)
    if let frame = facts.dataFormat?.bytesPerPacket, frame > 0 { left -= left % Int64(frame) }
    return min(left, facts.statedByteCount ?? left)
  }

  /// Packets, by counting, by the size of constant packets, or by statement.
  var effectivePacketCount: Int64? {
    let facts = facts
    if facts.isWhole { return facts.packetsSeen }
    if let size = facts.dataFormat?.bytesPerPacket, size > 0 {
      return effectiveByteCount.map { $0 / Int64(size) }
    }
    return facts.statedPacketCount
  }

  private func known<Value>(
    _ value: Value?, _ name: StaticString
  ) throws(AudioFileStreamError) -> Value {
    guard let value else { throw unknown(name) }
    return value
  }

  private func unknown(_ name: StaticString) -> AudioFileStreamError {
    facts.isReady
      ? AudioFileStreamError(.valueUnknown, at: position, "the stream does not tell \(name)")
      : AudioFileStreamError(
        .dataUnavailable, at: position, "\(name) is not known before more is parsed")
  }
}
