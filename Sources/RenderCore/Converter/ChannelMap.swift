// SPDX-License-Identifier: MIT

internal import AudioModel

/// The mapping of a stream's channels to the output's.
///
/// - As many channels as outputs: one to one, in the order of the speakers' bits, which is WAVE's: the third output
///   plays the centre, whatever its index in the stream. If the layout does not name a different speaker for each
///   channel: in the stream's order.
/// - Mono: to the first two outputs (to the only one, if there is one), silence to the others.
/// - Fewer channels than outputs: the same, and silence to the others.
/// - More channels than outputs: a downmix after ITU-R BS.775. Each speaker that the outputs lack is added at −3 dB
///   to the nearest of theirs (centre to left and right, surrounds to the front of their side, a centre surround to
///   both at −6 dB), the low-frequency channel is left out, and every sum is divided by the largest sum of gains, so
///   that it cannot clip. A single output plays the average. Channels without a speaker position are added to output
///   *i mod n*.
@safe
struct ChannelMap: ~Copyable {
  private enum Shape {
    /// Output n plays channel `order[n]`.
    case oneToOne
    case monoToAll
    case matrix
  }

  let inputs: Int
  let outputs: Int
  private let shape: Shape
  /// The first outputs, which have sound; the others are silent.
  private let soundingOutputs: Int
  /// `gains[output * inputs + input]`.
  private let gains: UnsafeMutablePointer<Float>
  private let order: UnsafeMutablePointer<Int32>

  /// - Parameter layout: the speakers of the inputs; nil for the standard ones.
  init(inputs: Int, outputs: Int, layout: AudioChannelLayout?) {
    self.inputs = inputs
    self.outputs = outputs
    let speakers = Self.speakers(inputs, layout)
    unsafe order = UnsafeMutablePointer<Int32>.allocate(capacity: max(1, inputs))
    let sorted = (0..<inputs).sorted { (speakers?[$0] ?? 0, $0) < (speakers?[$1] ?? 0, $1) }
    for (output, input) in sorted.enumerated() {
      unsafe (order + output).initialize(to: Int32(input))
    }
    unsafe gains = UnsafeMutablePointer<Float>.allocate(capacity: max(1, inputs * outputs))
    unsafe gains.initialize(repeating: 0, count: max(1, inputs * outputs))
    if inputs == 1 {
      shape = .monoToAll
      soundingOutputs = min(2, outputs)
    } else if inputs <= outputs {
      shape = .oneToOne
      soundingOutputs = inputs
    } else {
      shape = .matrix
      soundingOutputs = outputs
      let matrix = Self.downmix(inputs: inputs, outputs: outputs, speakers: speakers)
      for (index, gain) in matrix.enumerated() { unsafe gains[index] = gain }
    }
  }

  deinit {
    unsafe gains.deallocate()
    unsafe order.deallocate()
  }

  /// Returns the label of each channel's speaker; nil if the channels do not have different speakers.
  static func speakers(_ inputs: Int, _ layout: AudioChannelLayout?) -> [UInt32]? {
    guard let layout, layout.labels.count == inputs else {
      let standard = AudioChannelLayout(.standard(channels: UInt32(inputs)))
      return standard.labels.count == inputs ? standard.labels : nil
    }
    // Mono's label means the centre. If there are rear surrounds, the other surrounds are WAVE's sides.
    let hasRear = layout.labels.contains { $0 == 33 || $0 == 34 }
    let labels = layout.labels.map { label -> UInt32 in
      switch label {
      case 42: 3
      case 5, 6: hasRear ? label + 5 : label
      case 33, 34: label - 28
      default: label
      }
    }
    return AudioChannelLayout(labels: labels).bitmap == nil ? nil : labels
  }

  /// Returns the gains of the documented downmix, `[output * inputs + input]`.
  static func downmix(inputs: Int, outputs: Int, speakers: [UInt32]?) -> [Float] {
    var gains = [Float](repeating: 0, count: inputs * outputs)
    let positions = speakers?.map { AudioChannelBitmap(rawValue: 1 << ($0 - 1)) }
    let third = Float(0.5).squareRoot()
    for input in 0..<inputs {
      func send(_ gain: Float, to output: Int) { gains[output * inputs + input] += gain }
      guard outputs > 1 else {
        if positions?[input] == .lowFrequencyEffects { continue }
        send(1, to: 0)
        continue
      }
      guard outputs == 2, let positions else {
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

  /// The output of each of two channels; nil unless there are two inputs and two outputs.
  var stereoOutputs: (first: Int, second: Int)? {
    guard inputs == 2, outputs == 2 else { return nil }
    return unsafe order[0] == 0 ? (0, 1) : (1, 0)
  }

  /// Writes interleaved frames to the outputs, starting at frame `offset`.
  ///
  /// Real-time: wait-free.
  @_noLocks
  func write(
    _ samples: UnsafePointer<Float>, frames: Int,
    to buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, at offset: Int
  ) {
    switch shape {
    case .oneToOne where inputs == 2:
      let isInOrder = unsafe order[0] == 0
      unsafe Self.separate(
        samples, frames: frames, first: buffers[isInOrder ? 0 : 1] + offset,
        second: buffers[isInOrder ? 1 : 0] + offset)
    case .oneToOne:
      for output in 0..<inputs {
        let target = unsafe buffers[output] + offset
        let source = unsafe samples + Int(order[output])
        for i in 0..<frames {
          unsafe target[i] = source[i &* inputs]
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

  /// Separates two interleaved channels, eight frames at a time: the compiler's own code for this reads every sample
  /// twice.
  @_noLocks
  static func separate(
    _ samples: UnsafePointer<Float>, frames: Int, first: UnsafeMutablePointer<Float>,
    second: UnsafeMutablePointer<Float>
  ) {
    var i = 0
    while i &+ 8 <= frames {
      let both = unsafe UnsafeRawPointer(samples + 2 &* i).loadUnaligned(as: SIMD16<Float>.self)
      unsafe UnsafeMutableRawPointer(first + i).storeBytes(
        of: both.evenHalf, as: SIMD8<Float>.self)
      unsafe UnsafeMutableRawPointer(second + i).storeBytes(
        of: both.oddHalf, as: SIMD8<Float>.self)
      i &+= 8
    }
    while i < frames {
      unsafe first[i] = samples[2 &* i]
      unsafe second[i] = samples[2 &* i &+ 1]
      i &+= 1
    }
  }
}
