// SPDX-License-Identifier: MIT

/// The spectra of the latest blocks of every channel: a frequency-domain delay line.
///
/// Real-time: every call but the initialiser is wait-free, render thread only.
@safe
struct SpectrumHistory: ~Copyable {
  private let channelCount: Int
  private let blockCapacity: Int
  /// A ring for each channel. Older blocks are behind newer ones.
  private let spectra: BlockSpectrum.Pointer
  /// The spectrum of each block before the start.
  private let silence: BlockSpectrum.Pointer
  private var newest = 0
  /// Blocks since the start, at most ``blockCapacity``.
  private var count = 0
  /// The number of silent blocks since the last block with sound.
  private var silentCount = 0

  /// - Parameter blocks: the number of a response's partitions, at least one.
  init(channels: Int, blocks: Int) {
    channelCount = channels
    blockCapacity = blocks
    unsafe spectra = BlockSpectrum.allocate(count: channels * blocks)
    unsafe silence = BlockSpectrum.allocate(count: 1)
  }

  deinit {
    unsafe spectra.deallocate()
    unsafe silence.deallocate()
  }

  /// Discards all blocks.
  @_noLocks
  mutating func reset() { count = 0 }

  /// True if all blocks are silent.
  var isSilent: Bool { @_noLocks get { count == 0 } }

  /// Makes room for the next block of every channel, which replaces the oldest one.
  ///
  /// - Parameter hasSound: whether a channel of the next block has sound.
  @_noLocks
  mutating func advance(hasSound: Bool) {
    newest = newest == 0 ? blockCapacity &- 1 : newest &- 1
    if count < blockCapacity { count = count &+ 1 }
    silentCount = hasSound ? 0 : silentCount &+ 1
    if silentCount >= count { reset() }
  }

  /// Returns a block of a channel.
  ///
  /// - Parameter age: 0 for the newest block.
  @_noLocks
  func block(channel: Int, age: Int) -> BlockSpectrum.Pointer {
    if age >= count { return unsafe silence }
    var index = newest &+ age
    if index >= blockCapacity { index = index &- blockCapacity }
    return unsafe spectra + (channel &* blockCapacity &+ index) &* BlockSpectrum.vectorCount
  }
}
