// SPDX-License-Identifier: MIT

internal import AudioModel

/// A decoder of Microsoft's ADPCM (Microsoft's "New Multimedia Data Types and Data Techniques", 1994) with
/// the seven standard pairs of coefficients.
///
/// A block has four fields, each with one entry for every channel: a pair's number (a byte), the step size, the
/// second sample and the first (two bytes each). Then come codes, the high half of a byte first, channel by channel.
///
/// Real-time: `decode` is safe; creation and destruction are not.
@safe
struct MicrosoftADPCMDecoder: ~Copyable {
  /// The decoding state of one channel of a block.
  private struct State {
    var firstCoefficient: Int32
    var secondCoefficient: Int32
    var step: Int32
    /// The last sample and the one before.
    var last: Int32
    var beforeLast: Int32
  }

  private let blocks: WaveBlocks
  /// The pairs of coefficients, one after the other, in 256ths.
  private let coefficients: UnsafeMutablePointer<Int32>
  /// For each code, the factor of the step size, in 256ths.
  private let adaptations: UnsafeMutablePointer<Int32>

  /// Bytes of one channel's header.
  private static var headerBytes: Int { @_noLocks get { 7 } }
  private static var pairs: Int { @_noLocks get { 7 } }
  private static var minimumStep: Int32 { @_noLocks get { 16 } }
  /// Multiplied by the largest adaptation, it still fits in 32 bits.
  private static var maximumStep: Int32 { @_noLocks get { Int32.max / 768 } }

  /// - Throws: ``AudioConverterError/formatNotSupported(_:)`` for codes of other than four bits, or
  ///   more than two channels.
  init(format: AudioStreamBasicDescription) throws(AudioConverterError) {
    guard format.channelsPerFrame <= 2 else {
      throw AudioConverterError.formatNotSupported(
        "\(format.formatID.name) with \(format.channelsPerFrame) channels")
    }
    blocks = try WaveBlocks(
      format, headerBytes: Self.headerBytes, headerFrames: 2,
      group: (1, format.channelsPerFrame == 1 ? 2 : 1))
    unsafe coefficients = Self.table(
      [256, 0, 512, -256, 0, 0, 192, 64, 240, 0, 460, -208, 392, -232])
    unsafe adaptations = Self.table(
      [230, 230, 230, 230, 307, 409, 512, 614, 768, 614, 512, 409, 307, 230, 230, 230])
  }

  deinit {
    unsafe coefficients.deallocate()
    unsafe adaptations.deallocate()
  }

  private static func table(_ values: [Int32]) -> UnsafeMutablePointer<Int32> {
    let table = UnsafeMutablePointer<Int32>.allocate(capacity: values.count)
    for (index, value) in values.enumerated() { unsafe (table + index).initialize(to: value) }
    return unsafe table
  }

  /// Decodes a run of blocks. A channel whose coefficient number is out of range is silent for that block.
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

  /// Decodes one channel of a block to every `channels`-th sample; false if its header is invalid.
  @_noLocks
  private func decode(
    _ block: UnsafeRawPointer, channel: Int, frames: Int,
    into target: UnsafeMutablePointer<Float>
  ) -> Bool {
    guard frames > 0 else { return true }
    let channels = blocks.channels
    let pair = unsafe Int(block.load(fromByteOffset: channel, as: UInt8.self))
    guard pair < Self.pairs else { return false }
    let words = unsafe block + channels + 2 * channel
    var state = unsafe State(
      firstCoefficient: coefficients[2 * pair], secondCoefficient: coefficients[2 * pair + 1],
      step: Int32(words.loadUnaligned(as: Int16.self)),
      last: Int32(words.loadUnaligned(fromByteOffset: 2 * channels, as: Int16.self)),
      beforeLast: Int32(words.loadUnaligned(fromByteOffset: 4 * channels, as: Int16.self)))
    unsafe target[0] = Float(state.beforeLast) * 0x1p-15
    if frames > 1 { unsafe target[channels] = Float(state.last) * 0x1p-15 }
    let codes = unsafe block + Self.headerBytes * channels
    // The codes of all channels form one sequence.
    var position = channel
    var frame = 2
    while frame < frames {
      let byte = unsafe Int32(codes.load(fromByteOffset: position >> 1, as: UInt8.self))
      advance(&state, code: position & 1 == 0 ? byte >> 4 : byte & 15)
      unsafe target[frame * channels] = Float(state.last) * 0x1p-15
      position += channels
      frame += 1
    }
    return true
  }

  @_noLocks
  private func advance(_ state: inout State, code: Int32) {
    let sum =
      state.last &* state.firstCoefficient &+ state.beforeLast &* state.secondCoefficient
    let value = sum / 256 &+ (code < 8 ? code : code - 16) &* state.step
    state.beforeLast = state.last
    state.last = min(max(value, -32768), 32767)
    let step = unsafe (adaptations[Int(code)] &* state.step) >> 8
    state.step = min(max(step, Self.minimumStep), Self.maximumStep)
  }
}
