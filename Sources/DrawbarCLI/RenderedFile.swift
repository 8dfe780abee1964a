// SPDX-License-Identifier: MIT

import Glibc

/// The file that `drawbar render` writes: its format, by the ending of its name, and whether it may be written.
struct RenderedFile {
  /// A format that can be written.
  enum Format {
    /// 32-bit float.
    case wave
    /// 24-bit integer.
    case flac
  }

  let format: Format
  private let path: String
  private let replacesExisting: Bool

  /// - Parameters:
  ///   - path: `-` for standard output, which gets WAVE, as a name without an ending does.
  ///   - replacesExisting: whether a file that is there already may be replaced.
  /// - Throws: the refusal of a format that cannot be written, or of a file that must not be replaced.
  init(path: String, replacesExisting: Bool) throws(RenderedFileFailure) {
    self.path = path
    self.replacesExisting = replacesExisting
    switch Self.ending(of: path) {
    case "", "wav", "wave": format = .wave
    case "flac": format = .flac
    case let ending:
      throw RenderedFileFailure(
        path: path,
        reason: "render writes .wav and .flac files, and no .\(ending); choose another place")
    }
    try check()
  }

  /// Checks again that no file would be replaced: reading the tracks takes its time.
  func check() throws(RenderedFileFailure) {
    var status = stat()
    guard path != "-", !replacesExisting, unsafe stat(path, &status) == 0 else { return }
    // Devices and pipes are written into; an empty file, as of mktemp(1), has nothing to lose.
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return }
    throw RenderedFileFailure(
      path: path, reason: "the file exists; add --force to replace it, or choose another place")
  }

  /// The letters behind the last dot of the name, in lower case.
  private static func ending(of path: String) -> String {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    // A dot at the start hides the file.
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }
}

/// Why `render` writes nothing.
struct RenderedFileFailure: Error, CustomStringConvertible {
  var path: String
  var reason: String

  var description: String { "cannot write \(path): \(reason)" }
}
