// SPDX-License-Identifier: MIT

internal import AudioModel

/// A decoder of A-law and mu-law (ITU-T G.711), eight bits a sample, to float samples from -1 to 1.
///
/// Values are those of the recommendation's decoder in 16 bits, divided by 32768.
///
/// Real-time: `decode` is safe; creation and destruction are not.
@safe
struct CompandedDecoder: ~Copyable {
  private let channels: Int
  /// The value of each of the 256 codes.
  private let values: UnsafeMutablePointer<Float>
  private let samples: UnsafeMutablePointer<Float>

  /// Most frames in one run: bounds the work of one decode.
  static var maximumFramesPerRun: Int { @_noLocks get { 1024 } }

  /// - Throws: ``AudioConverterError/formatNotSupported(_:)`` unless a packet is one byte of each
  ///   channel.
  init(format: AudioStreamBasicDescription) throws(AudioConverterError) {
    let channels = Int(format.channelsPerFrame)
    guard channels > 0, Int(format.bytesPerPacket) == channels, format.framesPerPacket == 1 else {
      throw AudioConverterError.formatNotSupported(
        "\(format.formatID.name) with \(format.bytesPerPacket) bytes a packet")
    }
    self.channels = channels
    unsafe values = UnsafeMutablePointer<Float>.allocate(capacity: 256)
    for code in 0..<256 {
      let value = Self.value(of: UInt8(code), in: format.formatID)
      unsafe (values + code).initialize(to: value)
    }
    unsafe samples = UnsafeMutablePointer<Float>.allocate(
      capacity: Self.maximumFramesPerRun * channels)
    unsafe samples.initialize(repeating: 0, count: Self.maximumFramesPerRun * channels)
  }

  deinit {
    unsafe values.deallocate()
    unsafe samples.deallocate()
  }

  private static func value(of code: UInt8, in encoding: AudioFormatID) -> Float {
    Float(encoding == .aLaw ? expandedALaw(code) : expandedMuLaw(code)) * 0x1p-15
  }

  /// G.711 table 1: sign, three bits of segment, four of step; every other bit is inverted. A sample is the middle of
  /// its step.
  private static func expandedALaw(_ code: UInt8) -> Int {
    let bits = Int(code ^ 0x55)
    let segment = bits >> 4 & 7
    let step = 2 * (bits & 15) + 1
    let magnitude = segment == 0 ? step << 3 : (step + 32) << (segment + 2)
    return bits & 0x80 != 0 ? magnitude : -magnitude
  }

  /// G.711 table 2: as for A-law, but all bits are inverted, and the segments begin 132 below their power of two.
  private static func expandedMuLaw(_ code: UInt8) -> Int {
    let bits = Int(~code)
    let magnitude = ((((bits & 15) << 3) + 132) << (bits >> 4 & 7)) - 132
    return bits & 0x80 != 0 ? -magnitude : magnitude
  }

  /// The same samples for a stereo output, which need the decoder alive; nil unless there are two channels.
  var stereoSamples: StereoSamples? {
    channels == 2 ? unsafe StereoSamples(.coded(UnsafePointer(values))) : nil
  }

  /// Expands a run of frames.
  ///
  /// - Returns: the frames that the bytes hold, at most ``maximumFramesPerRun``.
  @_noLocks
  func decode(_ packet: FilledPacket) -> PacketDecoder.Output {
    let bytes = unsafe packet.bytes
    let frames = min(min(packet.frameCount, packet.byteCount / channels), Self.maximumFramesPerRun)
    for i in 0..<frames * channels {
      let code = unsafe bytes.load(fromByteOffset: i, as: UInt8.self)
      unsafe samples[i] = values[Int(code)]
    }
    return unsafe PacketDecoder.Output(
      samples: UnsafePointer(samples), frames: frames, isDecoded: true)
  }
}
