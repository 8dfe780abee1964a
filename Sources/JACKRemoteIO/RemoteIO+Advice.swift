// SPDX-License-Identifier: MIT

internal import CJACK

extension RemoteIO {
  /// The remedy, in one line, if the process thread is not real-time, so that any other program can make it
  /// late. nil if it is real-time, and while that is unknown: before the first cycle, without a server, and
  /// while the server freewheels. Any thread.
  public var realtimeAdvice: String? {
    guard !isFreewheeling, let scheduling, !scheduling.isRealtime else { return nil }
    let isServerRealtime = live.withLock { client in client.map(\.isServerRealtime) }
    guard let isServerRealtime else { return nil }
    let name = "the JACK server '\(serverName)'"
    return isServerRealtime
      ? "\(name) asks for real-time scheduling and did not get it (\(scheduling.text)), so sound may break up: let "
        + "your user have it ('sudo usermod -aG audio $USER', and rtprio and memlock for that group in "
        + "/etc/security/limits.d), log in again and restart the server"
      : "\(name) does not run in real time (\(scheduling.text)), so sound may break up: restart it with 'jackd -R'"
  }

  /// Returns the note, in one line, that a freewheeling server calls and connects new clients when freewheeling
  /// ends.
  static func freewheelAdvice(server: String) -> String {
    "the JACK server '\(server)' is freewheeling, which is as fast as it can and not in real time: it calls and "
      + "connects new clients when that ends; 'jack_freewheel n' ends it"
  }
}

extension Client {
  /// Whether the server was started in real-time mode. Its clients' threads may still lack real-time
  /// scheduling.
  var isServerRealtime: Bool { unsafe jack_is_realtime(handle) != 0 }

  /// Whether the server freewheels, judged by its frame clock, which then runs faster than time. The server
  /// does not notify a client that opens meanwhile.
  var isServerFreewheeling: Bool {
    // PipeWire's clock begins with the client.
    if Self.mayLoseServerSilently { return false }
    let frames = unsafe Int64(Int32(bitPattern: jack_last_frame_time(handle) &- openedAt.frameTime))
    let microseconds = Int64(jack_get_time() &- openedAt.microseconds)
    let rate = unsafe Int64(jack_get_sample_rate(handle))
    let period = unsafe Int64(jack_get_buffer_size(handle))
    return frames > 2 * microseconds * rate / 1_000_000 + 4 * period
  }
}
