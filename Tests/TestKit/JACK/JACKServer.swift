// SPDX-License-Identifier: MIT

public import Glibc

/// A real `jackd` with the dummy driver, for tests. Nothing can be heard; all else is as it is.
///
/// A machine has room for eight servers, and one that is killed keeps its room until a server of the
/// same name ends properly: so there is one name for a test process, and ``stop()`` mends a kill.
public final class JACKServer: Sendable {
  /// How a server is started.
  public struct Options: Sendable {
    /// Frames per second.
    public var sampleRate = 48000
    /// Frames in a cycle.
    public var period = 256
    /// Whether its threads ask for real-time scheduling; without the right to it they run without.
    public var isRealtime = true
    /// Playback ports of the client `system`.
    public var playbackPorts = 2
    /// Whether the client `system` has a monitor port for each playback port, which puts out what that
    /// was given.
    public var hasMonitors = false
    /// More arguments before the driver's.
    public var arguments: [String] = []

    /// 48 kHz, 256 frames, real-time, two playback ports.
    public init() {}

    /// One that waits for its clients, so that a busy machine makes its cycles longer, and none is missed. It
    /// waits for a quarter of a second: without `-t` it would be two periods, whatever its manual says, and with
    /// half a second its clients would take it for stalled.
    public static func waiting(sampleRate: Int = 48000, period: Int = 256) -> Self {
      var options = Self()
      (options.sampleRate, options.period) = (sampleRate, period)
      options.arguments = ["-S", "-t", "250"]
      return options
    }
  }

  /// What could not be done, with the server's own words.
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

  /// Starts the server and waits until it takes clients.
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

  /// Held by ``with(_:_:)``, because tests of several suites run at once and there is one name.
  private static let turn = Locked(())

  /// Starts a server, runs the test with it and stops it, also when the test has killed it. Waits
  /// while another test has the server.
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

  /// What it has written so far.
  public var log: String { process.output + process.errors }

  /// Whether jackd has timed out waiting for a client. With `-S`, this happens in rare cases while a client is opened
  /// or closed. jackd then stalls for ten times its `-t` and may drop clients.
  public var hasStalled: Bool { log.contains("SuspendRefNum error") }

  /// Ends it as a user would. When a signal ended it (a client's end can make it SIGPIPE), one of its
  /// name is started and ended for it.
  public func stop() {
    end()
    guard case .signal = process.wait(seconds: 0) else { return }
    if let next = try? Self.start() { next.end() }
    removeLeftovers()
  }

  /// Whether it has ended by itself, and had the time to clean up.
  public var hasEndedProperly: Bool { process.wait(seconds: 0) == .status(0) }

  /// Kills it: it has no time to tell its clients or to clean up.
  public func kill() {
    process.signalGroup(SIGKILL)
    process.wait(seconds: 5)
    // Its socket stays; the next start must not take it for its own.
    unsafe unlink(Self.socketPath)
  }

  /// Asks it to end, and waits.
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

  /// Holds it where it is, with SIGSTOP. When this returns, all of its threads stand still.
  public func freeze() {
    process.signalGroup(SIGSTOP)
    // The signal takes until one of its threads runs, on a busy machine some milliseconds.
    guard let pid else { return }
    _ = eventually(seconds: 1) { ProcessResources.isStopped(pid) }
  }

  /// Lets it go on.
  public func thaw() {
    process.signalGroup(SIGCONT)
  }

  /// Removes the semaphores that the killed server had for its clients.
  private func removeLeftovers() {
    guard let folder = unsafe opendir("/dev/shm") else { return }
    defer { unsafe closedir(folder) }
    while let name = unsafe nextName(in: folder) {
      if name.hasPrefix("jack"), name.contains(Self.name + "_") {
        unsafe unlink("/dev/shm/" + name)
      }
    }
  }

  /// Whether a server takes connections: its socket is there a moment before it does (proc_net(5), the
  /// flag is the kernel's `__SO_ACCEPTCON`).
  private static var isListening: Bool {
    String(decoding: contents(ofFile: "/proc/net/unix"), as: UTF8.self)
      .split(separator: "\n").contains { line in
        let fields = line.split(separator: " ")
        return fields.count == 8 && fields[3] == "00010000" && fields[7] == socketPath
      }
  }

  private static var socketPath: String { "/dev/shm/jack_\(name)_\(getuid())_0" }
}
