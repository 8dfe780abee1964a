// SPDX-License-Identifier: MIT

import AudioModel

/// Says what an entry's location means in a list from somewhere, and refuses what it must not mean.
struct EntryResolver {
  /// How a format writes locations.
  enum Form {
    /// M3U and PLS: paths as they are, or URLs.
    case path
    /// XSPF: URIs and relative references, with percent signs.
    case uriReference
  }

  /// What relative locations are relative to.
  private enum Base {
    /// A path that ends in a slash, or is empty.
    case folder(String)
    case web(URIReference)
    /// An `xml:base` that leads nowhere.
    case unusable(PlaylistEntryError)
  }

  /// The list came from a server: nothing in it may lead to a file.
  private let isRemote: Bool
  private var base: Base

  init(_ origin: PlaylistOrigin) {
    switch origin {
    case .file(let path):
      isRemote = false
      base = .folder(path.folder)
    case .web(let url):
      isRemote = true
      base = .web(URIReference(url))
    }
  }

  /// What a location leads to.
  func resolve(
    _ text: String, as form: Form
  ) -> Result<PlaylistTarget, PlaylistEntryError> {
    guard !text.isEmpty else { return .failure(.noLocation) }
    guard !text.utf8.contains(0) else { return .failure(.malformed) }
    if Self.isWindowsPath(text) { return .failure(.windowsPath) }
    switch base {
    case .folder(let folder):
      if Self.isURL(text) { return absolute(URIReference(text)) }
      return form == .path ? Self.file(text, in: folder) : Self.file(reference: text, in: folder)
    case .web(let url):
      let reference = URIReference(form == .path ? text.withSlashes : text)
      if reference.scheme != nil { return absolute(reference) }
      return Self.web(reference.resolved(against: url))
    case .unusable(let error):
      return Self.isURL(text) ? absolute(URIReference(text)) : .failure(error)
    }
  }

  /// For what is inside an element with this `xml:base`.
  func rebased(on text: String) -> EntryResolver {
    var result = self
    if text.isEmpty { return self }
    // The end decides what is a folder: the last name in a base is not part of what is relative to it.
    switch resolve(text, as: .uriReference) {
    case .success(.file(let path, _)): result.base = .folder(path.folder)
    case .success(.web(let url)): result.base = .web(URIReference(url))
    case .failure(let error): result.base = .unusable(error)
    }
    return result
  }

  /// Only `scheme://` and `file:/` make a URL of what stands in a list of paths, as on a command line.
  private static func isURL(_ text: String) -> Bool {
    let reference = URIReference(text)
    guard let scheme = reference.scheme else { return false }
    return reference.authority != nil || scheme == "file" && reference.path.utf8.first == 0x2F
  }

  /// `C:\…`, `C:/…`, `\\server\…`.
  private static func isWindowsPath(_ text: String) -> Bool {
    let start = Array(text.utf8.prefix(3))
    if start.starts(with: "\\\\".utf8) { return true }
    return start.count == 3 && start[0].isLetter && start[1] == UInt8(ascii: ":")
      && (start[2] == UInt8(ascii: "\\") || start[2] == UInt8(ascii: "/"))
  }

  private func absolute(
    _ reference: URIReference
  ) -> Result<PlaylistTarget, PlaylistEntryError> {
    switch reference.scheme {
    case "file" where isRemote: return .failure(.localFile)
    case "file":
      guard ["", "localhost"].contains((reference.authority ?? "").lowercased()),
        reference.path.utf8.first == UInt8(ascii: "/"), let path = reference.path.percentDecoded
      else { return .failure(.malformed) }
      if Self.isWindowsPath(String(path.dropFirst())) { return .failure(.windowsPath) }
      // A question mark or a number sign that somebody forgot to encode.
      let whole = Self.behindAuthority(reference)
      return .success(.file(path: path, alternatives: Self.others(than: path, whole)))
    case "http", "https": return Self.web(reference)
    case let scheme: return .failure(.unsupportedScheme(scheme ?? ""))
    }
  }

  private static func web(
    _ reference: URIReference
  ) -> Result<PlaylistTarget, PlaylistEntryError> {
    guard reference.hostAndPort?.isEmpty == false,
      reference.scheme == "http" || reference.scheme == "https"
    else { return .failure(.malformed) }
    let text = reference.text
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return .failure(.malformed) }
    return .success(.web(url: text))
  }

  /// A path as M3U and PLS write it: literally, unless that names nothing.
  private static func file(
    _ text: String, in folder: String
  ) -> Result<PlaylistTarget, PlaylistEntryError> {
    let path = join(folder, text)
    return .success(
      .file(
        path: path,
        alternatives: others(
          than: path, join(folder, text.withSlashes), text.percentDecoded.map { join(folder, $0) },
          text.withSlashes.percentDecoded.map { join(folder, $0) })))
  }

  /// A relative reference to a file: its path is decoded, unless that names nothing.
  private static func file(
    reference text: String, in folder: String
  ) -> Result<PlaylistTarget, PlaylistEntryError> {
    let reference = URIReference(text)
    guard reference.scheme != nil || !reference.path.isEmpty else { return .failure(.malformed) }
    // With a "scheme" that makes no URL, a colon is part of the name.
    let written = reference.scheme == nil ? reference.path : text
    guard let decoded = written.percentDecoded else { return .failure(.malformed) }
    let path = join(folder, decoded)
    return .success(
      .file(
        path: path,
        alternatives: others(
          than: path, text.percentDecoded.map { join(folder, $0) }, join(folder, text),
          join(folder, decoded.withSlashes))))
  }

  /// The path with query and fragment, decoded.
  private static func behindAuthority(_ reference: URIReference) -> String? {
    var rest = reference
    rest.scheme = nil
    rest.authority = nil
    return rest.text.percentDecoded
  }

  /// A path in a folder, that no one takes for standard input or a URL.
  private static func join(_ folder: String, _ path: String) -> String {
    let joined = path.utf8.first == UInt8(ascii: "/") ? path : folder + path
    let isPlain =
      joined.utf8.first == UInt8(ascii: "/") || joined.utf8.starts(with: "./".utf8)
      || joined != "-" && !joined.utf8.contains(UInt8(ascii: ":"))
    return isPlain ? joined : "./" + joined
  }

  private static func others(than path: String, _ paths: String?...) -> [String] {
    var result: [String] = []
    for case let other? in paths where other != path && !result.contains(other) {
      result.append(other)
    }
    return result
  }
}
