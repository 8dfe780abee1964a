// SPDX-License-Identifier: MIT

/// A convolution of several channels with impulse responses, in partitions of 256 frames. The output is late by one
/// partition.
///
/// Blocks begin at device frames that 256 divides. At the end of a block its spectrum enters the history, and the output
/// of the block is computed, which sounds while the next one fills (overlap-save).
///
/// Another response takes effect in a crossfade. Both use the same history, so the tail of earlier sound is that of the
/// new response from its first frame on. A response that is offered meanwhile waits; of several, the last one is used.
///
/// Without a response, samples are only delayed, to the bit. Once all blocks of the history are silent, silence is not
/// convolved. No sample depends on how frames are cut into cycles.
///
/// Real-time: every call but the initialiser is wait-free, render thread only.
@safe
struct Convolver: ~Copyable {
  /// The most frames of a crossfade that are computed at once.
  private static var fadeBlockFrames: Int { @_noLocks get { 64 } }

  private enum Change: BitwiseCopyable {
    case none
    /// The new response computes its first block.
    case computes
    case fades
  }

  private let channelCount: Int
  private let exchange: UnsafeMutablePointer<ResponseExchange>
  private let transform: BlockTransform
  private var history: SpectrumHistory
  /// The last block and the present one of each channel.
  private let blocks: UnsafeMutablePointer<Float>
  private var present: UnsafeMutablePointer<ResponseVoice>
  private var coming: UnsafeMutablePointer<ResponseVoice>
  /// The response before the first one was set: it only delays.
  private let dry: UnsafeMutablePointer<PartitionedResponse>
  private var change = Change.none
  /// The weight of the new response against the present one.
  private var fade = Gain(0)
  private let weights: UnsafeMutablePointer<Double>

  /// - Parameter partitions: the number of partitions of the longest response.
  init(
    channels: Int, partitions: Int, exchange: UnsafeMutablePointer<ResponseExchange>
  ) throws(ConvolverError) {
    transform = try BlockTransform()
    channelCount = channels
    unsafe self.exchange = unsafe exchange
    history = SpectrumHistory(channels: channels, blocks: partitions)
    unsafe blocks = .allocate(capacity: channels * BlockTransform.sampleCount)
    unsafe blocks.initialize(repeating: 0, count: channels * BlockTransform.sampleCount)
    unsafe dry = .allocating(PartitionedResponse(fadeFrames: 1))
    unsafe present = .allocating(ResponseVoice(channels: channels, response: dry))
    unsafe coming = .allocating(ResponseVoice(channels: channels, response: dry))
    unsafe weights = .allocate(capacity: Self.fadeBlockFrames)
    unsafe weights.initialize(repeating: 0, count: Self.fadeBlockFrames)
  }

  deinit {
    unsafe blocks.deallocate()
    unsafe weights.deallocate()
    unsafe Self.free(present, except: dry)
    unsafe Self.free(coming, except: dry)
    unsafe dry.destroy()
  }

  /// Frees a voice with its response.
  private static func free(
    _ voice: UnsafeMutablePointer<ResponseVoice>,
    except dry: UnsafeMutablePointer<PartitionedResponse>
  ) {
    if unsafe voice.pointee.response != dry { unsafe voice.pointee.response.destroy() }
    unsafe voice.destroy()
  }

  private static var blockFrames: Int { @_noLocks get { BlockTransform.partitionFrames } }

  // MARK: Frames

  /// Convolves frames of every channel in place. NaN and infinity become 0.
  ///
  /// - Parameter deviceFrame: the number of the first of these frames.
  /// - Returns: the number of samples that were NaN or infinite.
  @_noLocks
  mutating func apply(
    to channels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int,
    deviceFrame: UInt64
  ) -> Int {
    var done = 0
    var nonFinite = 0
    while done < frameCount {
      let frame = Int(truncatingIfNeeded: deviceFrame) &+ done
      let position = frame & (Self.blockFrames &- 1)
      if position == 0 { beginBlock() }
      var count = min(Self.blockFrames &- position, frameCount &- done)
      if !fade.isStill { count = min(count, min(fade.framesLeft, Self.fadeBlockFrames)) }
      nonFinite =
        unsafe nonFinite
        &+ pass(channels, offset: done, position: position, frameCount: count)
      unsafe present.pointee.work(through: position &+ count, history)
      if change != .none { unsafe coming.pointee.work(through: position &+ count, history) }
      if position &+ count == Self.blockFrames { endBlock() }
      done = done &+ count
    }
    return nonFinite
  }

  /// Puts frames into the present block, and takes the same number of output frames out.
  @_noLocks
  private mutating func pass(
    _ channels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, offset: Int,
    position: Int, frameCount: Int
  ) -> Int {
    let isFading = !fade.isStill
    if isFading { unsafe fade.advance(through: weights, frameCount: frameCount) }
    // Nothing has changed after the fade until the next block.
    let isFaded = !isFading && fade.value == 1
    var nonFinite = 0
    for channel in 0..<channels.count {
      let samples = unsafe channels[channel] + offset
      let input =
        unsafe blocks + (channel &* BlockTransform.sampleCount &+ Self.blockFrames &+ position)
      for i in 0..<frameCount {
        let sample = unsafe samples[i]
        if !sample.isFinite { nonFinite = nonFinite &+ 1 }
        unsafe input[i] = sample.isFinite ? sample : 0
      }
      let old = unsafe output(of: isFaded ? coming : present, channel: channel) + position
      if isFading {
        let new = unsafe output(of: coming, channel: channel) + position
        for i in 0..<frameCount {
          let (from, to) = unsafe (Double(old[i]), Double(new[i]))
          unsafe samples[i] = Float(from + weights[i] * (to - from))
        }
      } else {
        unsafe BlockTransform.copy(old, to: samples, count: frameCount)
      }
    }
    return nonFinite
  }

  /// Returns the output of the last block.
  @_noLocks
  private func output(
    of voice: UnsafeMutablePointer<ResponseVoice>, channel: Int
  ) -> UnsafeMutablePointer<Float> {
    unsafe voice.pointee.isDry
      ? blocks + channel &* BlockTransform.sampleCount : voice.pointee.result(channel: channel)
  }

  /// Moves the block into the history, and computes its output.
  @_noLocks
  private mutating func endBlock() {
    let samples = channelCount &* BlockTransform.sampleCount
    history.advance(hasSound: unsafe !blocks.isSilent(samples))
    for channel in 0..<(history.isSilent ? 0 : channelCount) {
      let block = unsafe blocks + channel &* BlockTransform.sampleCount
      unsafe BlockTransform.copy(block, to: transform.samples, count: BlockTransform.sampleCount)
      transform.forward()
      unsafe BlockSpectrum.pack(
        transform.spectrum, into: history.block(channel: channel, age: 0))
      unsafe BlockTransform.copy(block + Self.blockFrames, to: block, count: Self.blockFrames)
    }
    unsafe present.pointee.finish(history, transform)
    if change != .none { unsafe coming.pointee.finish(history, transform) }
  }

  // MARK: Changes

  /// Ends and begins the changes that are due.
  @_noLocks
  private mutating func beginBlock() {
    if change == .computes {
      change = .fades
      unsafe fade.go(to: 1, frames: coming.pointee.response.pointee.fadeFrames)
      return
    }
    if change == .fades {
      if !fade.isStill { return }
      endChange()
    }
    if let new = unsafe exchange.pointee.take() {
      unsafe coming.pointee.begin(new)
      change = .computes
    }
  }

  @_noLocks
  private mutating func endChange() {
    unsafe retire(present)
    unsafe swap(&present, &coming)
    fade.jump(to: 0)
    change = .none
  }

  @_noLocks
  private func retire(_ voice: UnsafeMutablePointer<ResponseVoice>) {
    let response = unsafe voice.pointee.response
    if unsafe response != dry { unsafe exchange.pointee.retire(response) }
    unsafe voice.pointee.begin(dry)
  }

  /// Starts from rest with the latest response, without a fade. For the first frame, and after frames that were not
  /// convolved.
  @_noLocks
  mutating func begin() {
    if change != .none { endChange() }
    history.reset()
    unsafe blocks.update(repeating: 0, count: channelCount &* BlockTransform.sampleCount)
    if let new = unsafe exchange.pointee.take() {
      unsafe retire(present)
      unsafe present.pointee.begin(new)
    } else {
      unsafe present.pointee.rest()
    }
  }
}
