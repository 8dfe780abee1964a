// SPDX-License-Identifier: MIT

/// The convolution of the present block with one response.
///
/// The products of the older blocks do not need the present one, so they are computed while it fills, in proportion to
/// its frames. The order of the sums is fixed: how frames are cut into cycles changes no bit.
///
/// Real-time: every call but the initialiser is wait-free, render thread only.
@safe
struct ResponseVoice: ~Copyable {
  private(set) var response: UnsafeMutablePointer<PartitionedResponse>
  private let channelCount: Int
  /// The spectrum of each output channel, so far.
  private let sums: BlockSpectrum.Pointer
  /// The output of the block before the present one, for each channel.
  private let results: UnsafeMutablePointer<Float>
  private var groupsDone = 0

  init(channels: Int, response: UnsafeMutablePointer<PartitionedResponse>) {
    channelCount = channels
    unsafe self.response = unsafe response
    unsafe sums = BlockSpectrum.allocate(count: channels)
    let frames = channels * BlockTransform.partitionFrames
    unsafe results = .allocate(capacity: frames)
    unsafe results.initialize(repeating: 0, count: frames)
  }

  deinit {
    unsafe sums.deallocate()
    unsafe results.deallocate()
  }

  var isDry: Bool { @_noLocks get { unsafe response.pointee.isDry } }

  /// Begins with a block.
  @_noLocks
  mutating func begin(_ response: UnsafeMutablePointer<PartitionedResponse>) {
    unsafe self.response = unsafe response
    rest()
  }

  /// Begins with a block, after silence.
  @_noLocks
  mutating func rest() {
    unsafe BlockSpectrum.clear(sums, count: channelCount)
    unsafe results.update(repeating: 0, count: channelCount &* BlockTransform.partitionFrames)
    groupsDone = 0
  }

  /// Returns the output of a channel.
  @_noLocks
  func result(channel: Int) -> UnsafeMutablePointer<Float> {
    unsafe results + channel &* BlockTransform.partitionFrames
  }

  /// Adds the products of older blocks that are due.
  ///
  /// - Parameter frames: of the present block, so far.
  @_noLocks
  mutating func work(through frames: Int, _ history: borrowing SpectrumHistory) {
    let due =
      unsafe response.pointee.groupCount &* frames / BlockTransform.partitionFrames
    if due == groupsDone { return }
    if history.isSilent {
      groupsDone = due
      return
    }
    let paths = unsafe response.pointee.paths
    for group in groupsDone..<due {
      // The newest block of the history belongs to the second partition.
      let age = group &* PartitionedResponse.groupPartitions
      for index in 0..<paths.count {
        let path = unsafe paths[index]
        unsafe BlockSpectrum.addProducts(
          to: sums + path.output &* BlockSpectrum.vectorCount,
          (
            history.block(channel: path.input, age: age),
            history.block(channel: path.input, age: age &+ 1),
            history.block(channel: path.input, age: age &+ 2),
            history.block(channel: path.input, age: age &+ 3)
          ), path.spectra + (age &+ 1) &* BlockSpectrum.vectorCount)
      }
    }
    groupsDone = due
  }

  /// Computes the output of the block that the history has just taken. All older products have been added.
  @_noLocks
  mutating func finish(_ history: borrowing SpectrumHistory, _ transform: borrowing BlockTransform)
  {
    if history.isSilent { return rest() }
    groupsDone = 0
    if isDry { return }
    let paths = unsafe response.pointee.paths
    for index in 0..<paths.count {
      let path = unsafe paths[index]
      unsafe BlockSpectrum.addProduct(
        to: sums + path.output &* BlockSpectrum.vectorCount,
        history.block(channel: path.input, age: 0), path.spectra)
    }
    for channel in 0..<channelCount {
      unsafe BlockSpectrum.unpack(
        sums + channel &* BlockSpectrum.vectorCount, into: transform.spectrum)
      transform.inverse()
      // The first half has the end of the block before wrapped around.
      unsafe BlockTransform.copy(
        transform.samples + BlockTransform.partitionFrames, to: result(channel: channel),
        count: BlockTransform.partitionFrames)
    }
    unsafe BlockSpectrum.clear(sums, count: channelCount)
  }
}
