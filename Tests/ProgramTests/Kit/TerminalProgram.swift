// SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import TestKit

/// The program on a terminal of its own: a session leader whose standard streams are a
/// pseudo-terminal (pty(7)), so keys, Ctrl-C and the status line work as for a user.
final class TerminalProgram: Sendable {
  let pid: pid_t
  /// The terminal's local modes before the program starts.
  let originalModes: tcflag_t
  private let master: Int32
  /// The terminal's slave end, kept open so that the terminal outlives the program.
  private let slave: Int32
  private let text = Mutex<[UInt8]>([])
  private let exitStatus = Mutex<Subprocess.Exit?>(nil)
  private let hasEnded = OneTimeEvent()
  private let threads = Mutex<[JoinableThread]>([])

  /// - Parameters:
  ///   - program: another program's path.
  ///   - kind: the terminal type (environ(7), TERM).
  ///   - variables: set in addition to those that each run needs, or instead of them.
  init(
    _ arguments: [String], columns: UInt16 = 80, rows: UInt16 = 24, kind: String = "xterm-256color",
    program: String = Program.path, with variables: [String: String] = [:]
  ) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    var ends: (master: Int32, slave: Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 128)
    let result = unsafe openpty(&ends.master, &ends.slave, &name, nil, &size)
    precondition(result == 0, "no terminals left")
    (master, slave) = ends
    for end in [master, slave] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var modes = termios()
    unsafe tcgetattr(slave, &modes)
    originalModes = modes.c_lflag
    pid = spawn([program] + arguments, terminal: name, kind: kind, variables)
    threads.withLock { threads in
      threads.append(JoinableThread { [self] in read() })
      threads.append(JoinableThread { [self] in waitForEnd() })
    }
  }

  deinit {
    close(master)
    close(slave)
  }

  /// The program's whole output so far.
  var output: String { text.withLock { String(decoding: $0, as: UTF8.self) } }

  /// The program's exit, or the state of its threads.
  var state: String {
    exitStatus.withLock { exit in exit.map { "\($0)" } ?? ProcessResources.waits(of: pid) }
  }

  /// All lines shown so far, including those that were overwritten.
  var shownLines: [String] {
    output.split(whereSeparator: { $0.isNewline || $0 == "\r" }).map { line in
      line.hasPrefix("\u{1B}[K") ? String(line.dropFirst(3)) : String(line)
    }
  }

  /// Waits until the program has written a text.
  func shows(_ expected: String, seconds: Double = 20) -> Bool {
    eventually(seconds: seconds) { output.contains(expected) }
  }

  /// Whether the program shows a text after its output so far.
  func showsAnew(_ expected: String, after action: () -> Void) -> Bool {
    let before = text.withLock { $0.count }
    action()
    return eventually {
      text.withLock { String(decoding: $0[before...], as: UTF8.self) }.contains(expected)
    }
  }

  /// Presses keys.
  func type(_ keys: String) {
    let bytes = Array(keys.utf8)
    unsafe write(master, bytes, bytes.count)
  }

  /// The terminal's local modes, such as `ECHO`.
  var localModes: tcflag_t {
    var modes = termios()
    unsafe tcgetattr(master, &modes)
    return modes.c_lflag
  }

  func signal(_ signal: Int32) {
    exitStatus.withLock { if $0 == nil { _ = kill(pid, signal) } }
  }

  /// Waits for the program's end, kills it at the time limit, and returns its exit and the time waited. Call
  /// this once, as the last step.
  func end(seconds: Double = 20) -> (exit: Subprocess.Exit?, seconds: Double) {
    let start = monotonicSeconds()
    let isOver = hasEnded.wait(seconds: seconds)
    let took = monotonicSeconds() - start
    if !isOver { signal(SIGKILL) }
    for thread in threads.withLock({ $0 }) { thread.join() }
    Program.expectNoFinding(in: output)
    return (isOver ? exitStatus.withLock { $0 } : nil, took)
  }

  private func read() {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      var item = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&item, 1, 20) > 0 else {
        if exitStatus.withLock({ $0 != nil }) { return }
        continue
      }
      let count = unsafe Glibc.read(master, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      text.withLock { $0 += bytes[..<count] }
    }
  }

  private func waitForEnd() {
    var info = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    exitStatus.withLock { exit in
      var status: Int32 = 0
      unsafe waitpid(pid, &status, 0)
      let signal = status & 0x7F
      exit = signal == 0 ? .status((status >> 8) & 0xFF) : .signal(signal)
    }
    hasEnded.signal()
  }
}

private func spawn(
  _ arguments: [String], terminal: [CChar], kind: String, _ additions: [String: String]
) -> pid_t {
  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  // The first terminal that a session leader opens becomes its controlling terminal.
  unsafe posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
  unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
  unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
  var attributes = posix_spawnattr_t()
  unsafe posix_spawnattr_init(&attributes)
  defer { unsafe posix_spawnattr_destroy(&attributes) }
  var none = sigset_t()
  var all = sigset_t()
  unsafe sigemptyset(&none)
  unsafe sigfillset(&all)
  unsafe posix_spawnattr_setsigmask(&attributes, &none)
  unsafe posix_spawnattr_setsigdefault(&attributes, &all)
  // spawn.h's POSIX_SPAWN_SETSID, which needs _GNU_SOURCE.
  let newSession: Int32 = 0x80
  let options = newSession | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
  unsafe posix_spawnattr_setflags(&attributes, Int16(options))
  let variables =
    Program.environment.merging(additions) { $1 }.map { "\($0.key)=\($0.value)" } + [
      "TERM=\(kind)", "LC_ALL=C.UTF-8",
    ]
  var argv = unsafe arguments.map { unsafe strdup($0) } + [nil]
  var envp = unsafe variables.map { unsafe strdup($0) } + [nil]
  defer { unsafe (argv + envp).forEach { unsafe free($0) } }
  var pid: pid_t = 0
  let result = unsafe posix_spawn(&pid, arguments[0], &actions, &attributes, &argv, &envp)
  precondition(result == 0, "cannot start \(arguments[0]): \(result)")
  return pid
}
