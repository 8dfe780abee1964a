// SPDX-License-Identifier: MIT

#if DRAWBAR_LIBLO
  internal import CDescriptors
  internal import CLO
  internal import Glibc
  internal import Synchronization

  extension SessionSocket {
    /// The URL and the result of a thread that opens a socket.
    private final class Opening: Sendable {
      let url: SessionManagerURL
      let result = Mutex<Result<SessionSocket, SessionFailure>?>(nil)
      /// An eventfd(2) that is readable when there is a result.
      let event = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

      init(_ url: SessionManagerURL) { self.url = url }

      deinit { close(event) }

      func run() {
        let opened: Result<SessionSocket, SessionFailure>
        do throws(SessionFailure) {
          opened = .success(try SessionSocket(url))
        } catch {
          opened = .failure(error)
        }
        result.withLock { $0 = opened }
        eventfd_write(event, 1)
      }
    }

    /// Opens a socket on its own thread, which is abandoned when it takes too long: a query of a name server cannot be
    /// interrupted.
    ///
    /// - Parameters:
    ///   - end: the time limit, on the monotonic clock, in seconds.
    ///   - isCancelled: called about ten times a second; true ends the wait.
    static func open(
      _ url: SessionManagerURL, until end: Double, isCancelled: () -> Bool
    ) throws(SessionFailure) -> SessionSocket? {
      let opening = Opening(url)
      var thread = pthread_t()
      let argument = unsafe Unmanaged.passRetained(opening).toOpaque()
      let status = unsafe pthread_create(
        &thread, nil,
        {
          if let argument = unsafe $0 {
            unsafe Unmanaged<Opening>.fromOpaque(argument).takeRetainedValue().run()
          }
          return nil
        }, argument)
      guard status == 0 else {
        unsafe Unmanaged<Opening>.fromOpaque(argument).release()
        throw .noSocket
      }
      pthread_detach(thread)
      while true {
        if let result = opening.result.withLock({ $0 }) { return try result.get() }
        if isCancelled() { throw .cancelled }
        let left = end - monotonicSeconds()
        guard left > 0 else { return nil }
        var item = pollfd(fd: opening.event, events: Int16(POLLIN), revents: 0)
        unsafe poll(&item, 1, Int32(min(100, left * 1000 + 1)))
      }
    }
  }

  func monotonicSeconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
#endif
