// SPDX-License-Identifier: MIT

/// Decides whether and when a lost connection is made again. A value without I/O, to which each loss is passed.
struct Reconnection: Hashable {
  /// A connection's end before its time.
  struct Loss: Hashable {
    /// The failure.
    var reason: ByteSourceError.Reason
    /// Whether a server has answered with the body once.
    var hasBegun: Bool
    /// Whether the sound is live, so that there is no byte at which to go on.
    var isLive: Bool
    /// Bytes of the body received over this connection.
    var receivedBytes: UInt64
    /// The server's `Retry-After`, in nanoseconds.
    var retryAfterNanoseconds: UInt64?
    /// The time of the loss: the monotonic clock, in nanoseconds.
    var time: UInt64 = 0
  }

  /// The reaction to a loss.
  enum Decision: Hashable {
    /// The loss is an error.
    case giveUp
    /// The connection is made again after a pause.
    case reconnect(afterNanoseconds: UInt64)
  }

  /// Attempts since a connection last brought a byte, or of live sound ``worthwhileBytes``.
  private(set) var attempt = 0
  /// Attempts since a connection last brought ``worthwhileBytes``.
  private(set) var totalAttempts = 0
  /// All attempts.
  private(set) var madeAttempts = 0
  /// The time of the first loss of the row that `attempt` counts; nil before it.
  private var lostSince: UInt64?

  /// Bytes that make a connection worthwhile: four seconds of sound at a common rate. A server that repeatedly
  /// sends a little and hangs up must not be asked for ever.
  private static let worthwhileBytes: UInt64 = 64 * 1024

  /// Decides on a loss.
  mutating func decide(on loss: Loss, _ configuration: ByteSourceConfiguration) -> Decision {
    guard loss.hasBegun else { return decideOnFirstAnswer(loss, configuration) }
    if loss.receivedBytes >= (loss.isLive ? Self.worthwhileBytes : 1) { forgetLoss() }
    if loss.receivedBytes >= Self.worthwhileBytes { totalAttempts = 0 }
    let since = lostSince ?? loss.time
    lostSince = since
    // While the reader is away, as in a pause, time passes without attempts: hence their least number.
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

  /// Ends the row of attempts: bytes have come, or the reader has repositioned.
  mutating func forgetLoss() {
    attempt = 0
    lostSince = nil
  }

  /// Decides on a failure of the first answer. The user waits for it, so the failure is reported at once; only
  /// a server that announces that it will be ready in a moment is asked once more.
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
    // More than 62 doublings of anything exceed any limit.
    let (pause, overflow) = configuration.reconnectionDelayNanoseconds
      .multipliedReportingOverflow(by: 1 << UInt64(min(attempt - 1, 62)))
    return overflow ? longest : min(pause, longest)
  }

  /// Returns whether a failure may be over at the next attempt.
  private func mayPass(_ reason: ByteSourceError.Reason, isLive: Bool) -> Bool {
    switch reason {
    case .interrupted, .timedOut, .connectionRefused, .unreachable, .unknownHost, .badResponse,
      .insecureConnection, .transfer:
      true
    case .status(let status):
      switch status {
      case 408, 425, 429, 500...: true
      // A station's address does not exist while its source is away.
      case 404: isLive
      default: false
      }
    // Meanwhile its server or a proxy may also send something else instead.
    case .empty, .noSound: isLive
    default:
      false
    }
  }
}
