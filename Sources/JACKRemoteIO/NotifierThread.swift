// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc
internal import RenderCore

/// The thread on which libjack takes in what the server tells a client: others that come and go, ports,
/// connections.
///
/// jack2 cancels it when the client is closed, wherever it is. If that is while it takes in that another client
/// has come or gone, it does not give back a lock of libjack's; closing then waits for that without end, and with
/// it every other call that opens or closes a client in the process. So it is left to finish what it does.
final class NotifierThread: Sendable {
  private static let pollMicroseconds: UInt32 = 200

  private struct Known {
    /// Threads that libjack has made so far while it opened the client.
    var count = 0
    /// The kernel's number of the last one; 0 until it runs.
    var id: pid_t = 0
  }

  /// Protects what is known, between the opener's thread and libjack's.
  private let known = GuardedState(Known())

  /// Opens a client, and learns which thread it gets: the last one that libjack makes for it.
  func opening<Result>(_ open: () -> Result) -> Result {
    guard Self.areThreadsOurs else { return open() }
    let before = unsafe pthread_getspecific(openerKey)
    unsafe pthread_setspecific(openerKey, Unmanaged.passUnretained(self).toOpaque())
    defer { unsafe pthread_setspecific(openerKey, before) }
    return open()
  }

  /// Whether it is known which one it is.
  var isKnown: Bool { known.withLock { $0.id != 0 } }

  /// Waits until it waits itself for what the server tells next.
  func waitUntilIdle(until deadline: Deadline) {
    let id = known.withLock { $0.id }
    guard id != 0 else { return }
    while !isIdle(id), !deadline.hasPassed { usleep(Self.pollMicroseconds) }
  }

  /// Whether the thread is in read(2), or is there no longer.
  private func isIdle(_ id: pid_t) -> Bool {
    let file = unsafe open("/proc/self/task/\(id)/syscall", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return true }
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 16)
    let count = unsafe read(file, &text, text.count)
    guard count > 0 else { return true }
    return text.prefix { $0 != UInt8(ascii: " ") }.elementsEqual("\(cjack_read_number)".utf8)
  }

  /// Has libjack make its threads here from now on. PipeWire's has one for all clients, which is never cancelled.
  private static let areThreadsOurs: Bool = {
    guard !Client.mayLoseServerSilently else { return false }
    unsafe jack_set_thread_creator(makeThread)
    return true
  }()

  /// A thread is being made.
  ///
  /// - Returns: which one it is.
  func noteMaking() -> Int {
    known.withLock { known in
      known.count += 1
      known.id = 0
      return known.count
    }
  }

  /// A thread has begun.
  fileprivate func note(_ id: pid_t, number: Int) {
    known.withLock { known in if known.count == number { known.id = id } }
  }
}

/// Whose client the calling thread opens.
private let openerKey: pthread_key_t = {
  var key = pthread_key_t()
  unsafe pthread_key_create(&key, nil)
  return key
}()

/// What a thread of libjack's does, and who wants to know of it.
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

/// libjack's pthread_create(3).
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

/// Notes the calling thread. By itself, so that nothing is held while the thread runs, which may be cancelled.
@inline(never)
private func begin(_ start: Unmanaged<ThreadStart>) -> (
  @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
) {
  let start = unsafe start.takeRetainedValue()
  start.notifier.note(gettid(), number: start.number)
  return unsafe (start.function, start.argument)
}
