// SPDX-License-Identifier: MIT

/// The file that `drawbar render` writes: its format, by the ending of its name, and permission to replace it.
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
  ///   - path: `-` for standard output, which is WAVE, as is a name without an ending.
  ///   - replacesExisting: whether an existing file may be replaced.
  /// - Throws: the refusal of a format that cannot be written, or of a file that must not be replaced.
  init(path: String, replacesExisting: Bool) throws(WrittenFileFailure) {
    self.path = path
    self.replacesExisting = replacesExisting
    switch Self.ending(of: path) {
    case "", "wav", "wave": format = .wave
    case "flac": format = .flac
    case let ending:
      throw WrittenFileFailure(
        path: path,
        reason: "render writes .wav and .flac files, and no .\(ending); choose another path")
    }
    try check()
  }

  /// Checks again that no file would be replaced, because reading the tracks takes time.
  func check() throws(WrittenFileFailure) {
    try WrittenFile(path: path).check(replacesExisting: replacesExisting)
  }

  /// Returns the letters after the last dot of the name, in lower case.
  private static func ending(of path: String) -> String {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    // A dot at the start hides the file.
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }
}
