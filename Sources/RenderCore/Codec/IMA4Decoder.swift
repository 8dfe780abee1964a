// SPDX-License-Identifier: MIT

internal import AudioModel

/// A decoder of Apple's IMA 4:1: 64 frames in 34 bytes a channel, one channel after the other (QuickTime
/// File Format, "IMA 4:1"; AIFF-C's `ima4`).
///
/// A channel's bytes begin with the predictor's top nine bits and seven bits of step index. If these match the state
/// at the end of the packet before, its full predictor is kept.
///
/// Real-time: `decode` is safe; creation and destruction are not.
@safe
struct IMA4Decoder: ~Copyable {
  private let channels: Int
  private let table: IMATable
  private let states: UnsafeMutablePointer<IMATable.State>
  private let samples: UnsafeMutablePointer<Float>

  private static var framesPerPacket: Int { @_noLocks get { 64 } }
  /// Bytes of one channel in a packet.
  private static var bytesPerChannel: Int { @_noLocks get { 34 } }
  /// Most packets in one run: bounds the work of one decode.
  private static var maximumPacketsPerRun: Int { @_noLocks get { 16 } }

  /// - Throws: ``AudioConverterError/formatNotSupported(_:)`` if packets have another size.
  init(format: AudioStreamBasicDescription) throws(AudioConverterError) {
    let channels = Int(format.channelsPerFrame)
    guard channels > 0, Int(format.bytesPerPacket) == Self.bytesPerChannel * channels,
      Int(format.framesPerPacket) == Self.framesPerPacket
    else {
      throw AudioConverterError.formatNotSupported(
        "\(format.formatID.name) with \(format.framesPerPacket) frames in "
          + "\(format.bytesPerPacket) bytes")
    }
    self.channels = channels
    table = IMATable(rounding: .eachPart)
    unsafe states = UnsafeMutablePointer<IMATable.State>.allocate(capacity: channels)
    unsafe states.initialize(
      repeating: IMATable.State(predictor: 0, index: 0), count: channels)
    let count = Self.maximumPacketsPerRun * Self.framesPerPacket * channels
    unsafe samples = UnsafeMutablePointer<Float>.allocate(capacity: count)
    unsafe samples.initialize(repeating: 0, count: count)
  }

  deinit {
    unsafe states.deallocate()
    unsafe samples.deallocate()
  }

  /// Decodes a run of packets, of which the last one may be short. A channel whose step index is out of range becomes
  /// silence of its length.
  @_noLocks
  func decode(_ packet: FilledPacket) -> PacketDecoder.Output {
    let packetBytes = Self.bytesPerChannel * channels
    let count = min(
      (packet.byteCount + packetBytes - 1) / packetBytes, Self.maximumPacketsPerRun)
    var isDecoded = true
    var decoded = 0
    for index in 0..<count {
      // In a short packet, the number of the last channel's codes determines the number of frames.
      let lastBytes = packet.byteCount - (index + 1) * packetBytes + Self.bytesPerChannel
      let frames = 2 * max(0, min(lastBytes, Self.bytesPerChannel) - 2)
      guard frames > 0 else {
        isDecoded = false
        break
      }
      decoded += frames
      for channel in 0..<channels {
        let part = index * channels + channel
        let isGood = unsafe decode(
          packet.bytes + part * Self.bytesPerChannel, channel: channel, frames: frames,
          into: samples + index * Self.framesPerPacket * channels + channel)
        isDecoded = isGood && isDecoded
      }
    }
    return unsafe PacketDecoder.Output(
      samples: UnsafePointer(samples),
      frames: min(packet.frameCount, decoded), isDecoded: isDecoded)
  }

  /// Decodes one channel's bytes to every `channels`-th sample.
  @_noLocks
  private func decode(
    _ bytes: UnsafeRawPointer, channel: Int, frames: Int,
    into target: UnsafeMutablePointer<Float>
  ) -> Bool {
    let preamble = unsafe Int16(bigEndian: bytes.loadUnaligned(as: Int16.self))
    let index = Int32(preamble & 0x7F)
    guard index <= IMATable.maximumIndex else {
      for frame in 0..<frames { unsafe target[frame * channels] = 0 }
      return false
    }
    var state = unsafe states[channel]
    let predictor = Int32(preamble & ~0x7F)
    let change = predictor - state.predictor
    if index != state.index || change > 0x7F || change < -0x7F {
      state = IMATable.State(predictor: predictor, index: index)
    }
    for offset in 0..<frames / 2 {
      let pair = unsafe UInt32(bytes.load(fromByteOffset: 2 + offset, as: UInt8.self))
      table.advance(&state, code: pair)
      unsafe target[2 * offset * channels] = Float(state.predictor) * 0x1p-15
      table.advance(&state, code: pair >> 4)
      unsafe target[(2 * offset + 1) * channels] = Float(state.predictor) * 0x1p-15
    }
    unsafe states[channel] = state
    return true
  }
}
