// SPDX-License-Identifier: MIT

internal import Synchronization

extension Renderer {
  /// Whether each cycle measures its outputs' peaks, for a meter. Off at first. Any thread but the render thread.
  public var measuresPeaks: Bool {
    get { unsafe context.state.pointee.measuresPeaks.load(ordering: .relaxed) }
    set { unsafe context.state.pointee.measuresPeaks.store(newValue, ordering: .relaxed) }
  }

  /// The samples of all outputs that were above full scale, in cycles that measured peaks. They are not changed: JACK
  /// passes them on, and a sound card or a file of integers clips them. Any thread but the render thread.
  public var clippedSampleCount: UInt64 {
    unsafe context.state.pointee.clippedSamples.load(ordering: .relaxed)
  }

  /// Returns the largest magnitude of each output since the last call, where 1 is full scale: of the sum of all
  /// sources, after their volumes. Any thread but the render thread.
  public func takePeaks() -> [Float] {
    (0..<outputChannels).map { channel in
      unsafe Float(
        bitPattern: (context.state.pointee.peaks + channel).pointee.exchange(
          0, ordering: .relaxed))
    }
  }
}
