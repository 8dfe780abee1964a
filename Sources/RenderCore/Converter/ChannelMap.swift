// SPDX-License-Identifier: MIT

internal import AudioModel

/// How a stream's channels go to the output's.
///
/// - As many channels as outputs: one to one.
/// - Mono: to the first two outputs (to the only one, if there is one), silence to the others.
/// - Fewer channels than outputs: one to one, silence to the others.
/// - More channels than outputs: a downmix after ITU-R BS.775: each speaker that the outputs lack
///   goes at −3 dB to the nearest they have (centre to left and right, surrounds to the front of
///   their side, a centre surround to both at −6 dB), the low-frequency channel is left out, and
///   every sum is divided by the largest sum of gains, so that it cannot clip. To a single output
///   everything is averaged. Channels without a speaker position go to output *i mod n*.
@safe
struct ChannelMap: ~Copyable {
  private enum Shape {
    case identity
    case monoToAll
    case matrix
  }

  let inputs: Int
  let outputs: Int
  private let shape: Shape
  /// Outputs that get something; the others are silent.
  private let soundingOutputs: Int
  /// `gains[output * inputs + input]`.
  private let gains: UnsafeMutablePointer<Float>

  init(inputs: Int, outputs: Int, layout: AudioChannelBitmap) {
    self.inputs = inputs
    self.outputs = outputs
    unsafe gains = UnsafeMutablePointer<Float>.allocate(capacity: max(1, inputs * outputs))
    unsafe gains.initialize(repeating: 0, count: max(1, inputs * outputs))
    if inputs == 1 {
      shape = .monoToAll
      soundingOutputs = min(2, outputs)
    } else if inputs <= outputs {
      shape = .identity
      soundingOutputs = inputs
    } else {
      shape = .matrix
      soundingOutputs = outputs
      let matrix = Self.downmix(inputs: inputs, outputs: outputs, layout: layout)
      for (index, gain) in matrix.enumerated() { unsafe gains[index] = gain }
    }
  }

  deinit {
    unsafe gains.deallocate()
  }

  /// Gains of the documented downmix, `[output * inputs + input]`.
  static func downmix(inputs: Int, outputs: Int, layout: AudioChannelBitmap) -> [Float] {
    var gains = [Float](repeating: 0, count: inputs * outputs)
    let all = (0..<11).map { AudioChannelBitmap(rawValue: 1 << $0) }
    let positions = all.filter { layout.contains($0) }
    let third = Float(0.5).squareRoot()
    for input in 0..<inputs {
      func send(_ gain: Float, to output: Int) { gains[output * inputs + input] += gain }
      guard outputs > 1 else {
        if positions.count == inputs, positions[input] == .lowFrequencyEffects { continue }
        send(1, to: 0)
        continue
      }
      guard outputs == 2, positions.count == inputs else {
        send(1, to: input % outputs)
        continue
      }
      switch positions[input] {
      case .left: send(1, to: 0)
      case .right: send(1, to: 1)
      case .center:
        send(third, to: 0)
        send(third, to: 1)
      case .lowFrequencyEffects: break
      case .leftSurround, .leftSurroundDirect, .leftCenter: send(third, to: 0)
      case .rightSurround, .rightSurroundDirect, .rightCenter: send(third, to: 1)
      default:
        send(0.5, to: 0)
        send(0.5, to: 1)
      }
    }
    let sums = (0..<outputs).map { gains[$0 * inputs..<($0 + 1) * inputs].reduce(0, +) }
    let largest = sums.max() ?? 1
    return largest > 1 ? gains.map { $0 / largest } : gains
  }

  /// Writes interleaved frames to the outputs, from `offset` on.
  ///
  /// Real-time: wait-free.
  @_noLocks
  func write(
    _ samples: UnsafePointer<Float>, frames: Int,
    to buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, at offset: Int
  ) {
    switch shape {
    case .identity where inputs == 2:
      let left = unsafe buffers[0] + offset
      let right = unsafe buffers[1] + offset
      for i in 0..<frames {
        unsafe left[i] = samples[2 &* i]
        unsafe right[i] = samples[2 &* i &+ 1]
      }
    case .identity:
      for channel in 0..<inputs {
        let target = unsafe buffers[channel] + offset
        for i in 0..<frames {
          unsafe target[i] = samples[i &* inputs &+ channel]
        }
      }
    case .monoToAll:
      for output in 0..<soundingOutputs {
        unsafe UnsafeMutableRawPointer(buffers[output] + offset)
          .copyMemory(from: samples, byteCount: frames * MemoryLayout<Float>.stride)
      }
    case .matrix:
      for output in 0..<outputs {
        let target = unsafe buffers[output] + offset
        let row = unsafe gains + output * inputs
        for i in 0..<frames {
          var sum: Float = 0
          for input in 0..<inputs {
            unsafe sum += row[input] * samples[i &* inputs &+ input]
          }
          unsafe target[i] = sum
        }
      }
    }
    for output in soundingOutputs..<max(soundingOutputs, outputs) {
      unsafe (buffers[output] + offset).update(repeating: 0, count: frames)
    }
  }
}
