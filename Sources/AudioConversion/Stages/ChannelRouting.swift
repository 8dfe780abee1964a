// SPDX-License-Identifier: MIT

internal import AudioModel
internal import RenderCore

/// The input channels of each output channel.
struct ChannelRouting {
  private enum Shape {
    /// Output n plays input `sources[n]`; -1 is silence.
    case map([Int])
    /// `gains[output * inputs + input]`.
    case gains([Double])
  }

  let inputs: Int
  let outputs: Int
  private let shape: Shape
  /// Whether the channels pass unchanged.
  let isIdentity: Bool

  /// Creates Core Audio's default: channel n to channel n; surplus inputs are discarded, missing ones are
  /// silent.
  init(inputs: Int, outputs: Int) {
    self.init(inputs: inputs, outputs: outputs, map: (0..<outputs).map { $0 < inputs ? $0 : -1 })
  }

  /// - Parameter map: the input of each output; -1 is silence.
  init(inputs: Int, outputs: Int, map: [Int]) {
    self.inputs = inputs
    self.outputs = outputs
    shape = .map(map)
    isIdentity = inputs == outputs && map == Array(0..<inputs)
  }

  /// - Parameter layout: the speakers of the inputs; nil for the usual ones.
  init(downmixing inputs: Int, to outputs: Int, layout: AudioChannelLayout?) {
    self.inputs = inputs
    self.outputs = outputs
    shape = .gains(
      Downmix.gains(inputs: inputs, outputs: outputs, layout: layout).map { Double($0) })
    isIdentity = false
  }

  /// - Parameter map: a row of gains for each input: `map[input * outputs + output]`.
  init(inputs: Int, outputs: Int, mixing map: [Float]) {
    self.inputs = inputs
    self.outputs = outputs
    shape = .gains(
      (0..<inputs * outputs).map { Double(map[$0 % inputs * outputs + $0 / inputs]) })
    isIdentity = false
  }

  /// The input of each output, -1 for none; nil if inputs are mixed.
  var sources: [Int]? {
    if case .map(let map) = shape { map } else { nil }
  }

  /// Returns the gain from an input to an output.
  func gain(from input: Int, to output: Int) -> Double {
    switch shape {
    case .map(let map): map[output] == input ? 1 : 0
    case .gains(let gains): gains[output * inputs + input]
    }
  }

  /// Routes interleaved frames.
  func route(
    _ source: UnsafePointer<Double>, frames: Int, to target: UnsafeMutablePointer<Double>
  ) {
    switch shape {
    case .map(let map):
      for output in 0..<outputs {
        let input = map[output]
        if input < 0 {
          for i in 0..<frames { unsafe target[i * outputs + output] = 0 }
        } else {
          for i in 0..<frames {
            unsafe target[i * outputs + output] = source[i * inputs + input]
          }
        }
      }
    case .gains(let gains):
      for output in 0..<outputs {
        for i in 0..<frames {
          var sum = 0.0
          for input in 0..<inputs {
            sum += unsafe gains[output * inputs + input] * source[i * inputs + input]
          }
          unsafe target[i * outputs + output] = sum
        }
      }
    }
  }
}
