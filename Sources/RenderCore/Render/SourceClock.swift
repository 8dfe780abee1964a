// SPDX-License-Identifier: MIT

/// A source's clock: the elapsed frames at its own rate since it was last started, including silence during an
/// underrun. It stops while the source is held or paused.
///
/// Real-time: every call is wait-free, render thread only.
struct SourceClock {
  private(set) var frames = 0.0
  /// The clock's speed; other than 1 for stretched sound.
  private var rate = 1.0
  /// Frames of the source for one of the output, at a rate of 1; 0 for a source without a clock.
  private var framesPerOutputFrame = 0.0
  /// The rates from which `framesPerOutputFrame` was computed.
  private var hertz = 0.0
  private var outputRate = 0

  @_noLocks
  init() {}

  /// - Parameter hertz: the source's frames per second, 0 for none.
  @_noLocks
  mutating func setRates(hertz: Double, outputRate: Int) {
    // Called in every cycle, and rarely with a new value.
    if hertz == self.hertz, outputRate == self.outputRate { return }
    (self.hertz, self.outputRate) = (hertz, outputRate)
    framesPerOutputFrame = outputRate > 0 ? hertz / Double(outputRate) : 0
  }

  /// Returns whether the clock has this number of the source's frames per second.
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

  /// Returns the output frames from the one that is `outputFrames` away to a time on this clock, to the nearest frame;
  /// 0 if that time has passed.
  @_noLocks
  func outputFrames(until frame: Double, after outputFrames: Int) -> Int {
    let step = framesPerOutputFrame * rate
    guard step > 0 else { return 0 }
    let wait = (frame - frames) / step - Double(outputFrames) + 0.5
    // Also false for NaN.
    guard wait >= 1 else { return 0 }
    return wait < 1e9 ? Int(wait) : 1_000_000_000
  }
}
