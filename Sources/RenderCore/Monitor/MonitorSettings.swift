// SPDX-License-Identifier: MIT

internal import AudioModel
internal import Glibc

/// The settings of a monitor, which mixes the inputs into the outputs: Core Audio's matrix mixer
/// (`kAudioUnitSubType_MatrixMixer`), with a high-pass before it and a limiter behind it.
public struct MonitorSettings: Sendable, Equatable {
  /// The matrix: for each output the linear gains of its inputs. An input missing from a row has 0, and so has an
  /// output without a row.
  public var crosspoints: [[Float]]
  /// The linear gain after the matrix, 0 to ``maximumGain``.
  public var gain: Float = 1
  /// Whether the inputs are muted. Sources and callbacks are not.
  public var isMuted = false
  /// The position of the inputs between the first two outputs, from -1, the first alone, to 1, the second alone. A
  /// balance: the nearer side keeps its gain.
  public var pan: Float = 0
  /// The inputs, counted from 0, whose polarity is inverted.
  public var invertedInputs: Set<Int> = []
  /// The corner of a second-order Butterworth high-pass on each input, in hertz; nil for none. It is clamped to 1 Hz
  /// and 0.45 of the rate.
  public var highPassHertz: Double?
  /// The largest magnitude of an output, of all its sound together, where 1 is full scale; nil for no limit. The
  /// limiter has no look-ahead, so it adds no frame: at a peak the gain falls at once as far as needed, the same on all
  /// outputs, and rises again.
  public var limit: Float?
  /// The time in seconds in which the limiter's gain returns by 63 %.
  public var limiterReleaseSeconds = 0.1
  /// The seconds that a change of gain, mute, pan, polarity or matrix takes, and the fade of the high-pass in and out;
  /// ``Renderer/fadeSeconds`` at first. A change of its corner takes 20 ms.
  public var rampSeconds = Renderer.fadeSeconds

  /// The largest gain: 40 dB.
  public static let maximumGain: Float = 100

  /// Connects each input to the output of the same number. A single input goes to every output; if there are more
  /// inputs than outputs, the further ones start at the first output again.
  public init(inputs: Int, outputs: Int) {
    crosspoints = (0..<outputs).map { output in
      (0..<inputs).map { input in
        inputs == 1 || input % max(1, outputs) == output ? 1 : 0
      }
    }
  }

  /// Returns a crosspoint's gain from all settings; 0 if it is not finite.
  func effectiveGain(input: Int, output: Int) -> Float {
    guard !isMuted, crosspoints.indices.contains(output),
      crosspoints[output].indices.contains(input)
    else { return 0 }
    var result = crosspoints[output][input] * min(max(0, gain), Self.maximumGain)
    if invertedInputs.contains(input) { result = -result }
    if crosspoints.count > 1 {
      if output == 0, pan > 0 { result *= 1 - min(pan, 1) }
      if output == 1, pan < 0 { result *= 1 + max(pan, -1) }
    }
    return result.isFinite ? result : 0
  }

  /// Returns the high-pass, a second-order Butterworth filter by the bilinear transform; nil for none. Not for the
  /// render thread: it calls libm.
  func highPass(sampleRate: Double) -> BiquadCoefficients? {
    guard let highPassHertz else { return nil }
    // NaN also becomes 1 Hz.
    let hertz = highPassHertz >= 1 ? min(highPassHertz, 0.45 * sampleRate) : 1
    let k = tan(Double.pi * hertz / sampleRate)
    return BiquadCoefficients(
      b0: 1, b1: -2, b2: 1, a0: 1 + 2.0.squareRoot() * k + k * k, a1: 2 * (k * k - 1),
      a2: 1 - 2.0.squareRoot() * k + k * k)
  }
}

/// The level of a channel since the last reading; linear, 1 is full scale.
public struct MonitorLevel: Sendable, Equatable {
  /// The largest magnitude.
  public var peak: Float
  /// The root of the mean square; 0 if there was no frame.
  public var rootMeanSquare: Float
  /// The frames that were measured.
  public var frameCount: UInt64

  /// Creates a level with these values.
  public init(peak: Float = 0, rootMeanSquare: Float = 0, frameCount: UInt64 = 0) {
    self.peak = peak
    self.rootMeanSquare = rootMeanSquare
    self.frameCount = frameCount
  }

  /// Combines this level with that of the sound that follows it.
  mutating func add(_ next: MonitorLevel) {
    peak = max(peak, next.peak)
    let frames = frameCount &+ next.frameCount
    if frames > 0 {
      let sum =
        Double(rootMeanSquare) * Double(rootMeanSquare) * Double(frameCount)
        + Double(next.rootMeanSquare) * Double(next.rootMeanSquare) * Double(next.frameCount)
      rootMeanSquare = Float((sum / Double(frames)).squareRoot())
    }
    frameCount = frames
  }
}

/// The levels that a monitor's meters have measured since the last reading.
public struct MonitorLevels: Sendable, Equatable {
  /// The inputs, before the high-pass.
  public var inputs: [MonitorLevel]
  /// The outputs, after the limiter.
  public var outputs: [MonitorLevel]
  /// The lowest gain of the limiter, linear; 1 if it reduced no sample.
  public var limiterGain: Float

  /// Combines these levels with those of the sound that follows.
  public mutating func add(_ next: MonitorLevels) {
    for channel in inputs.indices { inputs[channel].add(next.inputs[channel]) }
    for channel in outputs.indices { outputs[channel].add(next.outputs[channel]) }
    limiterGain = min(limiterGain, next.limiterGain)
  }
}
