// SPDX-License-Identifier: MIT

import ArgumentParser
import AudioModel
import Glibc
import JACKRemoteIO
import PlayerEngine
import SessionManagement

/// The program's failure messages: one line on standard error, and exit code 1.
enum Failure {
  static func report(_ error: some Error) {
    report("\(error)")
  }

  static func report(_ message: String) {
    write("drawbar: \(message.asMessage)\n", to: STDERR_FILENO)
  }

  /// Returns the system's text for an error number.
  static func reason(_ code: Int32) -> String {
    code == ENOSPC ? "disk full" : unsafe String(cString: strerror(code))
  }

  /// Runs a command and sets its exit code: 1 after an error, which is printed on one line, and 0 if the user ended
  /// the command.
  ///
  /// - Parameter body: returns false after a failure that it has reported itself.
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

  /// The bytes that a writable pipe accepts at once (pipe(7), PIPE_BUF).
  private static let pieceBytes = 4096

  /// Writes a text completely, or up to the first error.
  ///
  /// - Parameter signals: signals that end the wait for a reader that does not read.
  /// - Returns: whether all was written. If a signal ended the wait, `errno` is EINTR.
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
