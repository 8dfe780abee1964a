// SPDX-License-Identifier: MIT

import ArgumentParser
import AudioModel
import ByteSources
import CBuild
import Glibc
import SessionManagement

/// The program.
@main
struct DrawbarCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drawbar",
    abstract: "Play files and streams into JACK.",
    discussion: """
      Reads MPEG audio, AAC, FLAC, Opus, Vorbis, Apple Lossless, AC-3 and linear PCM from files, http and \
      https URLs and standard input, and plays them into the JACK graph.

      Examples:
        drawbar play song.mp3                     play to the sound card
        drawbar play --connect none *.mp3         an album without gaps, for you to connect
        drawbar play http://radio.example/live    a stream
        drawbar info --json song.mp3              what it is, for a program
        drawbar render -o out.wav song.mp3        the very same samples, into a file
        drawbar eq HD650.txt                      the response of an equaliser file
        drawbar monitor --with song.mp3           hear an input, and play along
        drawbar latency --from Mic --to Speaker   how long a way out and back takes
        drawbar ports                             what is in the JACK graph
        drawbar bench --input song.mp3            what the callback costs here

      A session manager (NSM_URL is set) starts it without a command; it goes on then with what was saved.

      Exit codes: 0 done, 1 failed (one line on standard error says why), 64 wrong usage.
      """,
    version: "drawbar \(buildVersion)",
    subcommands: [
      PlayCommand.self, InfoCommand.self, RenderCommand.self, EqualizerCommand.self,
      MonitorCommand.self, LatencyCommand.self, PortsCommand.self, BenchCommand.self,
    ])

  /// The release, and the commit where that is known.
  static var buildVersion: String {
    let commit = unsafe String(cString: drawbar_commit())
    return commit.isEmpty ? DrawbarVersion.text : "\(DrawbarVersion.text) (commit \(commit))"
  }

  static func main() {
    occupyStandardDescriptors()
    // A file that has reached `ulimit -f` is a failed write, and not the end of the program.
    signal(SIGXFSZ, SIG_IGN)
    refuseOtherText()
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      var command = try parseDirectly(arguments) ?? parseAsRoot(arguments)
      try command.run()
    } catch {
      leave(with: error)
    }
  }

  /// Ends the program as ArgumentParser does. Its messages quote arguments: each line of them is cleaned.
  private static func leave(with error: any Error) -> Never {
    let code = exitCode(for: error)
    guard code != .success else { exit(withError: error) }
    let message = fullMessage(for: error)
    for line in message.split(separator: "\n", omittingEmptySubsequences: message.isEmpty) {
      Failure.write(String(line).onOneLine(atMost: 4000) + "\n", to: STDERR_FILENO)
    }
    Glibc.exit(code.rawValue)
  }

  /// A standard stream that is closed would be the number of the next file that is opened, a track or JACK's
  /// socket: what is meant for the stream would go there. What stands in its place fails as a closed one does.
  private static func occupyStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Arguments are read as UTF-8. A file whose name is none would be looked for by another name.
  private static func refuseOtherText() {
    for (index, argument) in CommandLine.arguments.enumerated() {
      guard let bytes = unsafe CommandLine.unsafeArgv[index],
        unsafe String(validatingCString: bytes) == nil
      else { continue }
      Failure.report(
        "'\(argument)' is not UTF-8, as arguments have to be; rename the file, or have it read from "
          + "standard input: drawbar play - < FILE")
      exit(withError: ExitCode(1))
    }
  }

  /// Parses a command that is named first by itself, which takes a seventh of the instructions less until a
  /// missing file is told: from the root on, its options are looked up three times.
  ///
  /// - Returns: nil where that does not do: for help, and for what is wrong, which only the root words fully.
  private static func parseDirectly(_ arguments: [String]) -> (any ParsableCommand)? {
    let command = configuration.subcommands.first {
      $0.configuration.commandName == arguments.first && $0.configuration.subcommands.isEmpty
    }
    return try? command?.parse(Array(arguments.dropFirst()))
  }

  func run() throws {
    guard SessionManagerURL.inEnvironment != nil else { throw CleanExit.helpRequest(self) }
    try Failure.reporting {
      // Before any thread is made, so that all of them leave these to the command's loop.
      let signals = TerminationSignals()
      guard let session = try ManagedSession.join(signals) else {
        throw ValidationError("Missing a command.")
      }
      return try session.opening {
        guard let saved = session.saved else {
          throw SessionRefusal(
            .createFailed,
            "nothing was saved for this program: add it to the session as 'drawbar play FILE' or "
              + "'drawbar monitor'")
        }
        return try saved.resume(in: session, signals)
      }
    }
  }
}
