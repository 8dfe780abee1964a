// SPDX-License-Identifier: MIT

/// How many frames of its own rate a source has had the time for since it was last started: sound, and
/// silence for want of sound. It stands while the source is held or paused.
///
/// Real-time: every call is wait-free, render thread only.
struct SourceClock {
  private(set) var frames = 0.0
  /// How fast it goes; other than 1 for sound that was stretched.
  private var rate = 1.0
  /// Frames of the source for one of the output, at a rate of 1; 0 for a source without a clock.
  private var framesPerOutputFrame = 0.0
  /// The rates that this is of.
  private var hertz = 0.0
  private var outputRate = 0

  @_noLocks
  init() {}

  /// - Parameter hertz: the source's frames per second, 0 for none.
  @_noLocks
  mutating func setRates(hertz: Double, outputRate: Int) {
    // Asked for in every cycle, and hardly ever new.
    if hertz == self.hertz, outputRate == self.outputRate { return }
    (self.hertz, self.outputRate) = (hertz, outputRate)
    framesPerOutputFrame = outputRate > 0 ? hertz / Double(outputRate) : 0
  }

  /// Whether it is set to so many frames of the source in a second.
  @_noLocks
  func hasHertz(_ hertz: Double) -> Bool { hertz == self.hertz }

  @_noLocks
  mutating func setRate(_ rate: Float) {
    self.rate = Double(rate)
  }

  @_noLocks
  mutating func restart() {
    frames = 0
    rate = 1
  }

  @_noLocks
  mutating func advance(_ outputFrames: Int) {
    frames += Double(outputFrames) * framesPerOutputFrame * rate
  }

  /// Output frames between the one that is `outputFrames` away and a time on this clock, to the nearest
  /// frame; 0 when that has passed.
  @_noLocks
  func outputFrames(until frame: Double, after outputFrames: Int) -> Int {
    let step = framesPerOutputFrame * rate
    guard step > 0 else { return 0 }
    let wait = (frame - frames) / step - Double(outputFrames) + 0.5
    // Also false for what is no number.
    guard wait >= 1 else { return 0 }
    return wait < 1e9 ? Int(wait) : 1_000_000_000
  }
}
