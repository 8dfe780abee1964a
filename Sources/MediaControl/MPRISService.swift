// SPDX-License-Identifier: MIT

public import Glibc

#if DRAWBAR_SDBUS
  internal import CSDBus

  /// A player on the session bus: the object `/org/mpris/MediaPlayer2` of MPRIS 2.2, which media keys,
  /// desktops and programs like `playerctl` look for. The counterpart of Core Audio's now-playing centre
  /// and remote command centre.
  ///
  /// It has no thread: its owner waits for ``pollRequest`` among whatever else it waits for, gives it the
  /// player's state, and takes commands, at least some times a second. Nothing in it blocks: neither a bus
  /// that does not answer nor one that is gone. All from one thread, which is not the render thread.
  @safe
  public final class MPRISService {
    private let player: MediaPlayerIdentity
    let sdbus: drawbar_sdbus
    private var bus: OpaquePointer?
    private var tables: [InterfaceTable] = []
    private var state: NowPlaying
    /// What the bus has been told.
    private var announced: NowPlaying
    private var watch = PositionWatch()
    /// Asked for by the message that was taken last.
    private var command: RemoteCommand?

    /// Whether this build can do it at all.
    public static var isBuiltIn: Bool { true }

    /// Puts a player on the bus, as `org.mpris.MediaPlayer2.NAME.instancePID`. What comes of it is seen
    /// later: it waits for nothing.
    ///
    /// - Parameters:
    ///   - player: what does not change.
    ///   - state: what the first client sees.
    ///   - address: the bus, as ``SessionBus/address`` gives it.
    /// - Returns: nil where the address leads to no bus, or libsystemd is not installed.
    public init?(_ player: MediaPlayerIdentity, state: NowPlaying, address: String) {
      guard let sdbus = unsafe SDBusLibrary.functions else { return nil }
      unsafe self.sdbus = unsafe sdbus
      self.player = player
      self.state = state
      announced = state
      guard unsafe sdbus.sd_bus_new(&bus) >= 0, let bus = unsafe bus else { return nil }
      tables = unsafe [Self.rootTable(player, sdbus), Self.playerTable(sdbus)]
      let name = "\(MPRISName.root).\(player.busName).instance\(getpid())"
      // The bus lets in its user alone, and asking it for each caller's rights would have to wait for the
      // answer. Nothing here takes file descriptors, so nobody can fill the table with theirs.
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

    /// What to wait for with poll(2); nil when the bus is gone.
    public var pollRequest: pollfd? {
      guard let bus = unsafe bus else { return nil }
      let (descriptor, events) = unsafe (sdbus.sd_bus_get_fd(bus), sdbus.sd_bus_get_events(bus))
      guard descriptor >= 0, events >= 0 else { return nil }
      return pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
    }

    /// Takes in what the player does now. What has changed is told at once, unless the bus has not taken
    /// what it was told before: then the last of several changes is told when it has.
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

    /// Answers what has come over the bus, up to the next command, or a good deal of it. Give the state anew
    /// after each command, and then ask again: what is asked next may be about it.
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

  // What the tables' functions do: all in ``nextCommand()``.
  extension MPRISService {
    /// Takes a request in; the answer, or what stands in its way, is the caller's to send.
    func take(_ request: RemoteRequest) throws(RequestRefusal) {
      command = try request.command(in: state, for: player)
    }

    /// A property's value now.
    func value(ofProperty name: String) -> BusValue? {
      RootProperty(rawValue: name)?.value(of: player)
        ?? PlayerProperty(rawValue: name)?.value(in: state)
    }
  }
#else
  /// A player on the session bus. This build has no library for that, so there never is one.
  public final class MPRISService {
    /// Whether this build can do it at all.
    public static var isBuiltIn: Bool { false }

    /// Nil.
    public init?(_ player: MediaPlayerIdentity, state: NowPlaying, address: String) { return nil }

    /// Nothing to wait for.
    public var pollRequest: pollfd? { nil }

    /// Tells nobody.
    public func update(_ state: NowPlaying) {}

    /// There is none.
    public func nextCommand() -> RemoteCommand? { nil }
  }
#endif
