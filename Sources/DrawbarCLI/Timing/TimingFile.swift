// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import TimingReport

/// A file of measured runs, as JSON. Opened before the measurement, so that a file that cannot be written is reported
/// at once.
struct TimingFile: ~Copyable {
  private let path: String
  private let descriptor: Int32

  /// Creates the file, or empties it.
  init(path: String) throws(TimingFileFailure) {
    self.path = path
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw TimingFileFailure(path: path, .cannotWrite(errno)) }
  }

  deinit {
    close(descriptor)
  }

  /// Writes a document.
  consuming func write(_ document: TimingDocument) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try write(try encoder.text(of: document) + "\n")
  }

  /// Writes a text.
  consuming func write(_ text: String) throws(TimingFileFailure) {
    guard Failure.write(text, to: descriptor) else {
      throw TimingFileFailure(path: path, .cannotWrite(errno))
    }
  }

  /// Reads a document.
  static func read(_ path: String) throws(TimingFileFailure) -> TimingDocument {
    guard unsafe access(path, R_OK) == 0 else {
      throw TimingFileFailure(path: path, .cannotRead(errno))
    }
    guard let data = try? Data(contentsOf: URL(filePath: path)) else {
      throw TimingFileFailure(path: path, .cannotRead(EIO))
    }
    let document: TimingDocument
    do {
      document = try JSONDecoder().decode(TimingDocument.self, from: data)
    } catch {
      throw TimingFileFailure(path: path, .isNone)
    }
    guard document.formatVersion <= TimingDocument.currentFormatVersion else {
      throw TimingFileFailure(path: path, .isNewer(document.formatVersion))
    }
    return document
  }
}

/// An error of a file of measured runs.
struct TimingFileFailure: Error, CustomStringConvertible {
  enum Reason {
    case cannotWrite(Int32)
    case cannotRead(Int32)
    case isNone
    case isNewer(Int)
  }

  var path: String
  var reason: Reason

  init(path: String, _ reason: Reason) {
    self.path = path
    self.reason = reason
  }

  var description: String {
    switch reason {
    case .cannotWrite(let error):
      "\(path): cannot be written: \(Failure.reason(error))"
    case .cannotRead(let error):
      "\(path): cannot be read: \(Failure.reason(error))"
    case .isNone:
      "\(path): not a file of 'drawbar bench --json' or of 'drawbar play --timing'"
    case .isNewer(let version):
      "\(path): of format \(version); this program knows up to \(TimingDocument.currentFormatVersion)"
    }
  }
}
