// SPDX-License-Identifier: MIT

/// The layout of a stream's samples, frames and packets. Core Audio's type of the same name
/// (CoreAudioBaseTypes.h); zero in a field means unknown or not applicable.
///
/// A *frame* is one sample of every channel at one instant. A *packet* is the smallest run of
/// bytes that can be decoded: one frame of linear PCM, 1152 frames of MPEG-1 layer III.
public struct AudioStreamBasicDescription: Hashable, Sendable {
  /// Frames per second when played at normal speed.
  public var sampleRate: Double
  /// The encoding.
  public var formatID: AudioFormatID
  /// The layout of linear PCM samples; 0 for MPEG audio.
  public var formatFlags: AudioFormatFlags
  /// Bytes in each packet; 0 if packets differ in size.
  public var bytesPerPacket: UInt32
  /// Frames in each packet; 0 if packets differ in duration.
  public var framesPerPacket: UInt32
  /// Bytes from one frame to the next in one buffer; 0 for compressed formats.
  public var bytesPerFrame: UInt32
  /// Channels in each frame.
  public var channelsPerFrame: UInt32
  /// Bits of each sample of one channel; 0 for compressed formats.
  public var bitsPerChannel: UInt32

  /// Creates a description with these fields.
  public init(
    sampleRate: Double, formatID: AudioFormatID, formatFlags: AudioFormatFlags = [],
    bytesPerPacket: UInt32 = 0, framesPerPacket: UInt32 = 0, bytesPerFrame: UInt32 = 0,
    channelsPerFrame: UInt32 = 0, bitsPerChannel: UInt32 = 0
  ) {
    self.sampleRate = sampleRate
    self.formatID = formatID
    self.formatFlags = formatFlags
    self.bytesPerPacket = bytesPerPacket
    self.framesPerPacket = framesPerPacket
    self.bytesPerFrame = bytesPerFrame
    self.channelsPerFrame = channelsPerFrame
    self.bitsPerChannel = bitsPerChannel
  }

  /// Creates a description of interleaved linear PCM with one frame a packet.
  ///
  /// - Parameters:
  ///   - sampleRate: frames per second.
  ///   - channels: samples in each frame.
  ///   - bitsPerChannel: bits that carry the sample.
  ///   - bytesPerSample: bytes that hold it; by default the fewest that fit.
  ///   - flags: the layout of the sample in those bytes.
  public static func linearPCM(
    sampleRate: Double, channels: UInt32, bitsPerChannel: UInt32, bytesPerSample: UInt32? = nil,
    flags: AudioFormatFlags
  ) -> AudioStreamBasicDescription {
    let bytesPerFrame = (bytesPerSample ?? (bitsPerChannel + 7) / 8) * channels
    return AudioStreamBasicDescription(
      sampleRate: sampleRate, formatID: .linearPCM, formatFlags: flags,
      bytesPerPacket: bytesPerFrame, framesPerPacket: 1, bytesPerFrame: bytesPerFrame,
      channelsPerFrame: channels, bitsPerChannel: bitsPerChannel)
  }

  /// Returns the output format of every decoder: interleaved 32-bit floats in the machine's byte order.
  package static func decoded(sampleRate: Double, channels: UInt32) -> AudioStreamBasicDescription {
    var flags: AudioFormatFlags = [.float, .packed]
    if 1.bigEndian == 1 { flags.insert(.bigEndian) }
    return .linearPCM(
      sampleRate: sampleRate, channels: channels, bitsPerChannel: 32, flags: flags)
  }

  /// Whether each packet needs its own description, because packets differ in size or duration.
  public var needsPacketDescriptions: Bool {
    bytesPerPacket == 0 || framesPerPacket == 0
  }
}

/// The layout of linear PCM samples. Core Audio's `AudioFormatFlags` (CoreAudioBaseTypes.h).
public struct AudioFormatFlags: OptionSet, Hashable, Sendable {
  /// The flag bits.
  public var rawValue: UInt32

  /// Creates the flags from their bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// IEEE 754 samples; integers otherwise.
  public static let float = AudioFormatFlags(rawValue: 1)
  /// Most significant byte first; least significant first otherwise.
  public static let bigEndian = AudioFormatFlags(rawValue: 2)
  /// Two's complement integers; unsigned with an offset otherwise.
  public static let signedInteger = AudioFormatFlags(rawValue: 4)
  /// The sample's bits fill its bytes.
  public static let packed = AudioFormatFlags(rawValue: 8)
  /// The sample is in the high bits of its bytes, if they have more bits than it needs.
  public static let alignedHigh = AudioFormatFlags(rawValue: 16)
  /// One buffer a channel; channels side by side in one buffer otherwise.
  public static let nonInterleaved = AudioFormatFlags(rawValue: 32)
}
