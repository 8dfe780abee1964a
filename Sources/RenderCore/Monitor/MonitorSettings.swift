// SPDX-License-Identifier: MIT

internal import AudioModel
internal import Glibc

/// How a monitor passes the inputs on to the outputs: Core Audio's matrix mixer
/// (`kAudioUnitSubType_MatrixMixer`), with a high-pass before it and a limiter behind it.
public struct MonitorSettings: Sendable, Equatable {
  /// The matrix: for each output its inputs' gains, linear. An input that a row leaves out, or an output
  /// without a row, has 0.
  public var crosspoints: [[Float]]
  /// Gain of all that the matrix passes, linear; 0 to ``maximumGain``.
  public var gain: Float = 1
  /// Nothing of the inputs is passed. What else sounds is not muted.
  public var isMuted = false
  /// Where the inputs are between the first two outputs, from -1, the first alone, to 1, the second
  /// alone. A balance: the nearer side keeps its gain.
  public var pan: Float = 0
  /// The inputs, counted from 0, whose polarity is inverted.
  public var invertedInputs: Set<Int> = []
  /// The corner of a second-order Butterworth high-pass on each input, in hertz; nil for none. What is
  /// not between 1 Hz and 0.45 of the rate is taken as the nearer of the two.
  public var highPassHertz: Double?
  /// The largest magnitude that an output is given, all that sounds together, 1 being full scale; nil
  /// for no limit. The limiter has no look-ahead, so it adds no frame: the gain falls at once to what a
  /// peak needs, all outputs alike, and rises again.
  public var limit: Float?
  /// Seconds in which the limiter's gain comes back by 63 % of the way.
  public var limiterReleaseSeconds = 0.1
  /// Seconds in which a change of gain, mute, pan, polarity or matrix takes place, and in which the high-pass comes and
  /// goes; ``Renderer/fadeSeconds`` at first. A change of its corner takes 20 ms.
  public var rampSeconds = Renderer.fadeSeconds

  /// The largest gain: 40 dB.
  public static let maximumGain: Float = 100

  /// Each input to the output of the same number. One input goes to every output; with more inputs than
  /// outputs, the further ones begin at the first output again.
  public init(inputs: Int, outputs: Int) {
    crosspoints = (0..<outputs).map { output in
      (0..<inputs).map { input in
        inputs == 1 || input % max(1, outputs) == output ? 1 : 0
      }
    }
  }

  /// A crosspoint's gain with everything that bears on it; 0 for what is no number.
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
    // 1 Hz for NaN, too.
    let hertz = highPassHertz >= 1 ? min(highPassHertz, 0.45 * sampleRate) : 1
    let k = tan(Double.pi * hertz / sampleRate)
    return BiquadCoefficients(
      b0: 1, b1: -2, b2: 1, a0: 1 + 2.0.squareRoot() * k + k * k, a1: 2 * (k * k - 1),
      a2: 1 - 2.0.squareRoot() * k + k * k)
  }
}

/// How loud a channel was since the last time that it was asked for; linear, 1 is full scale.
public struct MonitorLevel: Sendable, Equatable {
  /// The largest magnitude.
  public var peak: Float
  /// The root of the mean square; 0 when there was no frame.
  public var rootMeanSquare: Float
  /// The frames that were measured.
  public var frameCount: UInt64

  /// A level with these values.
  public init(peak: Float = 0, rootMeanSquare: Float = 0, frameCount: UInt64 = 0) {
    self.peak = peak
    self.rootMeanSquare = rootMeanSquare
    self.frameCount = frameCount
  }

  /// Becomes the level of both stretches of sound, one after the other.
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

/// What a monitor's meters have measured since the last time that they were asked.
public struct MonitorLevels: Sendable, Equatable {
  /// The inputs as they came.
  public var inputs: [MonitorLevel]
  /// The outputs as they are heard.
  public var outputs: [MonitorLevel]
  /// The lowest gain of the limiter, linear; 1 when it had nothing to do.
  public var limiterGain: Float

  /// Becomes the levels of both stretches of sound, one after the other.
  public mutating func add(_ next: MonitorLevels) {
    for channel in inputs.indices { inputs[channel].add(next.inputs[channel]) }
    for channel in outputs.indices { outputs[channel].add(next.outputs[channel]) }
    limiterGain = min(limiterGain, next.limiterGain)
  }
}
