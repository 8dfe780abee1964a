// SPDX-License-Identifier: MIT

/// The decisions of a source that follows a transport, one for each cycle: a value, without the sound.
///
/// It knows the position of the next frame of sound on the transport's time line, and compares it with the transport's
/// own position. Frames are counted at the output's rate.
///
/// Real-time: every call is wait-free, render thread only.
struct TransportFollower {
  enum State {
    /// No sound was fed yet, or the old sound was dropped for new sound that brings its position.
    case awaitsSound
    /// The position is not known, and has to be requested.
    case lost
    /// Another position was requested and has not been reached yet.
    case asking
    /// The position is known.
    case placed
    /// There is no sound from the requested frame on.
    case silent
  }

  /// The decision for a cycle.
  struct Step: Equatable {
    /// Frames of silence before sound.
    var startOffset = 0
    /// Frames of sound to drop first, because their time has passed.
    var skip = 0
    /// Whether sound is due in this cycle.
    var plays = false
    /// Whether another position is requested: ``TransportFollower/askedFrame``.
    var asks = false

    @_noLocks
    init(startOffset: Int = 0, skip: Int = 0, plays: Bool = false, asks: Bool = false) {
      self.startOffset = startOffset
      self.skip = skip
      self.plays = plays
      self.asks = asks
    }
  }

  private(set) var state = State.awaitsSound
  /// The time line's frame of the next frame of sound; only valid while placed.
  private(set) var place: Int64 = 0
  /// The frame of the last request.
  private(set) var askedFrame: Int64 = 0
  /// The number of the last request, 0 before the first.
  private(set) var request: UInt32 = 0
  /// The transport's frame at that request.
  private var askingFrame: Int64 = 0
  private var lastFrame: Int64 = 0
  /// Whether the request was made while the transport was stopped, so that the sound is late once it rolls.
  private var isAwaited = false

  @_noLocks
  init() {}

  var isAsking: Bool {
    @_noLocks get { if case .asking = state { true } else { false } }
  }

  var isSilent: Bool {
    @_noLocks get { if case .silent = state { true } else { false } }
  }

  /// Whether a position can be taken from the next stream in the ring.
  var takesPlace: Bool {
    @_noLocks get {
      switch state {
      case .awaitsSound, .silent: true
      case .lost, .asking, .placed: false
      }
    }
  }

  /// Drops the old sound; the new sound brings its position.
  @_noLocks
  mutating func drop() {
    if !isSilent { state = .awaitsSound }
  }

  /// Marks the position as unknown.
  @_noLocks
  mutating func lose() {
    state = .lost
  }

  /// Sets the position of the next frame of sound.
  @_noLocks
  mutating func place(at frame: Int64) {
    place = frame
    state = .placed
  }

  /// Advances by frames of sound that were taken.
  @_noLocks
  mutating func advance(by frames: Int) {
    place += Int64(frames)
  }

  /// Takes the answer "no sound" to a request, if that is the last one.
  @_noLocks
  mutating func takeSilence(for number: UInt32) {
    // The old sound may have been dropped between the request and its answer.
    let isOpen =
      switch state {
      case .asking, .awaitsSound: true
      case .lost, .placed, .silent: false
      }
    if number == request, number != 0, isOpen { state = .silent }
  }

  /// Takes the answer "here" to a request, if that is the last one: sound continues at a frame, whatever its position.
  @_noLocks
  mutating func takeHere(for number: UInt32, at frame: Int64) {
    if number == request, isAsking { place(at: frame) }
  }

  /// Returns the decision for a cycle.
  ///
  /// - Parameters:
  ///   - transport: the transport's position in this cycle.
  ///   - frameCount: frames in the cycle.
  ///   - rate: frames in a second. Sound that is at most a second late catches up by dropping frames.
  @_noLocks
  mutating func step(_ transport: RenderTransport, frameCount: Int, rate: Int) -> Step {
    let frame = transport.frame
    let jump = frame - lastFrame
    lastFrame = frame
    let limit = Int64(rate)
    let isElsewhere = transport.isRolling ? jump < 0 || jump > limit : frame != askedFrame
    switch state {
    case .awaitsSound: return Step()
    case .lost: return ask(for: frame, transport)
    case .asking, .silent: return isElsewhere ? ask(for: frame, transport) : Step()
    case .placed: break
    }
    let late = frame - place
    if !transport.isRolling { return late == 0 ? Step() : ask(for: frame, transport) }
    if late > limit {
      // The requested sound has come too late: the next request is ahead by the time that this one took.
      let took = request != 0 && place == askedFrame && jump <= limit ? frame - askingFrame : 0
      return ask(for: frame + (took < 10 * limit ? took : 10 * limit), transport)
    }
    if late >= 0 { return Step(skip: Int(late), plays: true) }
    // Sound that was requested ahead waits for the transport, unless that has jumped.
    if jump < 0 || late < -10 * limit || place != askedFrame { return ask(for: frame, transport) }
    let early = -late
    return Step(startOffset: early < Int64(frameCount) ? Int(early) : frameCount, plays: true)
  }

  /// Returns whether the sound for a frame of the transport is ready.
  @_noLocks
  func isReady(for frame: Int64) -> Bool {
    switch state {
    case .placed: place == frame
    case .silent: true
    case .awaitsSound, .lost, .asking: false
    }
  }

  /// Returns whether the transport has begun to roll before the requested sound was ready. True once for each request.
  @_noLocks
  mutating func takeLateness(_ transport: RenderTransport) -> Bool {
    guard isAwaited, transport.isRolling else { return false }
    isAwaited = false
    return isAsking
  }

  @_noLocks
  private mutating func ask(for frame: Int64, _ transport: RenderTransport) -> Step {
    state = .asking
    askingFrame = transport.frame
    request &+= 1
    if request == 0 { request = 1 }
    askedFrame = frame < Int64(UInt32.max) ? frame : Int64(UInt32.max)
    isAwaited = !transport.isRolling
    return Step(asks: true)
  }
}
