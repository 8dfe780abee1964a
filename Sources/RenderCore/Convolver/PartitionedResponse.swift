// SPDX-License-Identifier: MIT

/// An impulse response in the form that the render thread uses: the spectra of its partitions. Made off the render
/// thread; it does not change.
@safe
struct PartitionedResponse: ~Copyable {
  /// The number of older partitions that are multiplied at once.
  static var groupPartitions: Int { @_noLocks get { 4 } }

  /// The path from an input channel to an output channel.
  @safe
  struct Path: BitwiseCopyable {
    let input: Int
    let output: Int
    /// The spectrum of the first partition, then those of the others.
    let spectra: BlockSpectrum.Pointer
  }

  /// Whether the response only delays.
  let isDry: Bool
  /// Groups of partitions behind the first partition.
  let groupCount: Int
  let paths: UnsafeMutableBufferPointer<Path>
  /// Frames of the crossfade to this response.
  let fadeFrames: Int
  private let memory: [BlockSpectrum.Pointer]

  /// Makes a response that only delays.
  init(fadeFrames: Int) {
    isDry = true
    groupCount = 0
    unsafe paths = .allocate(capacity: 0)
    self.fadeFrames = fadeFrames
    unsafe memory = []
  }

  /// Transforms the partitions of a response.
  ///
  /// - Parameters:
  ///   - responses: the channels of the response: one for all channels of the node, one for each, or one for each pair of an
  ///     input and an output, those of the first input first.
  ///   - channels: the channels of the node.
  init(_ responses: [[Float]], channels: Int, fadeFrames: Int) throws(ConvolverError) {
    let transform = try BlockTransform()
    let partitions = (responses[0].count + Self.frames - 1) / Self.frames
    let groups = (partitions - 1 + Self.groupPartitions - 1) / Self.groupPartitions
    var memory: [BlockSpectrum.Pointer] = unsafe []
    var paths: [Path] = []
    for (index, taps) in responses.enumerated() where taps.contains(where: { $0 != 0 }) {
      let spectra = unsafe BlockSpectrum.allocate(count: 1 + groups * Self.groupPartitions)
      unsafe memory.append(spectra)
      for partition in 0..<partitions {
        let first = partition * Self.frames
        unsafe transform.samples.update(repeating: 0, count: BlockTransform.sampleCount)
        for frame in first..<min(first + Self.frames, taps.count) {
          unsafe transform.samples[frame - first] = taps[frame]
        }
        transform.forward()
        unsafe BlockSpectrum.pack(
          transform.spectrum, scale: 1 / Float(BlockTransform.sampleCount),
          into: spectra + partition * BlockSpectrum.vectorCount)
      }
      paths += Self.ends(ofResponse: index, of: responses.count, channels: channels).map {
        unsafe Path(input: $0.input, output: $0.output, spectra: spectra)
      }
    }
    isDry = false
    groupCount = paths.isEmpty ? 0 : groups
    unsafe self.paths = .allocate(capacity: paths.count)
    _ = unsafe self.paths.initialize(fromContentsOf: paths)
    self.fadeFrames = fadeFrames
    unsafe self.memory = memory
  }

  private static var frames: Int { BlockTransform.partitionFrames }

  private static func ends(
    ofResponse index: Int, of count: Int, channels: Int
  ) -> [(input: Int, output: Int)] {
    switch count {
    case 1: (0..<channels).map { ($0, $0) }
    case channels: [(index, index)]
    default: [(index / channels, index % channels)]
    }
  }

  deinit {
    unsafe paths.deallocate()
    for index in unsafe memory.indices { unsafe memory[index].deallocate() }
  }
}
