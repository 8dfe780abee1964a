// SPDX-License-Identifier: MIT

internal import Glibc

/// The stage that changes the speed and the pitch of sound, if enabled.
struct TimePitchStage {
  private var sampleRate: Double
  private let channels: Int
  private(set) var isEnabled = false
  private(set) var algorithm = AudioQueueTimePitchAlgorithm.spectral
  var isBypassed = false
  var rate: Float = 1
  var cents: Float = 0
  private var stretcher: (any Stretcher)?
  /// Whether the stretcher holds sound back.
  private var hasInput = false

  init(sampleRate: Double, channels: Int) {
    self.sampleRate = sampleRate
    self.channels = channels
  }

  var isActive: Bool { isEnabled && !isBypassed }

  /// Frames of the source for each frame of output.
  var effectiveRate: Float { isActive ? rate : 1 }

  /// - Throws: `codecNotFound` where the library is missing; nothing has changed then.
  mutating func enable(_ algorithm: AudioQueueTimePitchAlgorithm) throws(AudioQueueError) {
    stretcher = try Stretchers.make(algorithm, sampleRate: sampleRate, channels: channels)
    self.algorithm = algorithm
    isEnabled = true
    hasInput = false
  }

  /// Adopts sound of another rate, with its settings. Sound that is held back is lost.
  ///
  /// - Throws: as ``enable(_:)``.
  mutating func adopt(sampleRate: Double) throws(AudioQueueError) {
    self.sampleRate = sampleRate
    if isEnabled { try enable(algorithm) }
  }

  mutating func disable() {
    stretcher = nil
    isEnabled = false
    hasInput = false
    (rate, cents) = (1, 0)
  }

  /// - Returns: the output for these samples, interleaved like them; less at first.
  mutating func process(_ samples: [Float]) -> [Float] {
    guard let stretcher else { return samples }
    hasInput = true
    switch algorithm {
    case .spectral: stretcher.set(timeRatio: 1 / Double(rate), pitchScale: pitchScale)
    case .timeDomain: stretcher.set(timeRatio: 1 / Double(rate), pitchScale: 1)
    case .varispeed: stretcher.set(timeRatio: 1 / Double(rate), pitchScale: Double(rate))
    }
    return stretcher.process(samples)
  }

  private var pitchScale: Double { exp2(Double(cents) / 1200) }

  /// Frames of output before those of the next input.
  var heldFrames: Int { hasInput ? stretcher?.heldFrames ?? 0 : 0 }

  /// - Returns: the sound that is held back; nil if there is none. The next sound begins afresh.
  mutating func finish() -> [Float]? {
    guard hasInput, let stretcher else { return nil }
    hasInput = false
    return stretcher.finish()
  }

  mutating func reset() {
    guard hasInput else { return }
    stretcher?.reset()
    hasInput = false
  }
}

/// A library's stretcher for one stream.
protocol Stretcher: AnyObject {
  /// - Parameters:
  ///   - timeRatio: the output's length, relative to the input's.
  ///   - pitchScale: the output's pitch, relative to the input's.
  func set(timeRatio: Double, pitchScale: Double)
  /// Takes interleaved samples, and returns those that are ready.
  func process(_ samples: [Float]) -> [Float]
  /// Frames still to come out for the input so far.
  var heldFrames: Int { get }
  /// Returns the sound that is held back, and resets.
  func finish() -> [Float]
  /// Resets to the initial state.
  func reset()
}

/// The factory of stretchers.
enum Stretchers {
  static func make(
    _ algorithm: AudioQueueTimePitchAlgorithm, sampleRate: Double, channels: Int
  ) throws(AudioQueueError) -> any Stretcher {
    #if DRAWBAR_RUBBERBAND
      guard let functions = RubberBandLibrary.functions else {
        throw AudioQueueError(
          .codecNotFound,
          "\(RubberBandLibrary.file) is not installed, which changes speed and pitch; "
            + "install the package librubberband2")
      }
      return try RubberBandStretcher(
        functions, algorithm: algorithm, sampleRate: sampleRate, channels: channels)
    #else
      throw AudioQueueError(
        .codecNotFound,
        "this build has no librubberband, which changes speed and pitch; "
          + "install librubberband-dev and build again")
    #endif
  }
}
