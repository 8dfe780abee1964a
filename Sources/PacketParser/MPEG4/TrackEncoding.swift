// SPDX-License-Identifier: MIT

import AudioModel

/// The encoding of a sample entry: the format of the packets and their relation to samples.
struct TrackEncoding {
  var dataFormat: AudioStreamBasicDescription
  var formatList: [AudioFormatListItem] = []
  var cookie: [UInt8] = []
  /// The part of the cookie that a decoder uses, without the stream numbers and bit rates around it.
  private var configuration: [UInt8] = []
  var layout: AudioChannelLayout?
  var nominalBitRate: Int?
  /// Whether the encoding itself fixes `framesPerPacket`; otherwise the durations of the samples do.
  var hasFixedFrames = true
  /// Whether the packets' own headers state layer and rate.
  var isMPEGAudio = false
  /// The most bytes of a packet that no table lists.
  var packetSizeUpperBound = MPEG4Parser.maximumPacketBytes

  /// Creates the encoding of an entry.
  ///
  /// - Parameters:
  ///   - timescale: the media's units per second, used as the rate if nothing else states it.
  ///   - offset: the byte offset of the entry, for errors.
  init(
    _ entry: SampleEntry, timescale: UInt32, at offset: Int64
  ) throws(AudioFileStreamError) {
    if entry.type == "enca" || entry.type == "drms" {
      throw AudioFileStreamError(
        .unsupportedDataFormat, at: offset,
        "the audio is encrypted ('\(entry.type)'), and cannot be played without its key")
    }
    var rate = entry.sampleRate.rounded()
    if !(rate >= 1) { rate = Double(timescale) }
    dataFormat = AudioStreamBasicDescription(
      sampleRate: rate, formatID: AudioFormatID(rawValue: entry.type),
      channelsPerFrame: UInt32(clamping: entry.channels))
    cookie = entry.cookie
    configuration = entry.elementaryStream?.specificInfo ?? entry.cookie
    layout = entry.statedLayout
    try describe(entry, at: offset)
    let format = dataFormat
    guard (1...3_000_000).contains(format.sampleRate), (1...1024).contains(format.channelsPerFrame)
    else {
      throw AudioFileStreamError(
        .invalidFile, at: offset,
        "the audio track's format makes no sense: \(format.channelsPerFrame) channels, "
          + "\(Int64(clamping: Int(exactly: format.sampleRate) ?? 0)) Hz")
    }
    if layout?.labels.count != Int(format.channelsPerFrame) { layout = nil }
    if layout == nil, format.channelsPerFrame <= 2 {
      layout = AudioChannelLayout(.standard(channels: format.channelsPerFrame))
    }
  }

  /// Whether packets of both can be decoded as one stream.
  func isSame(as other: Self) -> Bool {
    dataFormat == other.dataFormat && configuration == other.configuration
      && formatList == other.formatList
  }

  private mutating func describe(_ entry: SampleEntry, at offset: Int64)
    throws(AudioFileStreamError)
  {
    switch entry.type {
    case "mp4a": describeMPEG4(entry)
    case ".mp3", "ms\0U": setMPEGAudio()
    case "alac": describeLossless()
    case "fLaC": describeFLAC()
    case "Opus": describeOpus()
    case "ac-3":
      set(.ac3, framesPerPacket: 1536, bound: 3840)
      takeAC3(entry)
    case "ec-3":
      set(.enhancedAC3, framesPerPacket: 0, bound: 1 << 16)
      takeAC3(entry)
    case "samr": set(.amr, framesPerPacket: 0, bound: 1 << 13)
    case "sawb": set(.amrWideBand, framesPerPacket: 0, bound: 1 << 13)
    default:
      hasFixedFrames = true
      if try describeConstant(entry, at: offset) { return }
      hasFixedFrames = false
    }
  }

  private mutating func set(_ formatID: AudioFormatID, framesPerPacket: UInt32, bound: Int) {
    dataFormat.formatID = formatID
    dataFormat.framesPerPacket = framesPerPacket
    hasFixedFrames = framesPerPacket > 0
    packetSizeUpperBound = bound
  }

  /// Describes an encoding by the object types of ISO/IEC 14496-1 table 5 and of mp4ra.org.
  private mutating func describeMPEG4(_ entry: SampleEntry) {
    let stream = entry.elementaryStream
    if let rate = stream?.averageBitRate, rate > 0 { nominalBitRate = Int(rate) }
    switch stream?.objectType {
    case nil, 0x40, 0x66, 0x67, 0x68: describeAAC(stream?.specificInfo ?? [], entry)
    case 0x69, 0x6B:
      setMPEGAudio()
      cookie = []
    case 0xA5: set(.ac3, framesPerPacket: 1536, bound: 3840)
    case 0xA6: set(.enhancedAC3, framesPerPacket: 0, bound: 1 << 16)
    case 0xDD:
      set(.vorbis, framesPerPacket: 0, bound: MPEG4Parser.maximumPacketBytes)
      cookie = stream?.specificInfo ?? []
    default: hasFixedFrames = false
    }
  }

  /// Describes MPEG audio. Layer and rate come from the first packet, if it has a header.
  private mutating func setMPEGAudio() {
    isMPEGAudio = true
    set(.mpegLayer3, framesPerPacket: dataFormat.sampleRate < 32_000 ? 576 : 1152, bound: 1 << 13)
  }

  /// Sets the rate, layer and channels from a packet's header.
  mutating func take(_ header: MPEGAudioHeader) {
    let bitRate = nominalBitRate
    dataFormat = header.dataFormat
    nominalBitRate = bitRate
    layout = AudioChannelLayout(.standard(channels: dataFormat.channelsPerFrame))
  }

  private mutating func describeAAC(_ info: [UInt8], _ entry: SampleEntry) {
    set(.mpeg4AAC, framesPerPacket: 1024, bound: 1 << 13)
    guard let config = AudioSpecificConfig(info) else {
      packetSizeUpperBound = max(1 << 13, 768 * entry.channels)
      return
    }
    switch config.objectType {
    case 1...4, 6, 7, 17, 19...22: break
    case 23: dataFormat.formatID = .mpeg4AACLD
    case 39: dataFormat.formatID = .mpeg4AACELD
    case 32: dataFormat.formatID = .mpegLayer1
    case 33: dataFormat.formatID = .mpegLayer2
    case 34: dataFormat.formatID = .mpegLayer3
    case 42: dataFormat.formatID = AudioFormatID(rawValue: "usac")
    default: dataFormat.formatID = AudioFormatID(rawValue: "mp4a")
    }
    dataFormat.framesPerPacket = UInt32(config.framesPerPacket)
    if config.objectType > 23, config.objectType != 39 {
      dataFormat.framesPerPacket = 0
      hasFixedFrames = false
      packetSizeUpperBound = MPEG4Parser.maximumPacketBytes
    } else {
      packetSizeUpperBound = max(1 << 13, 768 * config.channels)
    }
    // The configuration's rate replaces the entry's.
    dataFormat.sampleRate = Double(config.sampleRate)
    if config.channels > 0 { dataFormat.channelsPerFrame = UInt32(config.channels) }
    layout = layout ?? Self.mpegLayout(config.channelConfiguration)
    if dataFormat.formatID == .mpeg4AAC { listFormats(config, entry) }
  }

  /// Lists the formats of HE-AAC, the richest first: a decoder without the extension decodes it as AAC
  /// of half the rate.
  private mutating func listFormats(_ config: AudioSpecificConfig, _ entry: SampleEntry) {
    var doubled = config.extensionSampleRate
    // Implicit signalling: the container counts frames of twice the rate.
    if doubled == nil, entry.sampleRate == Double(config.sampleRate) * 2 {
      doubled = config.sampleRate * 2
    }
    guard let doubled, (1...3_000_000).contains(doubled) else { return }
    var format = dataFormat
    format.formatID = .mpeg4HEAAC
    format.sampleRate = Double(doubled)
    if doubled > config.sampleRate { format.framesPerPacket *= 2 }
    formatList = [
      AudioFormatListItem(format: format, channelLayout: layout),
      AudioFormatListItem(format: dataFormat, channelLayout: layout),
    ]
    // Parametric stereo can be implicit, too: the entry states two channels for a mono configuration.
    let isSilent = config.extensionSampleRate == nil && entry.channels == 2
    if config.hasParametricStereo || isSilent, config.channels == 1 {
      format.formatID = .mpeg4HEAACv2
      format.channelsPerFrame = 2
      let stereo = AudioChannelLayout(tag: 101 << 16 | 2)
      formatList.insert(AudioFormatListItem(format: format, channelLayout: stereo), at: 0)
    }
  }

  /// The layout of a channel configuration (ISO/IEC 14496-3 table 1.19), centre first.
  private static func mpegLayout(_ configuration: Int) -> AudioChannelLayout? {
    switch configuration {
    case 1: AudioChannelLayout(tag: 100 << 16 | 1)
    case 2: AudioChannelLayout(tag: 101 << 16 | 2)
    case 3: AudioChannelLayout(tag: 114 << 16 | 3)
    case 4: AudioChannelLayout(tag: 116 << 16 | 4)
    case 5: AudioChannelLayout(tag: 120 << 16 | 5)
    case 6: AudioChannelLayout(tag: 124 << 16 | 6)
    case 7: AudioChannelLayout(tag: 127 << 16 | 8)
    case 11: AudioChannelLayout(tag: 142 << 16 | 7)
    case 12: AudioChannelLayout(tag: 183 << 16 | 8, labels: [3, 1, 2, 5, 6, 33, 34, 4])
    default: nil
    }
  }

  private mutating func takeAC3(_ entry: SampleEntry) {
    guard let mode = entry.ac3Mode else { return }
    dataFormat.channelsPerFrame = UInt32(mode.channels)
    layout = mode.layout
  }

  /// Reads ALACSpecificConfig: frame length (32), version (8), bits (8), tuning (24), channels (8),
  /// run (16), largest frame (32), bit rate (32), rate (32).
  private mutating func describeLossless() {
    set(.appleLossless, framesPerPacket: 4096, bound: MPEG4Parser.maximumPacketBytes)
    guard cookie.count >= 24 else { return }
    let cookie = cookie
    let config = cookie.span
    dataFormat.framesPerPacket = min(config.bigEndian32(at: 0), 1 << 20)
    hasFixedFrames = dataFormat.framesPerPacket > 0
    dataFormat.formatFlags = Self.losslessFlags(bits: Int(config[5]))
    dataFormat.channelsPerFrame = UInt32(config[9])
    dataFormat.sampleRate = Double(config.bigEndian32(at: 20))
    let bitRate = config.bigEndian32(at: 16)
    if bitRate > 0 { nominalBitRate = Int(bitRate) }
    // The layouts are those of AAC: 6.1 of configuration 11 for seven channels, 7.1 of configuration 7 for
    // eight.
    let channels = Int(config[9])
    layout = layout ?? Self.mpegLayout(channels == 7 ? 11 : channels == 8 ? 7 : channels)
  }

  /// Reads the stream information block (RFC 9639 section 8.2).
  private mutating func describeFLAC() {
    set(.flac, framesPerPacket: 0, bound: MPEG4Parser.maximumPacketBytes)
    guard cookie.count >= 34 else { return }
    let cookie = cookie
    let info = cookie.span
    let block = info.bigEndian16(at: 0)
    if block == info.bigEndian16(at: 2), block > 0 {
      dataFormat.framesPerPacket = UInt32(block)
      hasFixedFrames = true
    }
    let packed = info.bigEndian64(at: 10)
    dataFormat.sampleRate = Double(packed >> 44)
    dataFormat.channelsPerFrame = UInt32(packed >> 41 & 7) + 1
    dataFormat.formatFlags = Self.losslessFlags(bits: Int(packed >> 36 & 31) + 1)
    layout = layout ?? AudioChannelLayout(.standard(channels: dataFormat.channelsPerFrame))
  }

  /// Returns Core Audio's flags of a lossless format: 1 to 4 for 16, 20, 24 and 32 bits of the source.
  private static func losslessFlags(bits: Int) -> AudioFormatFlags {
    switch bits {
    case 16: AudioFormatFlags(rawValue: 1)
    case 20: AudioFormatFlags(rawValue: 2)
    case 24: AudioFormatFlags(rawValue: 3)
    case 32: AudioFormatFlags(rawValue: 4)
    default: []
    }
  }

  /// Describes Opus, which is always decoded at 48 kHz (RFC 7845 section 5.1).
  private mutating func describeOpus() {
    set(.opus, framesPerPacket: 0, bound: 61_298)
    dataFormat.sampleRate = 48_000
    guard cookie.count >= 19 else { return }
    let channels = UInt32(cookie[9])
    dataFormat.channelsPerFrame = channels
    guard cookie[18] <= 1, layout == nil else { return }
    layout = channels <= 8 ? Self.vorbisLayout(Int(channels)) : nil
  }

  /// The priming frames that an Opus header states; nil for other encodings.
  var preSkip: Int64? {
    guard dataFormat.formatID == .opus, cookie.count >= 12 else { return nil }
    return Int64(cookie[11]) << 8 | Int64(cookie[10])
  }

  /// Returns the layout in Vorbis' channel order (Vorbis I section 4.3.9), which Opus shares.
  private static func vorbisLayout(_ channels: Int) -> AudioChannelLayout? {
    let labels: [[UInt32]] = [
      [], [3], [1, 2], [1, 3, 2], [1, 2, 5, 6], [1, 3, 2, 5, 6], [1, 3, 2, 5, 6, 4],
      [1, 3, 2, 10, 11, 9, 4], [1, 3, 2, 10, 11, 5, 6, 4],
    ]
    return channels > 0 ? AudioChannelLayout(labels: labels[channels]) : nil
  }
}
