// SPDX-License-Identifier: MIT

import AudioModel

/// Encodings whose packets have one size and one duration.
extension TrackEncoding {
  /// Describes linear PCM and other constant packets; returns false for other entries.
  mutating func describeConstant(
    _ entry: SampleEntry, at offset: Int64
  ) throws(AudioFileStreamError) -> Bool {
    let bits = entry.bits
    switch entry.type {
    case "sowt": try setInteger(bits > 0 ? bits : 16, isBigEndian: false, at: offset)
    case "twos": try setInteger(bits > 0 ? bits : 16, isBigEndian: true, at: offset)
    case "in24": try setInteger(24, isBigEndian: entry.isLittleEndian != true, at: offset)
    case "in32": try setInteger(32, isBigEndian: entry.isLittleEndian != true, at: offset)
    case "fl32": setFloat(32, isBigEndian: entry.isLittleEndian != true)
    case "fl64": setFloat(64, isBigEndian: entry.isLittleEndian != true)
    case "raw ", "NONE", "\0\0\0\0":
      if bits > 8 {
        try setInteger(bits, isBigEndian: true, at: offset)
      } else {
        setLinear(bits: 8, flags: .packed)
      }
    case "ipcm":
      try setInteger(
        entry.sampleBits ?? bits, isBigEndian: entry.isLittleEndian != true, at: offset)
    case "fpcm":
      let bits = entry.sampleBits ?? bits
      guard bits == 32 || bits == 64 else { throw unsupported(bits, at: offset) }
      setFloat(bits, isBigEndian: entry.isLittleEndian != true)
    case "lpcm": try setCoreAudio(entry, at: offset)
    case "ulaw", "ulaW": setConstant(.muLaw, bytes: 1, frames: 1)
    case "alaw": setConstant(.aLaw, bytes: 1, frames: 1)
    case "ima4": setConstant(.appleIMA4, bytes: 34, frames: 64)
    default:
      // Other encodings, such as Microsoft's by their tag, state their packets in QuickTime's version
      // 1.
      guard entry.version == 1, (1...1 << 16).contains(entry.framesPerPacket),
        (1...1 << 20).contains(entry.bytesPerFrame)
      else { return false }
      dataFormat.framesPerPacket = UInt32(entry.framesPerPacket)
      dataFormat.bytesPerPacket = UInt32(entry.bytesPerFrame)
      packetSizeUpperBound = entry.bytesPerFrame
    }
    cookie = []
    return true
  }

  private mutating func setLinear(bits: Int, flags: AudioFormatFlags) {
    dataFormat = .linearPCM(
      sampleRate: dataFormat.sampleRate, channels: min(dataFormat.channelsPerFrame, 1024),
      bitsPerChannel: UInt32(bits), flags: flags)
    packetSizeUpperBound = Int(dataFormat.bytesPerPacket)
  }

  private mutating func setInteger(
    _ bits: Int, isBigEndian: Bool, at offset: Int64
  ) throws(AudioFileStreamError) {
    guard [8, 16, 24, 32].contains(bits) else { throw unsupported(bits, at: offset) }
    let order: AudioFormatFlags = isBigEndian && bits > 8 ? .bigEndian : []
    setLinear(bits: bits, flags: order.union([.signedInteger, .packed]))
  }

  private mutating func setFloat(_ bits: Int, isBigEndian: Bool) {
    let order: AudioFormatFlags = isBigEndian ? .bigEndian : []
    setLinear(bits: bits, flags: order.union([.float, .packed]))
  }

  /// Reads QuickTime's version 2, which has Core Audio's flags and sizes.
  private mutating func setCoreAudio(
    _ entry: SampleEntry, at offset: Int64
  ) throws(AudioFileStreamError) {
    guard let flags = entry.flags else {
      return try setInteger(entry.bits, isBigEndian: true, at: offset)
    }
    let known = AudioFormatFlags(rawValue: flags & 0x1F)
    let channels = max(1, entry.channels)
    guard (1...64).contains(entry.bits), entry.framesPerPacket == 1, flags & 0x20 == 0,
      entry.bytesPerFrame > 0, entry.bytesPerFrame <= 8 << 10, entry.bytesPerFrame % channels == 0,
      entry.bytesPerFrame / channels * 8 >= entry.bits
    else { throw unsupported(entry.bits, at: offset) }
    dataFormat = .linearPCM(
      sampleRate: dataFormat.sampleRate, channels: UInt32(channels),
      bitsPerChannel: UInt32(entry.bits), bytesPerSample: UInt32(entry.bytesPerFrame / channels),
      flags: known)
    packetSizeUpperBound = entry.bytesPerFrame
  }

  private mutating func setConstant(_ formatID: AudioFormatID, bytes: UInt32, frames: UInt32) {
    dataFormat.formatID = formatID
    dataFormat.bytesPerPacket = bytes * min(dataFormat.channelsPerFrame, 1024)
    dataFormat.framesPerPacket = frames
    if frames == 1 { dataFormat.bytesPerFrame = dataFormat.bytesPerPacket }
    packetSizeUpperBound = Int(dataFormat.bytesPerPacket)
  }

  private func unsupported(_ bits: Int, at offset: Int64) -> AudioFileStreamError {
    AudioFileStreamError(
      .unsupportedDataFormat, at: offset,
      "linear PCM of \(bits) bits, as this file has it, is not supported")
  }
}
