// SPDX-License-Identifier: MIT

/// A file that an `Include:` names.
public struct EqualizerIncludedFile: Hashable, Sendable {
  /// The file's identity, for example a path without `..`. Problems show it, and the file's own
  /// includes are relative to it. A file with the same identity as one that includes it is a cycle.
  public var name: String
  /// The whole file.
  public var bytes: [UInt8]

  /// Creates a file with these fields.
  public init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }
}

/// The reason why an included file cannot be read.
public struct EqualizerIncludeFailure: Error, Hashable, Sendable {
  /// The reason for people, for example "No such file or directory".
  public var message: String

  /// Creates a failure for this reason.
  public init(_ message: String) {
    self.message = message
  }
}

/// Returns the file that an `Include:` names, or throws the reason why it cannot be read.
///
/// The first argument is the name as written in the line, the second the identity of the including
/// file. The function is called on the thread that reads the curve.
public typealias EqualizerIncluder =
  (_ name: String, _ includingFile: String) throws(EqualizerIncludeFailure) -> EqualizerIncludedFile
