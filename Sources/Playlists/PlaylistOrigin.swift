// SPDX-License-Identifier: MIT

import AudioModel

/// The origin of a list. Its entries are relative to it, and it limits their targets.
public enum PlaylistOrigin: Hashable, Sendable {
  /// A file of this machine, or standard input with an empty path: entries are relative to the
  /// file's folder, and may name any file or URL.
  case file(path: String)
  /// A server: the `http:` or `https:` URL that answered, after redirects. Entries are relative to it
  /// (RFC 3986, section 5), and none may name a file of this machine.
  case web(url: String)

  /// Creates the origin from a person's input: a path, a `file:`, `http:` or `https:` URL, or `-` for
  /// standard input.
  public init(location: String) {
    let reference = URIReference(location)
    switch (reference.scheme, EntryResolver(.file(path: "")).resolve(location, as: .path)) {
    case _ where location == "-": self = .file(path: "")
    case (_, .success(.web(let url))): self = .web(url: url)
    // A malformed web URL must not gain the right to name files.
    case ("http", .failure), ("https", .failure): self = .web(url: location)
    case ("file", .success(.file(let path, _))): self = .file(path: path)
    default: self = .file(path: location)
    }
  }

  /// Returns the origin after a redirect. The user name and password are kept if the new URL has the
  /// same scheme, host and port, and only then.
  ///
  /// - Parameter url: an `http:` or `https:` URL without user name and password.
  public func redirected(to url: String) -> PlaylistOrigin {
    guard case .web(let old) = self else { return .web(url: url) }
    let before = URIReference(old)
    var after = URIReference(url)
    if before.scheme == after.scheme, let host = after.hostAndPort,
      before.hostAndPort?.lowercased() == host.lowercased()
    {
      after.authority = before.authority
    }
    return .web(url: after.text)
  }
}
