// SPDX-License-Identifier: MIT

internal import Glibc

/// The sine that fits samples best, in the least squares sense (IEEE 1057's four-parameter fit).
public struct SineFit {
  /// Cycles per second.
  public var frequency: Double
  /// Power of the sine over that of the rest, in decibels.
  public var signalToResidual: Double

  /// Fits samples.
  ///
  /// - Parameter guess: cycles per second, near enough to be off by less than half a cycle over all
  ///   samples.
  public init(_ samples: ArraySlice<Float>, sampleRate: Double, near guess: Double) {
    var omega = 2 * Double.pi * guess / sampleRate
    let middle = Double(samples.count) / 2
    var amplitudes = (cosine: 0.0, sine: 0.0)
    var residual = 0.0
    for _ in 0..<6 {
      // Columns: cosine, sine, constant, and the derivative by the frequency.
      var system = [[Double]](repeating: [Double](repeating: 0, count: 5), count: 4)
      residual = 0
      for (index, sample) in samples.enumerated() {
        let time = Double(index) - middle
        let (c, s) = (cos(omega * time), sin(omega * time))
        let slope = time * (amplitudes.sine * c - amplitudes.cosine * s)
        let row = [c, s, 1, slope, Double(sample)]
        for i in 0..<4 { for j in i..<5 { system[i][j] += row[i] * row[j] } }
      }
      for i in 1..<4 { for j in 0..<i { system[i][j] = system[j][i] } }
      let isFirst = amplitudes == (0, 0)
      let solution = solve(isFirst ? system.prefix(3).map { Array($0[..<3]) + [$0[4]] } : system)
      amplitudes = (solution[0], solution[1])
      for (index, sample) in samples.enumerated() {
        let time = Double(index) - middle
        let model =
          amplitudes.cosine * cos(omega * time) + amplitudes.sine * sin(omega * time) + solution[2]
        residual += (Double(sample) - model) * (Double(sample) - model)
      }
      if !isFirst { omega += solution[3] }
    }
    frequency = omega * sampleRate / (2 * Double.pi)
    let power = amplitudes.cosine * amplitudes.cosine + amplitudes.sine * amplitudes.sine
    signalToResidual = 10 * log10(power / 2 * Double(samples.count) / residual)
  }
}

/// Solves a small symmetric system by elimination; the last column is the right-hand side.
private func solve(_ system: [[Double]]) -> [Double] {
  var rows = system
  let count = rows.count
  for pivot in 0..<count {
    for row in 0..<count where row != pivot {
      let factor = rows[row][pivot] / rows[pivot][pivot]
      for column in pivot...count { rows[row][column] -= factor * rows[pivot][column] }
    }
  }
  return (0..<count).map { rows[$0][count] / rows[$0][$0] }
}
