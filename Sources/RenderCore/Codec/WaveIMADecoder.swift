// SPDX-License-Identifier: MIT

internal import AudioModel

/// A decoder of WAVE's variant of IMA ADPCM (Microsoft's "New Multimedia Data Types and Data Techniques", 1994, DVI
/// ADPCM): each block begins with every channel's first sample and step index, then eight codes of each channel
/// alternate.
///
/// Real-time: `decode` is safe; creation and destruction are not.
@safe
struct WaveIMADecoder: ~Copyable {
  private let blocks: WaveBlocks
  private let table: IMATable

  /// Bytes of one channel's header.
  private static var headerBytes: Int { @_noLocks get { 4 } }

  /// - Throws: ``AudioConverterError/formatNotSupported(_:)`` for codes of other than four bits.
  init(format: AudioStreamBasicDescription) throws(AudioConverterError) {
    blocks = try WaveBlocks(
      format, headerBytes: Self.headerBytes, headerFrames: 1,
      group: (4 * Int(format.channelsPerFrame), 8))
    table = IMATable(rounding: .sum)
  }

  /// Decodes a run of blocks. A channel whose step index is out of range is silent for that block.
  @_noLocks
  func decode(_ packet: FilledPacket) -> PacketDecoder.Output {
    var isDecoded = true
    for block in 0..<blocks.count(in: packet) {
      let source = unsafe packet.bytes + block * blocks.bytesPerBlock
      let frames = blocks.frames(ofBlock: block, in: packet)
      if frames == 0 { isDecoded = false }
      for channel in 0..<blocks.channels {
        let target = unsafe blocks.target(block: block, channel: channel)
        if unsafe decode(source, channel: channel, frames: frames, into: target) { continue }
        unsafe blocks.silence(target, frames: frames)
        isDecoded = false
      }
    }
    return blocks.output(of: packet, isDecoded: isDecoded)
  }

  /// Decodes one channel of a block to every `channels`-th sample; false if its header is invalid. Frames without
  /// codes stay silent.
  @_noLocks
  private func decode(
    _ block: UnsafeRawPointer, channel: Int, frames: Int,
    into target: UnsafeMutablePointer<Float>
  ) -> Bool {
    guard frames > 0 else { return true }
    let channels = blocks.channels
    let header = unsafe block + channel * Self.headerBytes
    let first = unsafe header.loadUnaligned(as: Int16.self)
    let index = unsafe header.loadUnaligned(fromByteOffset: 2, as: Int16.self)
    guard index >= 0, index <= IMATable.maximumIndex else { return false }
    var state = IMATable.State(predictor: Int32(first), index: Int32(index))
    unsafe target[0] = Float(first) * 0x1p-15
    let groupBytes = 4 * channels
    let groups = (blocks.bytesPerBlock - Self.headerBytes * channels) / groupBytes
    var frame = 1
    for group in 0..<groups where frame < frames {
      var codes = unsafe header.loadUnaligned(
        fromByteOffset: (group + 1) * groupBytes, as: UInt32.self)
      let end = min(frame + 8, frames)
      while frame < end {
        table.advance(&state, code: codes)
        unsafe target[frame * channels] = Float(state.predictor) * 0x1p-15
        codes &>>= 4
        frame += 1
      }
    }
    return true
  }
}
