// SPDX-License-Identifier: MIT

import AudioModel

/// Resolves an entry's location against the list's origin, and refuses forbidden targets.
struct EntryResolver {
  /// A format's notation of locations.
  enum Form {
    /// M3U and PLS: literal paths, or URLs.
    case path
    /// XSPF: URIs and relative references, with percent signs.
    case uriReference
  }

  /// The base of relative locations.
  private enum Base {
    /// A path that ends in a slash, or is empty.
    case folder(String)
    case web(URIReference)
    /// An `xml:base` without a usable target.
    case unusable(PlaylistEntryError)
  }

  /// Whether the list came from a server, so that no entry may name a file.
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

  /// Returns the target of a location.
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

  /// Returns a resolver for the content of an element with this `xml:base`.
  func rebased(on text: String) -> EntryResolver {
    var result = self
    if text.isEmpty { return self }
    // Only the part up to the last slash is the folder: a base's last name is dropped.
    switch resolve(text, as: .uriReference) {
    case .success(.file(let path, _)): result.base = .folder(path.folder)
    case .success(.web(let url)): result.base = .web(URIReference(url))
    case .failure(let error): result.base = .unusable(error)
    }
    return result
  }

  /// Whether a location in a list of paths is a URL: it must begin with `scheme://` or `file:/`, as on
  /// a command line.
  private static func isURL(_ text: String) -> Bool {
    let reference = URIReference(text)
    guard let scheme = reference.scheme else { return false }
    return reference.authority != nil || scheme == "file" && reference.path.utf8.first == 0x2F
  }

  /// Whether a text is a path such as `C:\…`, `C:/…` or `\\server\…`.
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
      // The alternative covers a question mark or number sign that was not encoded.
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

  /// Returns a path of M3U or PLS: literal, with decoded alternatives.
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

  /// Returns a relative reference to a file: its decoded path, with literal alternatives.
  private static func file(
    reference text: String, in folder: String
  ) -> Result<PlaylistTarget, PlaylistEntryError> {
    let reference = URIReference(text)
    guard reference.scheme != nil || !reference.path.isEmpty else { return .failure(.malformed) }
    // Without a URL's form, a colon is part of the name.
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

  /// Returns the path with query and fragment, decoded.
  private static func behindAuthority(_ reference: URIReference) -> String? {
    var rest = reference
    rest.scheme = nil
    rest.authority = nil
    return rest.text.percentDecoded
  }

  /// Returns a path in a folder, in a form that cannot be mistaken for standard input or a URL.
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
