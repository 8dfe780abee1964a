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
  private let headerBytes: Int
  private let headerFrames: Int
  /// Codes come in groups of so many bytes, which hold so many frames.
  private let group: (bytes: Int, frames: Int)
  /// Of one run, interleaved.
  private let samples: UnsafeMutablePointer<Float>

  /// - Parameters:
  ///   - headerBytes: bytes of one channel's header.
  ///   - headerFrames: frames that the header holds.
  ///   - group: bytes of the fewest codes that are whole frames, for all channels, and these frames.
  /// - Throws: ``AudioConverterError/formatNotSupported(_:)`` when the block's frames cannot be of
  ///   four bits.
  init(
    _ format: AudioStreamBasicDescription, headerBytes: Int, headerFrames: Int,
    group: (bytes: Int, frames: Int)
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
    self.headerBytes = headerBytes * channels
    self.headerFrames = headerFrames
    self.group = group
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

  /// Blocks in a packet, which is a run of them. The last one may be short.
  @_noLocks
  func count(in packet: FilledPacket) -> Int {
    min(
      (packet.byteCount + bytesPerBlock - 1) / bytesPerBlock,
      max(1, Self.maximumFramesPerRun / framesPerBlock))
  }

  /// Frames of a block of a packet: as many as its bytes hold.
  @_noLocks
  func frames(ofBlock block: Int, in packet: FilledPacket) -> Int {
    let codeBytes = min(bytesPerBlock, packet.byteCount - block * bytesPerBlock) - headerBytes
    guard codeBytes >= 0 else { return 0 }
    return min(framesPerBlock, headerFrames + codeBytes / group.bytes * group.frames)
  }

  /// Where a channel's samples of a block go: each `channels`-th from here on.
  @_noLocks
  func target(block: Int, channel: Int) -> UnsafeMutablePointer<Float> {
    unsafe samples + block * framesPerBlock * channels + channel
  }

  /// Silence in place of what a channel's header makes impossible.
  @_noLocks
  func silence(_ target: UnsafeMutablePointer<Float>, frames: Int) {
    for frame in 0..<frames { unsafe target[frame * channels] = 0 }
  }

  /// What the packet has decoded to.
  @_noLocks
  func output(of packet: FilledPacket, isDecoded: Bool) -> PacketDecoder.Output {
    let last = count(in: packet) - 1
    let held = last < 0 ? 0 : last * framesPerBlock + frames(ofBlock: last, in: packet)
    let frames = min(packet.frameCount, held)
    return unsafe PacketDecoder.Output(
      samples: UnsafePointer(samples), frames: frames, isDecoded: isDecoded)
  }
}
