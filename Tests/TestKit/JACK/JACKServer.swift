// SPDX-License-Identifier: MIT

public import Glibc

/// A real `jackd` with the dummy driver, for tests. The driver plays no sound; all else is as usual.
///
/// A machine has room for eight servers, and a killed server keeps its entry until a server of the same name ends
/// properly. So a test process uses one name, and ``stop()`` repairs a kill.
public final class JACKServer: Sendable {
  /// The settings with which a server is started.
  public struct Options: Sendable {
    /// Frames per second.
    public var sampleRate = 48000
    /// Frames in a cycle.
    public var period = 256
    /// Whether its threads request real-time scheduling; without the permission they run without it.
    public var isRealtime = true
    /// Playback ports of the client `system`.
    public var playbackPorts = 2
    /// Whether the client `system` has a monitor port for each playback port, which outputs that port's input.
    public var hasMonitors = false
    /// More arguments before the driver's.
    public var arguments: [String] = []

    /// 48 kHz, 256 frames, real-time, two playback ports.
    public init() {}

    /// Options of a server that waits for its clients, so that a busy machine lengthens its cycles and misses none. The
    /// timeout is a quarter of a second: without `-t` it would be two periods, contrary to jackd's manual, and with
    /// half a second its clients would assume that it has stalled.
    public static func waiting(sampleRate: Int = 48000, period: Int = 256) -> Self {
      var options = Self()
      (options.sampleRate, options.period) = (sampleRate, period)
      options.arguments = ["-S", "-t", "250"]
      return options
    }
  }

  /// A failed step, in the server's own words.
  public struct Failure: Error, CustomStringConvertible {
    /// The reason.
    public var description: String
  }

  /// The name of this test process's server.
  public static let name = "drawbar-test-\(getpid())"

  private let process: Subprocess

  private init(process: Subprocess) {
    self.process = process
  }

  /// Starts the server and waits until it accepts clients.
  public static func start(_ options: Options = Options()) throws -> JACKServer {
    var arguments = ["jackd", "-n", name, "-p", "128"]
    arguments += options.isRealtime ? ["-R", "-P", "70"] : ["-r"]
    arguments += options.arguments
    arguments += ["-d", "dummy", "-r", "\(options.sampleRate)", "-p", "\(options.period)"]
    arguments += ["-C", "2", "-P", "\(options.playbackPorts)"]
    if options.hasMonitors { arguments.append("-m") }
    let server = JACKServer(process: Subprocess(arguments))
    let isReady = eventually {
      server.process.pid == nil || isListening
    }
    if !isReady || server.process.pid == nil {
      server.end()
      throw Failure(
        description: "jackd did not start: \(server.process.output) \(server.process.errors)")
    }
    return server
  }

  /// Locked by ``with(_:_:)``, because tests of several suites run at once and share one name.
  private static let turn = Locked(())

  /// Starts a server, runs the test with it and stops it, also if the test has killed it. Waits while another test uses
  /// the server.
  public static func with<Result>(
    _ options: Options = Options(), _ body: (JACKServer) throws -> Result
  ) throws -> Result {
    try turn.withLock { _ in
      let server = try start(options)
      defer { server.stop() }
      return try body(server)
    }
  }

  /// The process's number; nil once it has ended.
  public var pid: pid_t? { process.pid }

  /// The server's output so far.
  public var log: String { process.output + process.errors }

  /// Whether jackd has timed out waiting for a client. With `-S`, this happens in rare cases while a client is opened
  /// or closed. jackd then stalls for ten times its `-t` and may drop clients.
  public var hasStalled: Bool { log.contains("SuspendRefNum error") }

  /// Ends the server as a user would. If a signal ended it (a client's end can cause SIGPIPE), another server of its
  /// name is started and ended to clean up.
  public func stop() {
    end()
    guard case .signal = process.wait(seconds: 0) else { return }
    if let next = try? Self.start() { next.end() }
    removeLeftovers()
  }

  /// Whether the server has exited with status 0, so that it has cleaned up.
  public var hasEndedProperly: Bool { process.wait(seconds: 0) == .status(0) }

  /// Kills the server, so that it can neither notify its clients nor clean up.
  public func kill() {
    process.signalGroup(SIGKILL)
    process.wait(seconds: 5)
    // The socket remains; the next start must not mistake it for its own.
    unsafe unlink(Self.socketPath)
  }

  /// Ends the server with SIGTERM, and waits.
  public func end() {
    process.signalGroup(SIGCONT)
    process.signalGroup(SIGTERM)
    if process.wait(seconds: 5) == nil {
      process.signalGroup(SIGKILL)
      process.wait(seconds: 5)
      unsafe unlink(Self.socketPath)
      Self.removeMetadataStore()
    }
  }

  /// Stops the server with SIGSTOP. When this returns, all of its threads are stopped.
  public func freeze() {
    process.signalGroup(SIGSTOP)
    // The signal takes effect once one of its threads runs, on a busy machine after some milliseconds.
    guard let pid else { return }
    _ = eventually(seconds: 1) { ProcessResources.isStopped(pid) }
  }

  /// Continues the server.
  public func thaw() {
    process.signalGroup(SIGCONT)
  }

  /// Removes the semaphores that the killed server made for its clients.
  private func removeLeftovers() {
    guard let folder = unsafe opendir("/dev/shm") else { return }
    defer { unsafe closedir(folder) }
    while let name = unsafe nextName(in: folder) {
      if name.hasPrefix("jack"), name.contains(Self.name + "_") {
        unsafe unlink("/dev/shm/" + name)
      }
    }
  }

  /// Whether a server accepts connections: its socket exists a moment earlier (proc_net(5), the flag is the kernel's
  /// `__SO_ACCEPTCON`).
  private static var isListening: Bool {
    String(decoding: contents(ofFile: "/proc/net/unix"), as: UTF8.self)
      .split(separator: "\n").contains { line in
        let fields = line.split(separator: " ")
        return fields.count == 8 && fields[3] == "00010000" && fields[7] == socketPath
      }
  }

  private static var socketPath: String { "/dev/shm/jack_\(name)_\(getuid())_0" }
}
