// SPDX-License-Identifier: MIT

public import AudioModel

/// The properties of a stream. An unknown value throws an error and is never zero: `more` before the
/// parser has reached the audio, `unk?` if the stream does not state it.
extension AudioFileStream {
  /// Whether the parser has reached the audio, so every property known before the packets is available.
  /// `'redy'`.
  public var isReadyToProducePackets: Bool { hasToldReady }

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
    get throws(AudioFileStreamError) { try known(facts.dataOffset, "the byte offset of the audio") }
  }

  /// Bytes of audio, tags not counted: `'bcnt'`. The size that the stream states, bounded by the
  /// stream's length if that is known; the counted bytes once the whole stream was parsed.
  public var audioDataByteCount: Int64 {
    get throws(AudioFileStreamError) { try known(effectiveByteCount, "the audio's size") }
  }

  /// Packets in the stream: `'pcnt'`. From a Xing or VBRI tag, from the size of constant packets, or
  /// counted once the whole stream was parsed.
  public var audioDataPacketCount: Int64 {
    get throws(AudioFileStreamError) { try known(effectivePacketCount, "the number of packets") }
  }

  /// Bytes of the largest packet: `'psze'`. Known if all packets have one size, if the stream states
  /// it, or once the whole stream was parsed.
  public var maximumPacketSize: Int {
    get throws(AudioFileStreamError) {
      let facts = facts
      let constant = facts.dataFormat.map { Int($0.bytesPerPacket) } ?? 0
      let largest =
        constant > 0
        ? constant : facts.isWhole ? facts.largestPacketSeen : facts.statedMaximumPacketSize
      return try known(largest, "the largest packet's size")
    }
  }

  /// Bytes that no packet of this format exceeds: `'pkub'`.
  public var packetSizeUpperBound: Int {
    get throws(AudioFileStreamError) {
      try known(facts.packetSizeUpperBound, "the bound of a packet's size")
    }
  }

  /// Mean bytes of a packet: `'abpp'`. From the stream's own totals, else from the packets so far.
  public var averageBytesPerPacket: Double {
    get throws(AudioFileStreamError) {
      try known(facts.averageBytesPerPacket, "the mean size of a packet")
    }
  }

  /// Bits per second: `'brat'`. From the packets' headers as long as they agree, else from the stream's
  /// totals, the rate that the stream states, or the packets so far.
  public var bitRate: Int {
    get throws(AudioFileStreamError) {
      let facts = facts
      if let constant = facts.constantBitRate { return constant }
      guard let format = facts.dataFormat else { throw unknown("the bit rate") }
      let framesPerPacket = Double(format.framesPerPacket)
      if let bytes = facts.isWhole ? facts.bytesSeen : facts.statedByteCount,
        let frames = effectiveFrameCount, frames > 0
      {
        let sampleRate = facts.durationFormat?.sampleRate ?? format.sampleRate
        return Self.rounded(Double(bytes) * 8 * sampleRate / Double(frames))
      }
      if let nominal = facts.nominalBitRate { return nominal }
      if framesPerPacket > 0, let average = facts.averageBytesPerPacket {
        return Self.rounded(average * 8 * format.sampleRate / framesPerPacket)
      }
      guard facts.framesSeen > 0 else { throw unknown("the bit rate") }
      return Self.rounded(
        Double(facts.bytesSeen) * 8 * format.sampleRate / Double(facts.framesSeen))
    }
  }

  /// The nearest integer, limited to 2 to the 60th because stated values are untrusted.
  static func rounded(_ value: Double) -> Int {
    value > 0 ? Int(min(value, 0x1p60).rounded()) : 0
  }

  /// The speakers of the channels, in the channels' order: `'cmap'`.
  public var channelLayout: AudioChannelLayout {
    get throws(AudioFileStreamError) {
      try known(parser.details.channelLayout, "the channel layout")
    }
  }

  /// The formats as which the packets can be decoded, the richest first: `'flst'`. Most streams have
  /// only the data format.
  public var formatList: [AudioFormatListItem] {
    get throws(AudioFileStreamError) {
      let details = parser.details
      if !details.formatList.isEmpty { return details.formatList }
      return [AudioFormatListItem(format: try dataFormat, channelLayout: details.channelLayout)]
    }
  }

  /// The data that a decoder needs besides the format: `'mgic'`. For AAC the `esds` descriptor (ISO/IEC
  /// 14496-1 section 7.2.6.5) or a bare AudioSpecificConfig, for Apple Lossless its configuration, for
  /// FLAC the stream information block, for Opus the identification header, for Vorbis the three
  /// headers in Xiph's lacing.
  ///
  /// - Throws: `pty?` for a stream whose encoding has no magic cookie.
  public var magicCookieData: [UInt8] {
    get throws(AudioFileStreamError) {
      let cookie = parser.details.magicCookie
      if !cookie.isEmpty { return cookie }
      guard facts.isReady else { throw unknown("the magic cookie") }
      throw AudioFileStreamError(
        .unsupportedProperty, at: position, "this stream has no magic cookie")
    }
  }

  /// The statements of the tags so far: `'info'`.
  public var infoDictionary: AudioFileInfo {
    get throws(AudioFileStreamError) {
      let info = parser.details.tags.info
      return try known(info.isEmpty ? nil : info, "a title or any other tag")
    }
  }

  /// The valid frames and those that the encoder added around them, as the stream states them:
  /// `'pnfo'`. A decoder's own delay (529 frames for layer III) is not included.
  public var packetTableInfo: AudioFilePacketTableInfo {
    get throws(AudioFileStreamError) { try known(effectivePacketTable, "the encoder's delay") }
  }

  /// Bytes of an unpadded frame in free-format MPEG audio, whose headers do not state the size; unknown
  /// for all other streams. A decoder that receives one frame at a time needs it.
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
      case .magicCookieData: _ = try magicCookieData
      case .infoDictionary: _ = try infoDictionary
      case .packetSizeUpperBound: _ = try packetSizeUpperBound
      case .dataOffset: _ = try dataOffset
      default: return true
      }
      return true
    } catch {
      return false
    }
  }

  /// Bytes of audio: counted, else bounded by the stream's length, else as stated.
  var effectiveByteCount: Int64? {
    let facts = facts
    if facts.isWhole { return facts.bytesSeen }
    guard facts.isDataLast, let dataOffset = facts.dataOffset, let totalByteCount else {
      return facts.statedByteCount
    }
    var left = max(0, totalByteCount - dataOffset - trailingTagByteCount)
    if let format = facts.dataFormat, format.bytesPerPacket > 0 {
      left = format.usableBytes(of: left)
    }
    return min(left, facts.statedByteCount ?? left)
  }

  /// Packets: counted, else from the size of constant packets, else as stated.
  var effectivePacketCount: Int64? {
    let facts = facts
    if facts.isWhole { return facts.packetsSeen }
    if let format = facts.dataFormat, format.bytesPerPacket > 0 {
      return effectiveByteCount.map { format.packets(inBytes: $0) }
    }
    return facts.statedPacketCount
  }

  /// All frames, priming frames included, counted or as stated.
  var effectiveFrameCount: Int64? {
    let facts = facts
    let format = facts.durationFormat
    let framesPerPacket = Int64(format?.framesPerPacket ?? 0)
    if facts.isWhole, facts.firstFormat != nil { return facts.countedFrames }
    if facts.isWhole, framesPerPacket == 0 || facts.framesSeen > 0 { return facts.framesSeen }
    var byPackets: Int64?
    if let format, format.bytesPerPacket > 0 {
      byPackets = effectiveByteCount.map { format.frames(inBytes: $0) }
    } else if framesPerPacket > 0 {
      byPackets = effectivePacketCount.map { Self.frames(ofPackets: $0, framesPerPacket) }
    }
    guard let stated = facts.statedFrameCount else { return byPackets }
    return min(stated, byPackets ?? stated)
  }

  /// Frames of `count` packets, limited to 2 to the 60th: a server may claim any length.
  static func frames(ofPackets count: Int64, _ framesPerPacket: Int64) -> Int64 {
    let (frames, overflow) = count.multipliedReportingOverflow(by: framesPerPacket)
    return overflow ? 1 << 60 : min(frames, 1 << 60)
  }

  func known<Value>(
    _ value: Value?, _ name: @autoclosure () -> String
  ) throws(AudioFileStreamError) -> Value {
    guard let value else { throw unknown(name()) }
    return value
  }

  private func unknown(_ name: String) -> AudioFileStreamError {
    hasToldReady
      ? AudioFileStreamError(.valueUnknown, at: position, "the stream does not state \(name)")
      : AudioFileStreamError(
        .dataUnavailable, at: position, "\(name) is not known before more is parsed")
  }
}
