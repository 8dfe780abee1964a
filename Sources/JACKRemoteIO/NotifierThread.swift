// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc
internal import RenderCore

/// libjack's thread that handles a client's notifications from the server: clients, ports and connections that
/// come and go.
///
/// jack2 cancels the thread when the client is closed, at any point. If the thread is handling the arrival or
/// departure of another client, it never releases a lock of libjack's. Closing then waits for that lock without
/// end, as does every other call in the process that opens or closes a client. So closing first waits until the
/// thread is idle.
final class NotifierThread: Sendable {
  private static let pollMicroseconds: UInt32 = 200

  private struct Known {
    /// Threads that libjack has created so far while it opened the client.
    var count = 0
    /// The kernel's ID of the last thread; 0 until it runs.
    var id: pid_t = 0
  }

  /// Protects the known thread, between the opener's thread and libjack's.
  private let known = POSIXMutex(Known())

  /// Opens a client, and records its notifier thread: the last one that libjack creates for it.
  func opening<Result>(_ open: () -> Result) -> Result {
    guard Self.areThreadsOurs else { return open() }
    let before = unsafe pthread_getspecific(openerKey)
    unsafe pthread_setspecific(openerKey, Unmanaged.passUnretained(self).toOpaque())
    defer { unsafe pthread_setspecific(openerKey, before) }
    return open()
  }

  /// Whether the thread's ID is known.
  var isKnown: Bool { known.withLock { $0.id != 0 } }

  /// Waits until the thread waits for the next notification, or the deadline has passed.
  func waitUntilIdle(until deadline: Deadline) {
    let id = known.withLock { $0.id }
    guard id != 0 else { return }
    while !isIdle(id), !deadline.hasPassed { usleep(Self.pollMicroseconds) }
  }

  /// Returns whether the thread is in read(2), or no longer exists.
  private func isIdle(_ id: pid_t) -> Bool {
    let file = unsafe open("/proc/self/task/\(id)/syscall", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return true }
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 16)
    let count = unsafe read(file, &text, text.count)
    guard count > 0 else { return true }
    return text.prefix { $0 != UInt8(ascii: " ") }.elementsEqual("\(cjack_read_number)".utf8)
  }

  /// Whether libjack creates its threads with `makeThread`, which this installs. PipeWire's library does not:
  /// it has one thread for all clients, which is never cancelled.
  private static let areThreadsOurs: Bool = {
    guard !Client.mayLoseServerSilently else { return false }
    unsafe jack_set_thread_creator(makeThread)
    return true
  }()

  /// Records that a thread is being created.
  ///
  /// - Returns: the thread's number.
  func noteMaking() -> Int {
    known.withLock { known in
      known.count += 1
      known.id = 0
      return known.count
    }
  }

  /// Records the ID of a thread that has begun.
  fileprivate func note(_ id: pid_t, number: Int) {
    known.withLock { known in if known.count == number { known.id = id } }
  }
}

/// The key of the notifier whose client the calling thread opens.
private let openerKey: pthread_key_t = {
  var key = pthread_key_t()
  unsafe pthread_key_create(&key, nil)
  return key
}()

/// The start routine of a libjack thread, and the notifier that records the thread.
@safe
private final class ThreadStart {
  let notifier: NotifierThread
  let number: Int
  let function: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
  let argument: UnsafeMutableRawPointer?

  init(
    _ notifier: NotifierThread, _ number: Int,
    _ function: @escaping @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?,
    _ argument: UnsafeMutableRawPointer?
  ) {
    self.notifier = notifier
    self.number = number
    unsafe self.function = function
    unsafe self.argument = argument
  }
}

/// Creates a thread for libjack, as pthread_create(3) does.
func makeThread(
  _ thread: UnsafeMutablePointer<pthread_t>?, _ attributes: UnsafePointer<pthread_attr_t>?,
  _ function: (@convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?)?,
  _ argument: UnsafeMutableRawPointer?
) -> Int32 {
  guard let thread = unsafe thread, let function = unsafe function else { return EINVAL }
  guard let opener = unsafe pthread_getspecific(openerKey) else {
    return unsafe pthread_create(thread, attributes, function, argument)
  }
  let notifier = unsafe Unmanaged<NotifierThread>.fromOpaque(opener).takeUnretainedValue()
  let start = unsafe Unmanaged.passRetained(
    ThreadStart(notifier, notifier.noteMaking(), function, argument))
  let status = unsafe pthread_create(thread, attributes, runThread, start.toOpaque())
  if status != 0 { unsafe start.release() }
  return status
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context = unsafe context else { return nil }
  let (function, argument) = unsafe begin(Unmanaged<ThreadStart>.fromOpaque(context))
  return unsafe function(argument)
}

/// Records the calling thread. A separate function, so that the thread, which may be cancelled, holds no
/// reference while it runs.
@inline(never)
private func begin(_ start: Unmanaged<ThreadStart>) -> (
  @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
) {
  let start = unsafe start.takeRetainedValue()
  start.notifier.note(gettid(), number: start.number)
  return unsafe (start.function, start.argument)
}
