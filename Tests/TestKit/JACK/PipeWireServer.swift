// SPDX-License-Identifier: MIT

import Glibc

/// A real PipeWire daemon with a sink without a device, for tests: in folders of its own, without a session manager and
/// without a session bus. JACK clients use PipeWire's libjack instead of JACK's, as with `pw-jack`.
public final class PipeWireServer: JACKTools, Sendable {
  /// The settings with which a daemon is started.
  public struct Options: Sendable {
    /// Frames per second. It can be changed to 44100 and 48000 with ``set(_:_:)``.
    public var sampleRate = 48000
    /// Frames in a cycle.
    public var quantum = 1024

    /// 48 kHz, 1024 frames.
    public init() {}

    /// These values.
    public init(sampleRate: Int, quantum: Int) {
      (self.sampleRate, self.quantum) = (sampleRate, quantum)
    }
  }

  /// The sink's name in the JACK graph.
  public static let sink = "Test sink"
  /// The sink's monitor ports, which carry its input, in the order of its channels.
  public static let monitors = ["\(sink):monitor_FL", "\(sink):monitor_FR"]
  /// The sink's inputs, in the order of its channels.
  public static let playback = ["\(sink):playback_FL", "\(sink):playback_FR"]

  private let folder: TemporaryDirectory
  private let process: Locked<Subprocess?>

  private init(folder: TemporaryDirectory) {
    self.folder = folder
    process = Locked(nil)
  }

  /// Starts a daemon, runs the test with it and ends it.
  public static func with<Result>(
    _ options: Options = Options(), _ body: (PipeWireServer) throws -> Result
  ) throws -> Result {
    let server = PipeWireServer(folder: TemporaryDirectory())
    try server.start(options)
    defer { server.kill() }
    return try body(server)
  }

  /// Starts the daemon, and waits until the sink's ports exist. Can be called again after an end, and then uses the
  /// same socket.
  public func start(_ options: Options = Options()) throws {
    for name in ["pipewire", "pipewire/pipewire.conf.d"] {
      unsafe mkdir(folder.file(name), 0o700)
    }
    try folder.write(Self.configuration(options), "pipewire/pipewire.conf.d/test.conf")
    let daemon = Subprocess(["pipewire"], environment: toolEnvironment)
    process.withLock { $0 = daemon }
    let isReady = eventually {
      daemon.pid == nil
        || (try? ports().filter { $0.name.hasPrefix(Self.sink) }.count) == 4
    }
    guard isReady, daemon.pid != nil else {
      kill()
      throw JACKServer.Failure(description: "pipewire did not start: \(daemon.errors)")
    }
  }

  /// The environment in which a client finds the daemon, and PipeWire's libjack instead of JACK's.
  public var toolEnvironment: [String: String] {
    [
      "XDG_RUNTIME_DIR": folder.path, "XDG_CONFIG_HOME": folder.path,
      "PIPEWIRE_RUNTIME_DIR": folder.path, "PIPEWIRE_REMOTE": "pipewire-0",
      "LD_LIBRARY_PATH": Self.libraryPath, "DBUS_SESSION_BUS_ADDRESS": "disabled:",
      "JACK_NO_START_SERVER": "1",
    ]
  }

  /// Sets one of the daemon's settings, such as `clock.force-quantum`; 0 releases it again.
  public func set(_ setting: String, _ value: Int) throws {
    _ = try run(["pw-metadata", "-n", "settings", "0", setting, "\(value)"])
  }

  /// Kills the daemon, so that it cannot notify its clients.
  public func kill() {
    end(by: SIGKILL)
  }

  /// Ends the daemon with SIGTERM, and waits.
  public func end() {
    end(by: SIGTERM)
  }

  /// Stops the daemon with SIGSTOP.
  public func freeze() {
    process.withLock { $0?.signalGroup(SIGSTOP) }
  }

  /// Continues the daemon.
  public func thaw() {
    process.withLock { $0?.signalGroup(SIGCONT) }
  }

  private func end(by signal: Int32) {
    process.withLock { process in
      guard let daemon = process.take() else { return }
      daemon.signalGroup(signal)
      if daemon.wait(seconds: 5) == nil {
        daemon.signalGroup(SIGKILL)
        daemon.wait(seconds: 5)
      }
    }
  }

  /// The folders in which `pw-jack` makes its programs look for libjack.
  private static let libraryPath =
    Subprocess.run(["pw-jack", "printenv", "LD_LIBRARY_PATH"])
    .output.split(separator: "\n").first.map { String($0) } ?? ""

  /// Returns the daemon's configuration. Without a session manager the sink must make its own ports, and the daemon
  /// must make the metadata in which libjack keeps its properties. A virtual machine has cycles of 1024 frames or more
  /// unless the configuration permits shorter ones.
  private static func configuration(_ options: Options) -> String {
    """
    context.properties = {
      default.clock.rate = \(options.sampleRate)
      default.clock.allowed-rates = [ 44100 48000 ]
      default.clock.quantum = \(options.quantum)
      default.clock.min-quantum = 32
      default.clock.max-quantum = 8192
      vm.overrides = { default.clock.min-quantum = 32 }
    }
    context.objects = [
      { factory = adapter
        args = {
          factory.name = support.null-audio-sink
          node.name = "test-sink"
          node.description = "\(sink)"
          media.class = "Audio/Sink"
          audio.position = "FL,FR"
          monitor.passthrough = true
          adapter.auto-port-config = { mode = dsp monitor = true position = preserve }
        }
      }
      { factory = metadata args = { metadata.name = default } }
    ]

    """
  }
}
