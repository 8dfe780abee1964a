// SPDX-License-Identifier: MIT

import AudioModel

/// Where a list came from: what its entries are relative to, and what they may name.
public enum PlaylistOrigin: Hashable, Sendable {
  /// A file of this machine, or standard input with an empty path: entries are relative to the
  /// file's folder, and may lead anywhere.
  case file(path: String)
  /// A server: the `http:` or `https:` URL that answered, after redirects. Entries are relative to it
  /// (RFC 3986, section 5), and none may lead to a file of this machine.
  case web(url: String)

  /// The origin that a person's word for it means: a path, a `file:`, `http:` or `https:` URL, or `-`
  /// for standard input.
  public init(location: String) {
    let reference = URIReference(location)
    switch (reference.scheme, EntryResolver(.file(path: "")).resolve(location, as: .path)) {
    case _ where location == "-": self = .file(path: "")
    case (_, .success(.web(let url))): self = .web(url: url)
    // What looks like the web's and is no URL gets no right to name files.
    case ("http", .failure), ("https", .failure): self = .web(url: location)
    case ("file", .success(.file(let path, _))): self = .file(path: path)
    default: self = .file(path: location)
    }
  }

  /// The origin when the server sent the reader on to another URL. The user name and password go
  /// along where that is of the same scheme, host and port, and nowhere else.
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
