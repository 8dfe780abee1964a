// SPDX-License-Identifier: MIT

import Glibc

/// A real HTTP server on 127.0.0.1 with a thread for each connection. Plans for each path define its answers and
/// faults; it records requests and sent bytes for the test.
public final class LoopbackHTTPServer: Sendable {
  /// A client's request.
  public struct Request: Sendable {
    /// `GET`, for example.
    public var method: String
    /// The target as sent: the path and the query.
    public var target: String
    /// The fields, names in lower case.
    public var fields: [String: String]
  }

  /// Decides the answer to a request.
  public typealias Handler = @Sendable (Request) -> ResponsePlan

  struct State {
    var handlers: [String: Handler] = [:]
    var requests: [Request] = []
    var bodyBytesSent: [String: UInt64] = [:]
    var openConnections: Set<Int32> = []
    /// The threads of the connections that are open, and those that have ended or are about to.
    var threads: [Int32: JoinableThread] = [:]
    var endedThreads: [JoinableThread] = []
    var isStopped = false
  }

  /// The port that the system chose.
  public let port: UInt16

  let state = Locked(State())
  /// Bytes of the kernel's send buffer of each connection; the kernel doubles it.
  let sendBufferBytes: Int32
  private let listener: Int32

  /// Starts a server that answers 404 to everything.
  ///
  /// - Parameter sendBufferBytes: the kernel's send buffer for each connection; small, so that the count of sent bytes
  ///   is close to that of received bytes.
  public init(sendBufferBytes: Int32 = 64 * 1024) {
    self.sendBufferBytes = sendBufferBytes
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    precondition(listener >= 0, "no descriptors left")
    _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
    let port = bindToLoopback(listener)
    self.port = port
    let result = listen(listener, 16)
    precondition(result == 0, "cannot listen on port \(port)")
    let thread = JoinableThread { [self] in acceptConnections() }
    state.withLock { $0.threads[listener] = thread }
  }

  /// Answers every request for a path with one plan.
  public func serve(_ path: String, _ plan: ResponsePlan) {
    handle(path) { _ in plan }
  }

  /// Answers the first request for a path with the first plan, and so on; all later requests with the last plan.
  public func serve(_ path: String, inOrder plans: [ResponsePlan]) {
    let count = Locked(0)
    handle(path) { _ in
      let index = count.withLock { count in
        defer { count += 1 }
        return count
      }
      return plans[min(index, plans.count - 1)]
    }
  }

  /// Answers requests for a path, whatever the query, by a function.
  public func handle(_ path: String, _ handler: @escaping Handler) {
    state.withLock { $0.handlers[path] = handler }
  }

  /// Returns the URL of a path.
  public func url(_ path: String) -> String {
    "http://127.0.0.1:\(port)\(path)"
  }

  /// The requests so far, in the order in which they came.
  public var requests: [Request] {
    state.withLock { $0.requests }
  }

  /// Returns the body bytes that the kernel has accepted for a path, over all requests.
  public func bodyBytesSent(_ path: String) -> UInt64 {
    state.withLock { $0.bodyBytesSent[path] ?? 0 }
  }

  /// Connections that are open now.
  public var openConnectionCount: Int {
    state.withLock { $0.openConnections.count }
  }

  /// Ends all connections, waits for all threads and closes the port. Call it once, in the end.
  public func stop() {
    state.withLock { state in
      state.isStopped = true
      // The threads close their own descriptors; `shutdown` only ends their waiting.
      for connection in state.openConnections { shutdown(connection, Int32(SHUT_RDWR)) }
    }
    shutdown(listener, Int32(SHUT_RDWR))
    // The listener's thread is joined first, since it starts the others.
    state.withLock({ $0.threads.removeValue(forKey: listener) })?.join()
    while let thread = state.withLock({ $0.threads.popFirst()?.value ?? $0.endedThreads.popLast() })
    {
      thread.join()
    }
    close(listener)
  }

  private func acceptConnections() {
    while true {
      let descriptor = accept(listener, nil, nil)
      let isStopped = state.withLock { state in
        if descriptor >= 0 { state.openConnections.insert(descriptor) }
        return state.isStopped
      }
      guard descriptor >= 0, !isStopped else {
        if descriptor >= 0 { end(descriptor) }
        return
      }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      var size = sendBufferBytes
      unsafe setsockopt(
        descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
      let thread = JoinableThread { [self] in
        var connection = ServerConnection(descriptor, self)
        connection.run()
        end(descriptor)
      }
      let ended = state.withLock { state in
        if state.openConnections.contains(descriptor) {
          state.threads[descriptor] = thread
        } else {
          state.endedThreads.append(thread)
        }
        defer { state.endedThreads = [] }
        return state.endedThreads
      }
      for thread in ended { thread.join() }
    }
  }

  /// Closes a connection under the lock, because `stop` must not touch a descriptor that is reused.
  private func end(_ descriptor: Int32) {
    state.withLock { state in
      state.openConnections.remove(descriptor)
      if let thread = state.threads.removeValue(forKey: descriptor) {
        state.endedThreads.append(thread)
      }
      _ = close(descriptor)
    }
  }
}
