// SPDX-License-Identifier: MIT

import TestKit

/// What has been recorded of a ``CountingWave``: which of its frames, one after the other.
struct HeardFrames {
  /// Frames that follow each other in the file and in the recording, or silence.
  struct Run: Equatable {
    /// The first frame's number; nil for silence.
    var number: Int?
    var count: Int
  }

  /// Frames of the file that were not heard, and silence instead.
  struct Hole: Equatable {
    var lost: Int
    var silent: Int
  }

  private(set) var runs: [Run] = []

  init(_ wave: FloatWave) {
    for frame in 0..<wave.frameCount {
      let (left, right) = (wave.channels[0][frame], wave.channels[1][frame])
      // Frame 0 is silent itself.
      let number = left == 0 && right == 0 ? nil : CountingWave.number(left, right)
      let last = runs.last
      let isNext = last?.number.map { $0 + (last?.count ?? 0) } == number
      if last != nil, isNext || last?.number == nil && number == nil {
        runs[runs.count - 1].count += 1
      } else {
        runs.append(Run(number: number, count: 1))
      }
    }
  }

  /// The sounding runs.
  var sounding: [Run] { runs.filter { $0.number != nil } }

  /// What lies between the sounding runs.
  var holes: [Hole] {
    var holes: [Hole] = []
    var (silent, next) = (0, Int?.none)
    for run in runs {
      guard let number = run.number else {
        silent = run.count
        continue
      }
      if let next { holes.append(Hole(lost: number - next, silent: silent)) }
      (silent, next) = (0, number + run.count)
    }
    return holes
  }
}
