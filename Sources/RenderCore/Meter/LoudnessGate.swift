// SPDX-License-Identifier: MIT

internal import AudioModel
internal import Glibc

/// The loudness of a sequence of parts of 100 ms by ITU-R BS.1770-4 and EBU R 128, in bounded memory.
///
/// Blocks of 400 ms begin with each part. They are counted in classes of 0.1 LU, each with the exact sum of its blocks, so
/// the relative gate is exact to 0.1 LU.
struct LoudnessGate {
  /// Classes of 0.1 LU from -70 to 30 LUFS.
  private static let classCount = 1000
  private static let lowest = -70.0

  /// The latest parts, up to 30.
  private var recent: [Double] = []
  private var counts = [Int](repeating: 0, count: classCount)
  private var sums = [Double](repeating: 0, count: classCount)

  /// Adds the weighted mean square of a part.
  mutating func add(_ meanSquare: Double) {
    if recent.count == 30 { recent.removeFirst() }
    recent.append(meanSquare)
    guard recent.count >= 4 else { return }
    let block = recent.suffix(4).reduce(0, +) / 4
    guard let loudness = Self.loudness(block), loudness >= Self.lowest else { return }
    let index = min(Self.classCount - 1, Int((loudness - Self.lowest) * 10))
    counts[index] += 1
    sums[index] += block
  }

  var loudness: Loudness {
    func recentLoudness(parts: Int) -> Double? {
      Self.loudness(recent.suffix(parts).reduce(0, +) / Double(parts))
    }
    return Loudness(
      momentary: recentLoudness(parts: 4), shortTerm: recentLoudness(parts: 30),
      integrated: integrated)
  }

  private var integrated: Double? {
    let count = counts.reduce(0, +)
    guard count > 0 else { return nil }
    // 10 LU below the mean of all blocks.
    let gate = sums.reduce(0, +) / Double(count) / 10
    var (gatedSum, gatedCount) = (0.0, 0)
    for index in counts.indices where counts[index] > 0 {
      if sums[index] / Double(counts[index]) >= gate {
        gatedSum += sums[index]
        gatedCount += counts[index]
      }
    }
    return gatedCount > 0 ? Self.loudness(gatedSum / Double(gatedCount)) : nil
  }

  /// Returns the loudness in LUFS; nil for silence.
  private static func loudness(_ meanSquare: Double) -> Double? {
    meanSquare > 1e-20 ? -0.691 + 10 * log10(meanSquare) : nil
  }
}
