// SPDX-License-Identifier: MIT

import TestKit
import Testing

/// A file that `scripts/corpus` made, as its manifest describes it.
struct CorpusFile: Sendable, CustomTestStringConvertible {
  /// The comparison of its packets with those of ffprobe.
  enum Mode: String, Sendable {
    /// Compares the count, and each packet's offset and size.
    case packets
    /// Compares the count and each packet's size: ffprobe's offset is a page's.
    case sizes
    /// Compares the bytes: all packets have one size, and ffprobe joins them arbitrarily.
    case data
    /// Expects an error: the file cannot be parsed.
    case none
  }

  var name: String
  var group: String
  var mode: Mode
  /// The facts that differ from ffprobe's, with the reason.
  var differences: [String: String] = [:]
  var recipe: String

  var testDescription: String { name }

  var path: String { Self.folder + "/files/" + name }
  var bytes: [UInt8] { contents(ofFile: path) }
  /// The bytes of its packets, copied by ffmpeg.
  var data: [UInt8] { contents(ofFile: Self.folder + "/data/" + name) }
  var probe: Probe { Probe(text(ofFile: Self.folder + "/probe/" + name)) }

  /// The source files of a joined file.
  var links: [CorpusFile] {
    let names = recipe.split(separator: " ").compactMap { word in
      word.hasPrefix("out/") ? String(word.dropFirst(4)) : nil
    }
    return names.compactMap { name in Self.all.first { $0.name == name } }
  }

  private static let folder = Fixtures.repository + "/.build/corpus"

  /// All files of the corpus. Traps with the remedy if they are missing.
  static let all: [CorpusFile] = {
    let files = text(ofFile: folder + "/manifest").split(separator: "\n").map(CorpusFile.init)
    precondition(!files.isEmpty, "\(folder) is missing: run scripts/corpus, or scripts/test")
    return files
  }()

  static let readable = all.filter { $0.mode != .none }

  /// A line of the manifest: name, group, mode, differences and recipe with tabs between.
  private init(_ line: Substring) {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    name = fields[0]
    group = fields[1]
    mode = Mode(rawValue: fields[2])!
    recipe = fields[4]
    for part in fields[3].split(separator: " // ") {
      guard let colon = part.firstIndex(of: ":") else { continue }
      differences[String(part[..<colon])] = part[colon...].dropFirst(2).description
    }
  }
}

func text(ofFile path: String) -> String {
  String(decoding: contents(ofFile: path), as: UTF8.self)
}
