// SPDX-License-Identifier: MIT

import TestKit

/// The frames of a ``CountingWave`` in a recording, in order.
struct HeardFrames {
  /// Frames that are consecutive in both the file and the recording, or silence.
  struct Run: Equatable {
    /// The first frame's number; nil for silence.
    var number: Int?
    var count: Int
  }

  /// Frames of the file that are missing in the recording, and silence in their stead.
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

  /// The holes between the sounding runs.
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
