// SPDX-License-Identifier: MIT

/// Decides for each cycle what a source does that follows a transport: a value, without the sound.
///
/// It knows which frame of the transport's time line the next frame of sound belongs to, its place, and
/// compares that with where the transport is. Frames are of the output's rate.
///
/// Real-time: every call is wait-free, render thread only.
struct TransportFollower {
  enum State {
    /// Nothing was fed yet, or what was fed was dropped for something whose place comes with it.
    case awaitsSound
    /// The place is not known, and has to be asked for.
    case lost
    /// Another place was asked for and is not there yet.
    case asking
    /// The place is known.
    case placed
    /// There is no sound from the frame on that was asked for.
    case silent
  }

  /// What to do in a cycle.
  struct Step: Equatable {
    /// Frames of silence before sound.
    var lead = 0
    /// Frames of sound to be dropped first, because their time has passed.
    var skip = 0
    /// Whether sound is due in this cycle.
    var plays = false
    /// Whether another place is wanted: ``TransportFollower/askedFrame``.
    var asks = false

    @_noLocks
    init(lead: Int = 0, skip: Int = 0, plays: Bool = false, asks: Bool = false) {
      self.lead = lead
      self.skip = skip
      self.plays = plays
      self.asks = asks
    }
  }

  private(set) var state = State.awaitsSound
  /// The time line's frame of the next frame of sound; only while placed.
  private(set) var place: Int64 = 0
  /// What was asked for last.
  private(set) var askedFrame: Int64 = 0
  /// The number of that request, 0 before the first.
  private(set) var request: UInt32 = 0
  /// Where the transport was then.
  private var askingFrame: Int64 = 0
  private var lastFrame: Int64 = 0
  /// It was asked while the transport stood, so that this is late once that rolls.
  private var isAwaited = false

  @_noLocks
  init() {}

  var isAsking: Bool {
    @_noLocks get { if case .asking = state { true } else { false } }
  }

  var isSilent: Bool {
    @_noLocks get { if case .silent = state { true } else { false } }
  }

  /// Whether a place can be taken from what comes next in the ring.
  var takesPlace: Bool {
    @_noLocks get {
      switch state {
      case .awaitsSound, .silent: true
      case .lost, .asking, .placed: false
      }
    }
  }

  /// What was fed before is dropped; what comes has a place of its own.
  @_noLocks
  mutating func drop() {
    if !isSilent { state = .awaitsSound }
  }

  /// The place is not known any more.
  @_noLocks
  mutating func lose() {
    state = .lost
  }

  /// The next frame of sound belongs here.
  @_noLocks
  mutating func place(at frame: Int64) {
    place = frame
    state = .placed
  }

  /// So many frames of sound were taken.
  @_noLocks
  mutating func advance(by frames: Int) {
    place += Int64(frames)
  }

  /// The answer to a request, where it is the last one.
  @_noLocks
  mutating func takeSilence(for number: UInt32) {
    // What was fed may have been dropped between the request and its answer.
    let isOpen =
      switch state {
      case .asking, .awaitsSound: true
      case .lost, .placed, .silent: false
      }
    if number == request, number != 0, isOpen { state = .silent }
  }

  /// The answer to a request, where it is the last one: sound goes on from a frame, whatever it is.
  @_noLocks
  mutating func takeHere(for number: UInt32, at frame: Int64) {
    if number == request, isAsking { place(at: frame) }
  }

  /// The cycle's decision.
  ///
  /// - Parameters:
  ///   - transport: where the transport is in this cycle.
  ///   - frameCount: frames in the cycle.
  ///   - rate: frames in a second: what is late by no more is caught up by dropping sound.
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
      // What was asked for has come too late: it is looked for so far ahead as that took.
      let took = request != 0 && place == askedFrame && jump <= limit ? frame - askingFrame : 0
      return ask(for: frame + (took < 10 * limit ? took : 10 * limit), transport)
    }
    if late >= 0 { return Step(skip: Int(late), plays: true) }
    // What was looked for ahead is waited for, unless the transport has gone elsewhere.
    if jump < 0 || late < -10 * limit || place != askedFrame { return ask(for: frame, transport) }
    let early = -late
    return Step(lead: early < Int64(frameCount) ? Int(early) : frameCount, plays: true)
  }

  /// Whether the sound is there for a frame of the transport.
  @_noLocks
  func isReady(for frame: Int64) -> Bool {
    switch state {
    case .placed: place == frame
    case .silent: true
    case .awaitsSound, .lost, .asking: false
    }
  }

  /// Whether the transport has begun to roll without waiting for what it was asked to wait for. Once for
  /// each request.
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
