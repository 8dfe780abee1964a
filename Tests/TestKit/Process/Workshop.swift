// SPDX-License-Identifier: MIT

import Glibc

/// A temporary folder in which programs make and decode files. It is removed with the value.
public final class Workshop: Sendable {
  private let folder = TemporaryDirectory()

  /// Makes an empty folder.
  public init() {}

  /// The folder's absolute path.
  public var path: String { folder.path }

  /// Returns the path of an entry of this name.
  public func path(_ name: String) -> String { folder.file(name) }

  /// Runs a shell command in the folder.
  ///
  /// - Throws: the command's output if it failed.
  public func run(_ command: String) throws {
    let status = unsafe system("cd '\(path)' && { \(command) ; } >log 2>&1 </dev/null")
    guard status == 0 else {
      throw WorkshopError.failed(
        "\(command): \(String(decoding: (try? read("log")) ?? [], as: UTF8.self))")
    }
  }

  /// Returns all bytes of a file.
  public func read(_ name: String) throws -> [UInt8] {
    guard unsafe access(path(name), R_OK) == 0 else { throw WorkshopError.failed("open \(name)") }
    return contents(ofFile: path(name))
  }

  /// Writes a file with these bytes.
  public func write(_ bytes: [UInt8], _ name: String) throws {
    guard let file = unsafe fopen(path(name), "wb") else {
      throw WorkshopError.failed("open \(name)")
    }
    defer { unsafe fclose(file) }
    guard unsafe fwrite(bytes, 1, bytes.count, file) == bytes.count else {
      throw WorkshopError.failed("write \(name)")
    }
  }
}

/// An error of a ``Workshop``.
public enum WorkshopError: Error {
  /// This command or step failed.
  case failed(String)
}
