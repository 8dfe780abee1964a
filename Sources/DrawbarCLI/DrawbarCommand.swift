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
        drawbar info --json song.mp3              its format and tags as JSON
        drawbar render -o out.wav song.mp3        the same samples into a file
        drawbar eq HD650.txt                      the response of an equaliser file
        drawbar monitor --with song.mp3           pass an input through, and play along
        drawbar latency --from Mic --to Speaker   the latency of a way out and back
        drawbar ports                             the ports of the JACK graph
        drawbar bench --input song.mp3            the timing of the callback

      Without a command, and with NSM_URL set, it continues what the session manager has saved.

      Exit codes: 0 done, 1 failed (one line on standard error states why), 64 wrong usage.
      """,
    version: "drawbar \(buildVersion)",
    subcommands: [
      PlayCommand.self, InfoCommand.self, RenderCommand.self, EqualizerCommand.self,
      MonitorCommand.self, LatencyCommand.self, PortsCommand.self, BenchCommand.self,
    ])

  /// The release, and the commit if it is known.
  static var buildVersion: String {
    let commit = unsafe String(cString: drawbar_commit())
    return commit.isEmpty ? DrawbarVersion.text : "\(DrawbarVersion.text) (commit \(commit))"
  }

  static func main() {
    occupyStandardDescriptors()
    // At the `ulimit -f` size limit a write fails, and the program goes on.
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

  /// Prints the error and exits as ArgumentParser does. Each line is cleaned, because messages quote arguments.
  private static func leave(with error: any Error) -> Never {
    let code = exitCode(for: error)
    guard code != .success else { exit(withError: error) }
    let message = fullMessage(for: error)
    for line in message.split(separator: "\n", omittingEmptySubsequences: message.isEmpty) {
      Failure.write(String(line).onOneLine(atMost: 4000) + "\n", to: STDERR_FILENO)
    }
    Glibc.exit(code.rawValue)
  }

  /// Opens /dev/null for each closed standard stream. Otherwise a track or JACK's socket could get its descriptor, and
  /// text meant for the stream would go there. The access mode is the wrong one, so that using the stream fails.
  private static func occupyStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Refuses arguments that are not UTF-8: they are read as UTF-8 and would name a different file.
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

  /// Parses a command named by the first argument without the root command. That takes a seventh fewer instructions
  /// until a missing file is reported, because the root command looks up the options three times.
  ///
  /// - Returns: nil for help and for errors, for which only the root command has the full text.
  private static func parseDirectly(_ arguments: [String]) -> (any ParsableCommand)? {
    let command = configuration.subcommands.first {
      $0.configuration.commandName == arguments.first && $0.configuration.subcommands.isEmpty
    }
    return try? command?.parse(Array(arguments.dropFirst()))
  }

  func run() throws {
    guard SessionManagerURL.inEnvironment != nil else { throw CleanExit.helpRequest(self) }
    try Failure.reporting {
      // Created before any thread, so that all threads block these signals and the command's loop takes them.
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
