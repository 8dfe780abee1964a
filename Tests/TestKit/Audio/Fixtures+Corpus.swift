// SPDX-License-Identifier: MIT

extension Fixtures {
  /// The folder of the files that `scripts/corpus` makes, with a slash at its end.
  public static let corpusFolder = repository + "/.build/corpus/files/"

  /// Returns the names of the corpus's files with one of these endings and fewer bytes than a limit, in the manifest's
  /// order. Traps with the remedy when the corpus is not there.
  public static func corpusNames(endings: [String], below byteLimit: Int) -> [String] {
    let manifest = contents(ofFile: repository + "/.build/corpus/manifest")
    precondition(!manifest.isEmpty, "the corpus is missing: run scripts/corpus, or scripts/test")
    let lines = String(decoding: manifest, as: UTF8.self).split(separator: "\n")
    return lines.map { String($0.prefix { $0 != "\t" }) }.filter { name in
      endings.contains(where: name.hasSuffix)
        && contents(ofFile: corpusFolder + name).count < byteLimit
    }
  }
}
