// SPDX-License-Identifier: MIT

import ArgumentParser
import AudioModel
import Glibc
import JACKRemoteIO
import PlayerEngine
import SessionManagement

/// How the program says that something failed: one line on standard error, exit code 1.
enum Failure {
  static func report(_ error: some Error) {
    report("\(error)")
  }

  static func report(_ message: String) {
    write("drawbar: \(message.asMessage)\n", to: STDERR_FILENO)
  }

  /// The system's words for an error number.
  static func reason(_ code: Int32) -> String {
    code == ENOSPC ? "disk full" : unsafe String(cString: strerror(code))
  }

  /// Runs what a command does, and says how it ended as the program does: with the exit code 1, and one line
  /// of an error; 0 when the user has ended it.
  ///
  /// - Parameter body: returns false when something went wrong that it has told of itself.
  static func reporting(_ body: () throws -> Bool) throws {
    let isWell: Bool
    do {
      isWell = try body()
    } catch let error as ExitCode {
      throw error
    } catch let error as ValidationError {
      throw error
    } catch let failure as PlaylistFailure where failure.reason == .cancelled {
      return
    } catch let error as PlayerError where error.reason == .cancelled {
      return
    } catch RemoteIOError.cancelled {
      return
    } catch SessionFailure.cancelled {
      return
    } catch {
      report(error)
      throw ExitCode(1)
    }
    if !isWell { throw ExitCode(1) }
  }

  /// What a pipe takes at once when it takes anything (pipe(7), PIPE_BUF).
  private static let pieceBytes = 4096

  /// Writes all of a text, as far as the descriptor takes it.
  ///
  /// - Parameter signals: end the wait for one who does not read.
  /// - Returns: whether it took all. Where a signal has ended it, `errno` is EINTR.
  @discardableResult
  static func write(
    _ text: String, to descriptor: Int32, until signals: TerminationSignals? = nil
  ) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      if let signals, !signals.allowWriting(to: descriptor) {
        errno = EINTR
        return false
      }
      let piece = signals == nil ? bytes : bytes.prefix(pieceBytes)
      let count = unsafe piece.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }
}
