// SPDX-License-Identifier: MIT

import Glibc

/// Whether what is fetched over HTTP is kept in a file while it is played, and where.
public enum SpoolConfiguration: Hashable, Sendable {
  /// Nothing is kept.
  case off
  /// Kept in files in this directory, which is made with mode 0700 where there is none. All that this
  /// process has there at one time is at most so many bytes; what was fetched longest ago is given up
  /// for what comes.
  case directory(path: String, maximumBytes: UInt64)

  /// The size that fits a player: 1 GiB.
  public static var defaultMaximumBytes: UInt64 { 1 << 30 }

  /// In the user's cache directory: `$XDG_CACHE_HOME/drawbar`, else `~/.cache/drawbar` (XDG Base
  /// Directory Specification 0.8); off when the environment names neither by an absolute path.
  ///
  /// - Parameter maximumBytes: as in ``directory(path:maximumBytes:)``.
  public static func inCacheDirectory(
    maximumBytes: UInt64 = defaultMaximumBytes
  ) -> SpoolConfiguration {
    func absolutePath(_ variable: String) -> String? {
      guard let value = unsafe getenv(variable) else { return nil }
      let path = unsafe String(cString: value)
      return path.hasPrefix("/") ? path : nil
    }
    let caches = absolutePath("XDG_CACHE_HOME") ?? absolutePath("HOME").map { "\($0)/.cache" }
    guard let caches else { return .off }
    return .directory(path: "\(caches)/drawbar", maximumBytes: maximumBytes)
  }
}

extension SpoolConfiguration {
  /// A source that keeps what is read from another one, if it is to be kept.
  func wrap(_ source: any ByteSource) -> any ByteSource {
    switch self {
    case .off: source
    case .directory(let path, let maximumBytes):
      SpooledByteSource(source, directoryPath: path, maximumBytes: maximumBytes)
    }
  }
}

/// What has become of a source's spool.
public enum SpoolState: Hashable, Sendable {
  /// There is none.
  case off
  /// What is read is kept, as far as the size allows.
  case active
  /// Nothing is kept any more, and what was has been removed: the file could not be made, written or
  /// read, with this `errno`. The source itself reads on.
  case stopped(errno: Int32)
}
