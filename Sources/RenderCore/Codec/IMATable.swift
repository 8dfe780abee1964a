// SPDX-License-Identifier: MIT

/// The difference and the next step index for each four-bit code of IMA ADPCM and each step size (IMA, "Recommended
/// Practices for Enhancing Digital Audio Compatibility in Multimedia Systems", revision 3.00, section 6).
///
/// Real-time: `advance` is safe; creation and destruction are not.
@safe
struct IMATable: ~Copyable {
  /// The decoding state of one channel.
  struct State {
    /// The last sample, of 16 bits.
    var predictor: Int32
    /// The index of the next step size, 0 to ``IMATable/maximumIndex``.
    var index: Int32

    @_noLocks
    init(predictor: Int32, index: Int32) {
      self.predictor = predictor
      self.index = index
    }
  }

  /// The rounding of a code's difference, which is a sum of fractions of the step size.
  enum Rounding {
    /// Each of its eighths is rounded down to an integer, as in the recommendation.
    case eachPart
    /// Only the sum is rounded down, as in ffmpeg for WAVE.
    case sum
  }

  private struct Entry {
    var difference: Int32
    var nextIndex: Int32
  }

  static var maximumIndex: Int32 { @_noLocks get { 88 } }

  private let entries: UnsafeMutablePointer<Entry>

  private static let steps: [Int32] = [
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73,
    80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494,
    544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499,
    2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493, 10442,
    11487,
    12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767,
  ]

  init(rounding: Rounding) {
    let steps = Self.steps
    unsafe entries = UnsafeMutablePointer<Entry>.allocate(capacity: steps.count * 16)
    for index in steps.indices {
      for code in 0..<16 {
        let magnitude = Self.difference(steps[index], code: Int32(code & 7), rounding)
        let move = code & 4 == 0 ? -1 : 2 * (code & 3) + 2
        let next = min(max(index + move, 0), steps.count - 1)
        let entry = Entry(
          difference: code & 8 == 0 ? magnitude : -magnitude, nextIndex: Int32(next))
        unsafe (entries + index * 16 + code).initialize(to: entry)
      }
    }
  }

  deinit {
    unsafe entries.deallocate()
  }

  private static func difference(_ step: Int32, code: Int32, _ rounding: Rounding) -> Int32 {
    switch rounding {
    case .eachPart:
      (step >> 3) + (code & 4 != 0 ? step : 0) + (code & 2 != 0 ? step >> 1 : 0)
        + (code & 1 != 0 ? step >> 2 : 0)
    case .sum: ((2 * code + 1) * step) >> 3
    }
  }

  /// Decodes the code in the low four bits; the sample is the state's predictor. The state's index
  /// must be in its range.
  @_noLocks
  func advance(_ state: inout State, code: UInt32) {
    let entry = unsafe entries[Int(state.index) << 4 | Int(code & 15)]
    let sum = state.predictor &+ entry.difference
    state.predictor = min(max(sum, -32768), 32767)
    state.index = entry.nextIndex
  }
}
