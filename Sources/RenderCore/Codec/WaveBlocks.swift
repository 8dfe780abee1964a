// SPDX-License-Identifier: MIT

internal import AudioModel

/// The blocks of WAVE's four-bit ADPCM (a header for each channel, then codes), and the samples that a
/// run of them decodes to.
///
/// Real-time: making and destroying it is not; everything else is.
@safe
struct WaveBlocks: ~Copyable {
  /// Longer blocks would be too much work for one render cycle.
  static let maximumBlockBytes = 16 << 10
  /// Frames that travel as one run of blocks, unless one block has more.
  private static var maximumFramesPerRun: Int { @_noLocks get { 1024 } }

  let channels: Int
  let bytesPerBlock: Int
  /// Frames of a block that are to be played.
  let framesPerBlock: Int
  /// Of one run, interleaved.
  private let samples: UnsafeMutablePointer<Float>

  /// - Parameters:
  ///   - headerBytes: bytes of one channel's header.
  ///   - headerFrames: frames that the header holds.
  /// - Throws: ``AudioConverterError/formatNotSupported(_:)`` when the block's frames cannot be of
  ///   four bits.
  init(
    _ format: AudioStreamBasicDescription, headerBytes: Int, headerFrames: Int
  ) throws(AudioConverterError) {
    let channels = Int(format.channelsPerFrame)
    let bytes = Int(format.bytesPerPacket)
    let frames = Int(format.framesPerPacket)
    let codeBytes = bytes - headerBytes * channels
    guard channels > 0, codeBytes >= 0, bytes <= Self.maximumBlockBytes else {
      throw Self.refused(format)
    }
    let mostOfFour = codeBytes * 2 / channels + headerFrames
    let mostOfFive = codeBytes * 8 / (5 * channels) + headerFrames
    guard frames > 0, frames <= mostOfFour, frames > mostOfFive || frames == mostOfFour else {
      throw Self.refused(format)
    }
    self.channels = channels
    bytesPerBlock = bytes
    framesPerBlock = frames
    let count = max(Self.maximumFramesPerRun, frames) * channels
    unsafe samples = UnsafeMutablePointer<Float>.allocate(capacity: count)
    unsafe samples.initialize(repeating: 0, count: count)
  }

  deinit {
    unsafe samples.deallocate()
  }

  private static func refused(_ format: AudioStreamBasicDescription) -> AudioConverterError {
    .formatNotSupported(
      "\(format.formatID.name) with \(format.framesPerPacket) frames of "
        + "\(format.channelsPerFrame) channels in \(format.bytesPerPacket) bytes")
  }

  /// Blocks in a packet, which is a run of them.
  @_noLocks
  func count(in packet: FilledPacket) -> Int {
    min(packet.byteCount / bytesPerBlock, max(1, Self.maximumFramesPerRun / framesPerBlock))
  }

  /// Where a channel's samples of a block go: each `channels`-th from here on.
  @_noLocks
  func target(block: Int, channel: Int) -> UnsafeMutablePointer<Float> {
    unsafe samples + block * framesPerBlock * channels + channel
  }

  /// Silence in place of what a channel's header makes impossible.
  @_noLocks
  func silence(_ target: UnsafeMutablePointer<Float>) {
    for frame in 0..<framesPerBlock { unsafe target[frame * channels] = 0 }
  }

  /// What the packet has decoded to.
  @_noLocks
  func output(of packet: FilledPacket, isDecoded: Bool) -> PacketDecoder.Output {
    let frames = min(packet.frameCount, count(in: packet) * framesPerBlock)
    return unsafe PacketDecoder.Output(
      samples: UnsafePointer(samples), frames: frames, isDecoded: isDecoded)
  }
}
