// SPDX-License-Identifier: MIT

import Glibc

/// A child program in a process group of its own: Ctrl-C reaches only this process, which then ends the child. If this
/// process is killed, the child receives SIGTERM (setpriv --pdeathsig, of Debian's util-linux, which every system
/// has).
final class ChildProcess {
  private(set) var id: pid_t
  private let output: Int32?
  private var status: Int32?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: the program's path, or its name, which is looked up in `PATH`.
  ///   - isHeard: whether standard output is captured for ``wait(isCancelled:)``. Otherwise it is discarded. Standard
  ///     error is discarded unless `showsErrors`.
  init(_ path: String, _ arguments: [String], isHeard: Bool = false, showsErrors: Bool = false)
    throws
  {
    var ends: [Int32] = [-1, -1]
    if isHeard {
      guard unsafe pipe(&ends) == 0 else { throw BenchFailure("no pipe can be made") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    if isHeard {
      unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    } else {
      unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    }
    if !showsErrors {
      unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // This program blocks the signals that end it; its children must not.
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    let words = ["setpriv", "--pdeathsig", "TERM", path] + arguments
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    var id: pid_t = 0
    let error = unsafe posix_spawnp(&id, words[0], &actions, &attributes, &pointers, environ)
    if isHeard { close(ends[1]) }
    guard error == 0 else {
      if isHeard { close(ends[0]) }
      throw BenchFailure("\(words[0]): \(unsafe String(cString: strerror(error)))")
    }
    self.id = id
    output = isHeard ? ends[0] : nil
  }

  deinit {
    terminate()
    if let output { close(output) }
  }

  /// Whether the program is running.
  var isRunning: Bool {
    if status == nil {
      var status: Int32 = 0
      if unsafe waitpid(id, &status, WNOHANG) == id { self.status = status }
    }
    return status == nil
  }

  /// Waits until the program has ended.
  ///
  /// - Parameter isCancelled: polled at least ten times a second; if true, the wait throws.
  /// - Returns: the captured output, and whether the exit code was 0.
  func wait(isCancelled: () -> Bool) throws -> (output: [UInt8], isWell: Bool) {
    var bytes: [UInt8] = []
    if let output {
      var piece = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        var request = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        let ready = unsafe poll(&request, 1, 100)
        if isCancelled() { throw BenchFailure.cancelled }
        if ready == 0 || (ready < 0 && errno == EINTR) { continue }
        let count = unsafe read(output, &piece, piece.count)
        if count < 0 && errno == EINTR { continue }
        if count <= 0 { break }
        bytes += piece.prefix(count)
      }
    }
    while isRunning {
      if isCancelled() { throw BenchFailure.cancelled }
      usleep(5000)
    }
    return (bytes, status == 0)
  }

  /// Ends the process group: sends SIGTERM, waits up to `seconds`, and then sends SIGKILL.
  func terminate(withinSeconds seconds: Int = 3) {
    guard isRunning else { return }
    kill(-id, SIGTERM)
    for _ in 0..<seconds * 200 where isRunning { usleep(5000) }
    if isRunning {
      kill(-id, SIGKILL)
      var status: Int32 = 0
      unsafe waitpid(id, &status, 0)
      self.status = status
    }
  }
}

/// The reason why a benchmark could not run.
struct BenchFailure: Error, CustomStringConvertible {
  var description: String
  var isCancellation = false

  init(_ description: String) { self.description = description }

  /// The failure of a benchmark that the user ended.
  static var cancelled: BenchFailure {
    var failure = BenchFailure("ended")
    failure.isCancellation = true
    return failure
  }
}
