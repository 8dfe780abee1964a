// SPDX-License-Identifier: MIT

public import Glibc

#if DRAWBAR_SDBUS
  internal import CSDBus

  /// A player on the session bus: the object `/org/mpris/MediaPlayer2` of MPRIS 2.2, which media keys,
  /// desktops and programs like `playerctl` look for. The counterpart of Core Audio's now-playing centre
  /// and remote command centre.
  ///
  /// It has no thread: its owner polls ``pollRequest`` along with its other descriptors, passes in the player's state,
  /// and takes commands, at least a few times a second. Nothing in it blocks, not even on a bus that does not answer or
  /// is gone. One thread at a time, never the render thread.
  @safe
  public final class MPRISService {
    private let player: MediaPlayerIdentity
    let sdbus: drawbar_sdbus
    private var bus: OpaquePointer?
    private var tables: [InterfaceTable] = []
    private var state: NowPlaying
    /// The state that was last announced on the bus.
    private var announced: NowPlaying
    private var watch = PositionWatch()
    /// The command of the last message taken.
    private var command: RemoteCommand?

    /// Whether this build includes MPRIS.
    public static var isBuiltIn: Bool { true }

    /// Puts a player on the bus, as `org.mpris.MediaPlayer2.NAME.instancePID`. Does not wait; the bus answers later.
    ///
    /// - Parameters:
    ///   - player: the player's constant properties.
    ///   - state: the state that the first client sees.
    ///   - address: the bus's address, from ``SessionBus/address``.
    /// - Returns: nil if the address leads to no bus, or libsystemd is not installed.
    public init?(_ player: MediaPlayerIdentity, state: NowPlaying, address: String) {
      guard let sdbus = unsafe SDBusLibrary.functions else { return nil }
      unsafe self.sdbus = unsafe sdbus
      self.player = player
      self.state = state
      announced = state
      guard unsafe sdbus.sd_bus_new(&bus) >= 0, let bus = unsafe bus else { return nil }
      tables = unsafe [Self.rootTable(player, sdbus), Self.playerTable(sdbus)]
      let name = "\(MPRISName.root).\(player.busName).instance\(getpid())"
      // The bus admits only its user, and a query of each caller's rights would wait for the answer. Without file
      // descriptors in messages, no caller can fill the descriptor table.
      guard unsafe sdbus.sd_bus_set_address(bus, address) >= 0,
        unsafe sdbus.sd_bus_set_bus_client(bus, 1) >= 0,
        unsafe sdbus.sd_bus_set_trusted(bus, 1) >= 0,
        unsafe sdbus.sd_bus_negotiate_fds(bus, 0) >= 0,
        tables.allSatisfy({ unsafe add($0, to: bus) }), unsafe sdbus.sd_bus_start(bus) >= 0,
        unsafe sdbus.sd_bus_request_name_async(bus, nil, name, 0, nil, nil) >= 0
      else {
        close()
        return nil
      }
    }

    deinit { close() }

    private func add(_ table: InterfaceTable, to bus: OpaquePointer) -> Bool {
      unsafe sdbus.sd_bus_add_object_vtable(
        bus, nil, MPRISName.path, table.name, table.entries,
        Unmanaged.passUnretained(self).toOpaque()) >= 0
    }

    /// The descriptor to wait for with poll(2); nil once the bus is gone.
    public var pollRequest: pollfd? {
      guard let bus = unsafe bus else { return nil }
      let (descriptor, events) = unsafe (sdbus.sd_bus_get_fd(bus), sdbus.sd_bus_get_events(bus))
      guard descriptor >= 0, events >= 0 else { return nil }
      return pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
    }

    /// Updates the player's state and announces changes at once. While the bus has not taken earlier messages, changes
    /// wait for a later call, which announces the latest state.
    public func update(_ state: NowPlaying) {
      self.state = state
      var waiting: UInt64 = 0
      guard let bus = unsafe bus, unsafe sdbus.sd_bus_get_n_queued_write(bus, &waiting) >= 0,
        waiting == 0
      else { return }
      let changes = PlayerProperty.changes(from: announced, to: state)
      if !changes.isEmpty { unsafe tellOfChanges(changes.map(\.rawValue), on: bus) }
      announced = state
      if watch.hasJumped(to: state, now: Self.monotonicNanoseconds) { unsafe tellOfJump(on: bus) }
    }

    /// Processes up to 64 steps of the bus, until one has a command, and returns that command. After each command, call
    /// ``update(_:)`` and then this again: the next message may depend on the new state.
    public func nextCommand() -> RemoteCommand? {
      for _ in 0..<64 {
        guard let bus = unsafe bus else { break }
        let result = unsafe sdbus.sd_bus_process(bus, nil)
        if result < 0 { close() }
        if command != nil || result == 0 { break }
      }
      defer { command = nil }
      return command
    }

    private func close() {
      if let bus = unsafe bus { _ = unsafe sdbus.sd_bus_close_unref(bus) }
      unsafe bus = nil
    }

    private func tellOfChanges(_ names: [String], on bus: OpaquePointer) {
      var list = unsafe names.map { unsafe strdup($0) } + [nil]
      defer { unsafe list.forEach { unsafe free($0) } }
      _ = unsafe sdbus.sd_bus_emit_properties_changed_strv(
        bus, MPRISName.path, MPRISName.player, &list)
    }

    private func tellOfJump(on bus: OpaquePointer) {
      var signal: OpaquePointer?
      guard
        unsafe sdbus.sd_bus_message_new_signal(
          bus, &signal, MPRISName.path, MPRISName.player, "Seeked")
          >= 0, let signal = unsafe signal
      else { return }
      defer { _ = unsafe sdbus.sd_bus_message_unref(signal) }
      let message = unsafe BusMessage(signal, sdbus)
      guard message.append(PlayerProperty.position.value(in: state)) >= 0 else { return }
      _ = unsafe sdbus.sd_bus_send(bus, signal, nil)
    }

    private static var monotonicNanoseconds: UInt64 {
      var time = timespec()
      unsafe clock_gettime(CLOCK_MONOTONIC, &time)
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
  }

  // Called by the tables' functions, inside ``nextCommand()``.
  extension MPRISService {
    /// Takes a request; the caller sends the reply or the error.
    func take(_ request: RemoteRequest) throws(RequestRefusal) {
      command = try request.command(in: state, for: player)
    }

    /// Returns a property's present value.
    func value(ofProperty name: String) -> BusValue? {
      RootProperty(rawValue: name)?.value(of: player)
        ?? PlayerProperty(rawValue: name)?.value(in: state)
    }
  }
#else
  /// A player on the session bus. This build lacks libsystemd, so there never is one.
  public final class MPRISService {
    /// Whether this build includes MPRIS.
    public static var isBuiltIn: Bool { false }

    /// Returns nil.
    public init?(_ player: MediaPlayerIdentity, state: NowPlaying, address: String) { return nil }

    /// Nil: there is nothing to wait for.
    public var pollRequest: pollfd? { nil }

    /// Does nothing.
    public func update(_ state: NowPlaying) {}

    /// Returns nil.
    public func nextCommand() -> RemoteCommand? { nil }
  }
#endif
