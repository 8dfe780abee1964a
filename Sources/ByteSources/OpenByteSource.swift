// SPDX-License-Identifier: MIT

/// Opens a location for reading.
///
/// For a file, obstacles are found at once. For a URL nothing is sent yet: the transfer runs inside
/// `ByteSource.read`, on the reader's thread, which throws its failures.
///
/// - Parameters:
///   - location: a path, a `file:` URL (RFC 8089), an `http:` or `https:` URL, with
///     `user:password@` if need be, or `-` for standard input. A file whose name looks like a URL
///     is reached as `./name`.
///   - configuration: time limits and sizes.
/// - Throws: `ByteSourceError`, for example `unsupportedScheme` or `notFound`.
public func openByteSource(
  _ location: String, configuration: ByteSourceConfiguration = ByteSourceConfiguration()
) throws(ByteSourceError) -> any ByteSource {
  switch try SourceLocation(location) {
  case .standardInput:
    try FileByteSource.standardInput()
  case .file(let path):
    try FileByteSource(path: path)
  case .web(let url):
    configuration.spool.wrap(try HTTPByteSource(url, configuration))
  }
}
