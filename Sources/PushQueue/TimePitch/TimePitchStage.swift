// SPDX-License-Identifier: MIT

internal import Glibc

/// Changes the speed and the pitch of sound, where that is wanted.
struct TimePitchStage {
  private var sampleRate: Double
  private let channels: Int
  private(set) var isEnabled = false
  private(set) var algorithm = AudioQueueTimePitchAlgorithm.spectral
  var isBypassed = false
  var rate: Float = 1
  var cents: Float = 0
  private var stretcher: (any Stretcher)?
  /// The stretcher holds sound back.
  private var hasInput = false

  init(sampleRate: Double, channels: Int) {
    self.sampleRate = sampleRate
    self.channels = channels
  }

  var isActive: Bool { isEnabled && !isBypassed }

  /// Frames of the source for one that comes out.
  var effectiveRate: Float { isActive ? rate : 1 }

  /// - Throws: `codecNotFound` where the library is missing; nothing has changed then.
  mutating func enable(_ algorithm: AudioQueueTimePitchAlgorithm) throws(AudioQueueError) {
    stretcher = try Stretchers.make(algorithm, sampleRate: sampleRate, channels: channels)
    self.algorithm = algorithm
    isEnabled = true
    hasInput = false
  }

  /// Goes over to sound of another rate, with its settings. What is held back is lost.
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

  /// - Returns: what comes out for these samples, interleaved as they are; not as much at first.
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

  /// Frames that come out before those of what is processed next.
  var heldFrames: Int { hasInput ? stretcher?.heldFrames ?? 0 : 0 }

  /// - Returns: what is held back; nil when nothing is. What follows begins afresh.
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

/// A library at work on one stream.
protocol Stretcher: AnyObject {
  /// - Parameters:
  ///   - timeRatio: how long the sound gets.
  ///   - pitchScale: how much higher.
  func set(timeRatio: Double, pitchScale: Double)
  /// Interleaved samples go in, as many as there are come out.
  func process(_ samples: [Float]) -> [Float]
  /// Frames still to come out for what went in.
  var heldFrames: Int { get }
  /// Gives what is held back, and is as new.
  func finish() -> [Float]
  /// Is as new.
  func reset()
}

/// Which library does it.
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
