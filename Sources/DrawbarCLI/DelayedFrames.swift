// SPDX-License-Identifier: MIT

/// The rendered frames to write to a file if the renderer's graph delays the sound.
struct DelayedFrames {
  private let latencyFrames: Int
  private let tailFrames: Int
  /// Ranges of rendered frames to keep, in order.
  private var kept: [Range<Int>] = []
  private var renderedFrames = 0

  /// - Parameters:
  ///   - latencyFrames: the delay of all sound.
  ///   - tailFrames: the frames for which the sound continues after its end.
  init(latencyFrames: Int, tailFrames: Int) {
    self.latencyFrames = latencyFrames
    self.tailFrames = tailFrames
  }

  /// The frames still to render, up to the last one to keep.
  var framesLeft: Int { max(0, (kept.last?.upperBound ?? 0) - renderedFrames) }

  /// Counts a cycle.
  ///
  /// - Parameter soundingFrames: the number of the cycle's first frames, which sources render.
  /// - Returns: the ranges of its frames to keep.
  mutating func take(frameCount: Int, soundingFrames: Int) -> [Range<Int>] {
    if soundingFrames > 0 {
      let first = renderedFrames + latencyFrames
      let end = first + soundingFrames + tailFrames
      if let last = kept.last, last.upperBound >= first {
        kept[kept.count - 1] = last.lowerBound..<end
      } else {
        kept.append(first..<end)
      }
    }
    let cycle = renderedFrames..<renderedFrames + frameCount
    renderedFrames = cycle.upperBound
    let ranges = kept.map { $0.clamped(to: cycle) }.filter { !$0.isEmpty }
    kept.removeAll { $0.upperBound <= cycle.upperBound }
    return ranges.map { $0.lowerBound - cycle.lowerBound..<$0.upperBound - cycle.lowerBound }
  }
}
