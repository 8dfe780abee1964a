// SPDX-License-Identifier: MIT

import Glibc
import JACKRemoteIO

/// A JACK server to measure on: a private one without a sound card, or a running one.
final class BenchServer {
  /// The server's name in libjack.
  let name: String
  private let process: ChildProcess?

  private static let attemptsBySocket = 200

  /// Uses a running server.
  init(running name: String) {
    self.name = name
    process = nil
  }

  /// Starts a server with the dummy driver, with real-time scheduling if permitted.
  ///
  /// - Throws: `BenchFailure` when it does not start within 5 s.
  init(sampleRate: Int, periodFrames: Int, isCancelled: () -> Bool) throws {
    name = "drawbar-bench-\(getpid())"
    let realtime = Self.isRealtimeAllowed ? ["-R", "-P", "70"] : ["-r"]
    process = try ChildProcess(
      "jackd",
      ["-n", name] + realtime
        + ["-p", "128", "-d", "dummy", "-r", "\(sampleRate)", "-p", "\(periodFrames)"])
    let socket = ServerSocket(of: name)
    let limit = ContinuousClock.now + .seconds(5)
    for attempt in 0... {
      if isCancelled() { throw BenchFailure.cancelled }
      guard process?.isRunning == true, ContinuousClock.now < limit else { break }
      // Polls the socket, not libjack, while the server starts. Later asks libjack, as the socket may be elsewhere.
      if socket.isListening || attempt >= Self.attemptsBySocket,
        try isAnswering(until: limit, isCancelled: isCancelled)
      {
        return
      }
      usleep(10_000)
    }
    throw BenchFailure(
      "no JACK server could be started (jackd -n \(name) -d dummy -p \(periodFrames)): install jackd2; end "
        + "other servers, of which a machine has eight at most; where a JACK program was killed, end all of "
        + "them and remove /dev/shm/jack_db-\(getuid())")
  }

  /// Returns true if the server calls a test client. The client is a child process that can be ended, because libjack
  /// waits forever if a killed program has left the metadata store locked.
  private func isAnswering(
    until limit: ContinuousClock.Instant, isCancelled: () -> Bool
  ) throws -> Bool {
    let probe = try ChildProcess(
      OwnProgram.path,
      ["bench", "client", "--server=\(name)", "--floor", "--seconds", "0", "--warm-up", "0"],
      isHeard: true)
    defer { probe.terminate(withinSeconds: 0) }
    do {
      return try probe.wait { isCancelled() || ContinuousClock.now > limit }.isWell
    } catch {
      guard ContinuousClock.now > limit else { throw error }
      return false
    }
  }

  private static var isRealtimeAllowed: Bool {
    var parameters = sched_param(sched_priority: 70)
    var previous = sched_param()
    let policy = sched_getscheduler(0)
    guard policy >= 0, unsafe sched_getparam(0, &previous) == 0,
      unsafe sched_setscheduler(0, SCHED_FIFO, &parameters) == 0
    else { return false }
    unsafe sched_setscheduler(0, policy, &previous)
    return true
  }
}
