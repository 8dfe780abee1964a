// SPDX-License-Identifier: MIT

internal import AudioModel

/// The blocks of WAVE's four-bit ADPCM: a header for each channel, then codes.
struct WaveBlocks {
  /// Longer blocks would be too much work for one render cycle.
  static let maximumBlockBytes = 16 << 10
  /// Frames that travel as one run of blocks, unless one block has more.
  private static var maximumFramesPerRun: Int { @_noLocks get { 1024 } }

  let channels: Int
  let bytesPerBlock: Int
  /// Frames of a block that are to be played.
  let framesPerBlock: Int

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
  }

  private static func refused(_ format: AudioStreamBasicDescription) -> AudioConverterError {
    .formatNotSupported(
      "\(format.formatID.name) with \(format.framesPerPacket) frames of "
        + "\(format.channelsPerFrame) channels in \(format.bytesPerPacket) bytes")
  }

  /// Samples that one run decodes to, at most.
  var maximumSamplesPerRun: Int {
    max(Self.maximumFramesPerRun, framesPerBlock) * channels
  }

  /// Blocks in a packet, which is a run of them.
  @_noLocks
  func count(in packet: FilledPacket) -> Int {
    min(packet.byteCount / bytesPerBlock, max(1, Self.maximumFramesPerRun / framesPerBlock))
  }
}
