// SPDX-License-Identifier: MIT

/// Decides whether and when a lost connection is made again. A value without I/O that is told what
/// was lost.
struct Reconnection: Hashable {
  /// A connection's end before its time.
  struct Loss: Hashable {
    /// What happened.
    var reason: ByteSourceError.Reason
    /// A server has answered with the body once.
    var hasBegun: Bool
    /// There is no byte at which to go on: the sound is that of the moment.
    var isLive: Bool
    /// Bytes of the body that this connection has brought.
    var receivedBytes: UInt64
    /// The server's `Retry-After`, in nanoseconds.
    var retryAfterNanoseconds: UInt64?
    /// When it happened: the monotonic clock, in nanoseconds.
    var time: UInt64 = 0
  }

  /// What is to be done.
  enum Decision: Hashable {
    /// The loss is an error.
    case giveUp
    /// The connection is made again after a pause.
    case reconnect(afterNanoseconds: UInt64)
  }

  /// Attempts since a connection last brought something.
  private(set) var attempt = 0
  /// Attempts since a connection last brought a stretch worth having.
  private(set) var totalAttempts = 0
  /// Attempts at all.
  private(set) var madeAttempts = 0
  /// When the first loss of the row happened; nil while a connection brings something.
  private var lostSince: UInt64?

  /// Bytes that make a connection worth having: four seconds of sound at a common rate. A server that sends
  /// a little and hangs up, again and again, is not to be asked for ever.
  private static let worthwhileBytes: UInt64 = 64 * 1024

  /// Decides on a loss.
  mutating func decide(on loss: Loss, _ configuration: ByteSourceConfiguration) -> Decision {
    guard loss.hasBegun else { return decideOnFirstAnswer(loss, configuration) }
    if loss.receivedBytes >= (loss.isLive ? Self.worthwhileBytes : 1) { forgetLoss() }
    if loss.receivedBytes >= Self.worthwhileBytes { totalAttempts = 0 }
    let since = lostSince ?? loss.time
    lostSince = since
    // A reader that was away, as one that is paused, has not used the time: hence the attempts.
    let isPatient =
      attempt < configuration.leastReconnectionAttempts
      || loss.time - since < configuration.leastReconnectionNanoseconds
    guard mayPass(loss.reason, isLive: loss.isLive), isPatient,
      totalAttempts < configuration.totalReconnectionLimit
    else { return .giveUp }
    let backOff = Self.pause(beforeAttempt: attempt, configuration)
    let asked = min(loss.retryAfterNanoseconds ?? 0, configuration.maximumRetryAfterNanoseconds)
    attempt += 1
    totalAttempts += 1
    madeAttempts += 1
    return .reconnect(afterNanoseconds: max(backOff, asked))
  }

  /// The reader has gone elsewhere of its own will.
  mutating func forgetLoss() {
    attempt = 0
    lostSince = nil
  }

  /// Someone waits for the first answer and should hear soon what is wrong with it. Only a server that
  /// says that it will be ready in a moment is asked once more.
  private mutating func decideOnFirstAnswer(
    _ loss: Loss, _ configuration: ByteSourceConfiguration
  ) -> Decision {
    guard loss.reason == .status(503), let pause = loss.retryAfterNanoseconds,
      pause <= configuration.firstRetryAfterLimitNanoseconds, totalAttempts == 0,
      configuration.reconnects, configuration.totalReconnectionLimit > 0
    else { return .giveUp }
    attempt = 1
    totalAttempts = 1
    madeAttempts += 1
    return .reconnect(afterNanoseconds: pause)
  }

  private static func pause(
    beforeAttempt attempt: Int, _ configuration: ByteSourceConfiguration
  ) -> UInt64 {
    guard attempt > 0 else { return 0 }
    let longest = configuration.maximumReconnectionDelayNanoseconds
    // More than 62 doublings of anything are longer than any limit.
    let (pause, overflow) = configuration.reconnectionDelayNanoseconds
      .multipliedReportingOverflow(by: 1 << UInt64(min(attempt - 1, 62)))
    return overflow ? longest : min(pause, longest)
  }

  /// Whether what happened may be over when it is tried again.
  private func mayPass(_ reason: ByteSourceError.Reason, isLive: Bool) -> Bool {
    switch reason {
    case .interrupted, .timedOut, .connectionRefused, .unreachable, .unknownHost, .badResponse,
      .insecureConnection, .transfer:
      true
    case .status(let status):
      switch status {
      case 408, 425, 429, 500...: true
      // A station's address has nothing behind it while its source is away.
      case 404: isLive
      default: false
      }
    // So it is while its server or a proxy on the way sends something else in its place.
    case .empty, .noSound: isLive
    default:
      false
    }
  }
}
