// SPDX-License-Identifier: MIT

public import Glibc
import Synchronization

/// A program that a test runs: in a process group of its own, with its output in files. It is ended with the test
/// process if it still runs then.
public final class Subprocess: Sendable {
  /// The end of a process.
  public enum Exit: Sendable, Equatable {
    /// It exited with this status.
    case status(Int32)
    /// This signal ended it.
    case signal(Int32)
    /// It could not be started; the value is `errno`.
    case notStarted(Int32)
  }

  private enum Life {
    case starting
    case running(pid_t)
    case ended(Exit)
  }

  /// Protects the process's life, so that no signal is sent to a process number that is reused.
  private let life = Mutex(Life.starting)
  private let startedEvent = OneTimeEvent()
  private let endedEvent = OneTimeEvent()
  private let folder = TemporaryDirectory()

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: the program, looked up in `PATH`, and its arguments.
  ///   - environment: variables that are set in addition to those of this process.
  public init(_ arguments: [String], environment: [String: String] = [:]) {
    // The kernel ends the program together with the thread that started it, so that a killed test process leaves no
    // server behind. That thread lives as long as the program does.
    let command = ["setpriv", "--pdeathsig", "TERM", "--"] + arguments
    let variables = mergedEnvironment(environment)
    let (out, err) = (folder.file("stdout"), folder.file("stderr"))
    startThread { [self] in
      let pid = spawn(command, variables, standardOutput: out, standardError: err)
      switch pid {
      case .success(let pid):
        life.withLock { $0 = .running(pid) }
        startedEvent.signal()
        waitForEnd(of: pid)
      case .failure(let error):
        life.withLock { $0 = .ended(.notStarted(error.code)) }
        startedEvent.signal()
      }
      endedEvent.signal()
    }
    startedEvent.wait()
  }

  /// Runs a program to its end.
  ///
  /// - Returns: the program's end; nil if it had to be killed at the deadline.
  public static func run(
    _ arguments: [String], environment: [String: String] = [:], seconds: Double = 20
  ) -> (exit: Exit?, output: String, errors: String) {
    let process = Subprocess(arguments, environment: environment)
    let exit = process.wait(seconds: seconds)
    if exit == nil {
      process.signalGroup(SIGKILL)
      process.wait(seconds: 5)
    }
    return (exit, process.output, process.errors)
  }

  /// The process's number; nil once it has ended.
  public var pid: pid_t? {
    life.withLock { if case .running(let pid) = $0 { pid } else { nil } }
  }

  /// The program's standard output so far.
  public var output: String {
    String(decoding: contents(ofFile: folder.file("stdout")), as: UTF8.self)
  }

  /// The program's standard error so far.
  public var errors: String {
    String(decoding: contents(ofFile: folder.file("stderr")), as: UTF8.self)
  }

  /// Waits for the program's end; returns nil if it still runs after that time.
  @discardableResult
  public func wait(seconds: Double) -> Exit? {
    guard endedEvent.wait(seconds: seconds) else { return nil }
    return life.withLock { if case .ended(let exit) = $0 { exit } else { nil } }
  }

  /// Sends a signal to the program's process group. Does nothing once the program has ended.
  public func signalGroup(_ signal: Int32) {
    life.withLock { life in
      if case .running(let pid) = life { _ = kill(-pid, signal) }
    }
  }

  private func waitForEnd(of pid: pid_t) {
    var info = unsafe siginfo_t()
    // Waits but does not reap, so that the number stays the process's own until the lock is held.
    while unsafe waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    life.withLock { life in
      var status: Int32 = 0
      unsafe waitpid(pid, &status, 0)
      // wait(2): the low seven bits are the signal, 0 for an exit; the next byte is the status.
      let signal = status & 0x7F
      life = .ended(signal == 0 ? .status((status >> 8) & 0xFF) : .signal(signal))
    }
  }
}

private struct SpawnError: Error {
  var code: Int32
}

private func spawn(
  _ arguments: [String], _ variables: [String], standardOutput: String, standardError: String
) -> Result<pid_t, SpawnError> {
  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
  let flags = O_WRONLY | O_CREAT | O_TRUNC
  unsafe posix_spawn_file_actions_addopen(&actions, 1, standardOutput, flags, 0o600)
  unsafe posix_spawn_file_actions_addopen(&actions, 2, standardError, flags, 0o600)
  var attributes = posix_spawnattr_t()
  unsafe posix_spawnattr_init(&attributes)
  defer { unsafe posix_spawnattr_destroy(&attributes) }
  // The child has its own process group, and blocks or ignores no signal that the test process does.
  var none = sigset_t()
  var all = sigset_t()
  unsafe sigemptyset(&none)
  unsafe sigfillset(&all)
  unsafe posix_spawnattr_setsigmask(&attributes, &none)
  unsafe posix_spawnattr_setsigdefault(&attributes, &all)
  unsafe posix_spawnattr_setpgroup(&attributes, 0)
  let options = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
  unsafe posix_spawnattr_setflags(&attributes, Int16(options))
  var argv = unsafe arguments.map { unsafe strdup($0) } + [nil]
  var envp = unsafe variables.map { unsafe strdup($0) } + [nil]
  defer { unsafe (argv + envp).forEach { unsafe free($0) } }
  var pid: pid_t = 0
  let result = unsafe posix_spawnp(&pid, arguments[0], &actions, &attributes, &argv, &envp)
  return result == 0 ? .success(pid) : .failure(SpawnError(code: result))
}

private func mergedEnvironment(_ additions: [String: String]) -> [String] {
  var variables: [String] = []
  var index = 0
  while let entry = unsafe environ[index] {
    index += 1
    let text = unsafe String(cString: entry)
    let name = String(text.prefix { $0 != "=" })
    if additions[name] == nil { variables.append(text) }
  }
  return variables + additions.map { "\($0.key)=\($0.value)" }
}
