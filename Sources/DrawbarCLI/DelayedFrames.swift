// SPDX-License-Identifier: MIT

/// The frames that a file keeps of a sound that the renderer's graph delays.
struct DelayedFrames {
  private let latencyFrames: Int
  /// Ranges of rendered frames to keep, in order.
  private var kept: [Range<Int>] = []
  private var renderedFrames = 0

  init(latencyFrames: Int) {
    self.latencyFrames = latencyFrames
  }

  /// Frames to render until the last one to keep is rendered.
  var framesLeft: Int { max(0, (kept.last?.upperBound ?? 0) - renderedFrames) }

  /// Counts a cycle.
  ///
  /// - Parameter soundingFrames: its frames from the first on that sources render.
  /// - Returns: the ranges of its frames to keep.
  mutating func take(frameCount: Int, soundingFrames: Int) -> [Range<Int>] {
    if soundingFrames > 0 {
      let first = renderedFrames + latencyFrames
      kept.append(first..<first + soundingFrames)
    }
    let cycle = renderedFrames..<renderedFrames + frameCount
    renderedFrames = cycle.upperBound
    let ranges = kept.map { $0.clamped(to: cycle) }.filter { !$0.isEmpty }
    kept.removeAll { $0.upperBound <= cycle.upperBound }
    return ranges.map { $0.lowerBound - cycle.lowerBound..<$0.upperBound - cycle.lowerBound }
  }
}
