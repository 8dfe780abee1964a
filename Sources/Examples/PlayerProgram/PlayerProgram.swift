// SPDX-License-Identifier: MIT

internal import AudioModel
internal import Glibc

/// The common parts of the example programs: arguments, errors of one line, and exit codes.
public enum PlayerProgram {
  /// Runs a player, and ends the program: with 0 after the end or if the user has ended it, 1 after a failure, 64
  /// after wrong usage.
  ///
  /// - Parameters:
  ///   - name: the program's name.
  ///   - about: a description for `--help`.
  ///   - play: plays a location until its end, or until a signal comes.
  public static func run(
    _ name: String, about: String,
    play: (_ location: String, _ signals: TerminationSignals) throws -> Void
  ) -> Never {
    run(
      name, synopsis: "FILE-OR-URL", about: about,
      accepts: { $0.count == 1 && ($0[0] == "-" || !$0[0].hasPrefix("-")) }
    ) { arguments, signals in
      try play(arguments[0], signals)
    }
  }

  /// Runs a program with other arguments, in the same way.
  ///
  /// - Parameters:
  ///   - name: the program's name.
  ///   - synopsis: its arguments in the help text.
  ///   - about: a description for `--help`.
  ///   - accepts: whether these arguments can be used.
  ///   - body: runs the program until its end, or until a signal comes.
  public static func run(
    _ name: String, synopsis: String, about: String, accepts: (_ arguments: [String]) -> Bool,
    body: (_ arguments: [String], _ signals: TerminationSignals) throws -> Void
  ) -> Never {
    let usage = "Usage: \(name) \(synopsis)"
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.contains("-h") || arguments.contains("--help") {
      write("\(usage)\n\n\(about)\n\n\(server)\n", to: STDOUT_FILENO)
      exit(0)
    }
    guard accepts(arguments) else {
      write("\(usage)\nSee '\(name) --help'.\n", to: STDERR_FILENO)
      exit(64)
    }
    do {
      // Created before any thread, so that all threads block the signals and the program's loop takes them.
      try body(arguments, TerminationSignals())
    } catch {
      write("\(name): \("\(error)".asMessage)\n", to: STDERR_FILENO)
      exit(1)
    }
    exit(0)
  }

  private static let server = """
    A JACK server must be running; JACK_DEFAULT_SERVER names another one than "default". Without a
    sound card:  jackd -d dummy &     With PipeWire, put pw-jack before the command. Ctrl-C ends it.
    """

  private static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}

/// A player's failure that no part of the library reports.
public struct PlayerFailure: Error, CustomStringConvertible {
  /// The failure and a remedy, in one line.
  public let description: String

  /// Creates a failure with a description.
  public init(_ description: String) {
    self.description = description
  }
}
