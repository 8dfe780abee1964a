// SPDX-License-Identifier: MIT

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
  init(path: String, replacesExisting: Bool) throws(WrittenFileFailure) {
    self.path = path
    self.replacesExisting = replacesExisting
    switch Self.ending(of: path) {
    case "", "wav", "wave": format = .wave
    case "flac": format = .flac
    case let ending:
      throw WrittenFileFailure(
        path: path,
        reason: "render writes .wav and .flac files, and no .\(ending); choose another place")
    }
    try check()
  }

  /// Checks again that no file would be replaced: reading the tracks takes its time.
  func check() throws(WrittenFileFailure) {
    try WrittenFile(path: path).check(replacesExisting: replacesExisting)
  }

  /// The letters behind the last dot of the name, in lower case.
  private static func ending(of path: String) -> String {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    // A dot at the start hides the file.
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }
}
