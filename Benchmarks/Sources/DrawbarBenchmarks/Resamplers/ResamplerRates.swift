// SPDX-License-Identifier: MIT

/// The input and output rates in frames per second.
struct ResamplerRates: CustomStringConvertible {
  let input: Int
  let output: Int

  static let all = [(44100, 48000), (48000, 44100), (96000, 48000), (22050, 48000), (8000, 48000)]
    .map { ResamplerRates(input: $0.0, output: $0.1) }

  /// Output frames per input frame.
  var ratio: Double { Double(output) / Double(input) }
  /// Half of the lower rate: the end of the common band.
  var bandEnd: Double { Double(min(input, output)) / 2 }
  var description: String { "\(input) to \(output) Hz" }
}
