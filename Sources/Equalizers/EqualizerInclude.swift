// SPDX-License-Identifier: MIT

/// A file that an `Include:` has named.
public struct EqualizerIncludedFile: Hashable, Sendable {
  /// The file's identity: a path without `..`, say. Problems show it, the file's own includes are relative to it, and
  /// a file with the identity of one that includes it is a cycle.
  public var name: String
  /// All of the file.
  public var bytes: [UInt8]

  /// A file with these fields.
  public init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }
}

/// The reason why an included file cannot be had.
public struct EqualizerIncludeFailure: Error, Hashable, Sendable {
  /// The reason, for people: "No such file or directory", say.
  public var message: String

  /// A failure for this reason.
  public init(_ message: String) {
    self.message = message
  }
}

/// Returns the file that an `Include:` names, or throws why it cannot be had.
///
/// The first argument is the name as the line has it, the second the identity of the including file. It is called on
/// the thread that reads the curve.
public typealias EqualizerIncluder =
  (_ name: String, _ includingFile: String) throws(EqualizerIncludeFailure) -> EqualizerIncludedFile
