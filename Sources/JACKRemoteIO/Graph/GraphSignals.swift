// SPDX-License-Identifier: MIT

internal import CDescriptors
internal import CJACK
internal import Glibc
internal import RenderCore
internal import Synchronization

/// The flags that libjack's notifications leave for the reader of the graph. Notifications arrive on a libjack
/// thread that must not call the server, so they only report that something has changed.
final class GraphSignals: ServerUser {
  /// An eventfd(2) that is readable when something may have changed.
  let eventDescriptor: Int32
  /// The reason of the server's end; nil before it. Shared by libjack's thread and any other.
  private let end = POSIXMutex<String?>(nil)
  /// Records the thread that reported the server's end, and closes the client.
  let farewell = ServerFarewell()
  private let hasPropertyChange = Atomic<Bool>(true)
  private let cycles = CycleMark()

  init() throws(RemoteIOError) {
    eventDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard eventDescriptor >= 0 else { throw .outOfResources("file descriptors") }
  }

  deinit {
    Glibc.close(eventDescriptor)
  }

  var endReason: String? { end.withLock { $0 } }
  var isShutDown: Bool { endReason != nil }
  var cycleCount: UInt64 { 0 }

  func noteEnd(_ reason: String) {
    end.withLock { $0 = reason.isEmpty ? "no reason given" : reason }
    wake()
  }

  /// Treats a silent server as ended, where a server may end without notice. Any thread.
  func noteSilence() {
    guard !isShutDown, cycles.silenceNanoseconds > Client.longestSilenceNanoseconds else { return }
    noteEnd(Client.silenceReason)
  }

  func notePropertyChange() {
    hasPropertyChange.store(true, ordering: .releasing)
    wake()
  }

  /// Returns whether metadata have changed since the last call.
  func takePropertyChange() -> Bool {
    hasPropertyChange.exchange(false, ordering: .acquiring)
  }

  func wake() {
    eventfd_write(eventDescriptor, 1)
  }

  /// Makes the descriptor unreadable until the next change. Call it before reading the graph, so that no change
  /// is missed.
  func acknowledge() {
    var count: eventfd_t = 0
    unsafe eventfd_read(eventDescriptor, &count)
  }

  // MARK: libjack's callbacks, on its notification thread. The argument outlives the client.

  /// Sets libjack's callbacks for changes. Call it before the client is activated.
  func watch(_ client: OpaquePointer) {
    let argument = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe jack_set_port_registration_callback(client, graphPortRegistration, argument)
    unsafe jack_set_port_connect_callback(client, graphPortConnection, argument)
    unsafe jack_set_port_rename_callback(client, graphPortRename, argument)
    unsafe jack_set_latency_callback(client, graphLatency, argument)
    unsafe jack_set_property_change_callback(client, graphProperty, argument)
  }

  /// Sets a process callback, for servers whose end may show only by silence. Call it before the client is
  /// activated.
  func watchCycles(_ client: OpaquePointer) {
    unsafe cycles.watch(client)
  }

  /// Sets libjack's callback for the server's end.
  func watchEnd(_ client: OpaquePointer) {
    unsafe jack_on_info_shutdown(
      client, graphShutdown, Unmanaged.passUnretained(self).toOpaque())
  }
}

private func signals(_ argument: UnsafeMutableRawPointer?) -> GraphSignals? {
  unsafe argument.map { unsafe Unmanaged<GraphSignals>.fromOpaque($0).takeUnretainedValue() }
}

private func graphPortRegistration(
  _: jack_port_id_t, _: Int32, _ argument: UnsafeMutableRawPointer?
) {
  unsafe signals(argument)?.wake()
}

private func graphPortConnection(
  _: jack_port_id_t, _: jack_port_id_t, _: Int32, _ argument: UnsafeMutableRawPointer?
) {
  unsafe signals(argument)?.wake()
}

private func graphPortRename(
  _: jack_port_id_t, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?,
  _ argument: UnsafeMutableRawPointer?
) {
  unsafe signals(argument)?.wake()
}

private func graphLatency(
  _: jack_latency_callback_mode_t, _ argument: UnsafeMutableRawPointer?
) {
  unsafe signals(argument)?.wake()
}

private func graphProperty(
  _: jack_uuid_t, _: UnsafePointer<CChar>?, _: jack_property_change_t,
  _ argument: UnsafeMutableRawPointer?
) {
  unsafe signals(argument)?.notePropertyChange()
}

private func graphShutdown(
  _: jack_status_t, _ reason: UnsafePointer<CChar>?, _ argument: UnsafeMutableRawPointer?
) {
  guard let signals = unsafe signals(argument) else { return }
  signals.farewell.noteCurrentThread()
  unsafe signals.noteEnd(reason.map { unsafe String(cString: $0) } ?? "")
}
