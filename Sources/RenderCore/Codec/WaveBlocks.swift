// SPDX-License-Identifier: MIT

internal import AudioModel

/// The blocks of WAVE's four-bit ADPCM (a header for each channel, then codes), and the decoded samples of a run of
/// blocks.
///
/// Real-time: every member is safe; creation and destruction are not.
@safe
struct WaveBlocks: ~Copyable {
  /// Longer blocks would be too much work for one render cycle.
  static let maximumBlockBytes = 16 << 10
  /// Most frames in a run of blocks, unless one block has more.
  private static var maximumFramesPerRun: Int { @_noLocks get { 1024 } }

  let channels: Int
  let bytesPerBlock: Int
  /// Frames of a block that are played.
  let framesPerBlock: Int
  private let headerBytes: Int
  private let headerFrames: Int
  /// The size of one group of codes, and its frames.
  private let group: (bytes: Int, frames: Int)
  /// The samples of one run, interleaved.
  private let samples: UnsafeMutablePointer<Float>

  /// - Parameters:
  ///   - headerBytes: bytes of one channel's header.
  ///   - headerFrames: frames in the header.
  ///   - group: the bytes of the smallest group of codes that is whole frames, for all channels, and its frames.
  /// - Throws: ``AudioConverterError/formatNotSupported(_:)`` if the block's size and frames do not match codes of
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

  /// Returns the number of blocks in a packet, which is a run of them. The last one may be short.
  @_noLocks
  func count(in packet: FilledPacket) -> Int {
    min(
      (packet.byteCount + bytesPerBlock - 1) / bytesPerBlock,
      max(1, Self.maximumFramesPerRun / framesPerBlock))
  }

  /// Returns the number of frames in a block of a packet, as its bytes allow.
  @_noLocks
  func frames(ofBlock block: Int, in packet: FilledPacket) -> Int {
    let codeBytes = min(bytesPerBlock, packet.byteCount - block * bytesPerBlock) - headerBytes
    guard codeBytes >= 0 else { return 0 }
    return min(framesPerBlock, headerFrames + codeBytes / group.bytes * group.frames)
  }

  /// Returns the address for a channel's samples of a block: each `channels`-th sample from there.
  @_noLocks
  func target(block: Int, channel: Int) -> UnsafeMutablePointer<Float> {
    unsafe samples + block * framesPerBlock * channels + channel
  }

  /// Writes silence for a channel whose header is invalid.
  @_noLocks
  func silence(_ target: UnsafeMutablePointer<Float>, frames: Int) {
    for frame in 0..<frames { unsafe target[frame * channels] = 0 }
  }

  /// Returns the decoded samples of the packet.
  @_noLocks
  func output(of packet: FilledPacket, isDecoded: Bool) -> PacketDecoder.Output {
    let last = count(in: packet) - 1
    let held = last < 0 ? 0 : last * framesPerBlock + frames(ofBlock: last, in: packet)
    let frames = min(packet.frameCount, held)
    return unsafe PacketDecoder.Output(
      samples: UnsafePointer(samples), frames: frames, isDecoded: isDecoded)
  }
}
