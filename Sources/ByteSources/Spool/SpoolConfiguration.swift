// SPDX-License-Identifier: MIT

import Glibc

/// The setting for keeping bytes fetched over HTTP in a file while they are played.
public enum SpoolConfiguration: Hashable, Sendable {
  /// Nothing is kept.
  case off
  /// Bytes are kept in files in this directory, which is created with mode 0700 if it does not exist. All files
  /// of this process there have at most this many bytes together; new bytes replace the oldest ones.
  case directory(path: String, maximumBytes: UInt64)

  /// The default size, which fits a player: 1 GiB.
  public static var defaultMaximumBytes: UInt64 { 1 << 30 }

  /// Returns the setting for the user's cache directory: `$XDG_CACHE_HOME/drawbar`, else `~/.cache/drawbar`
  /// (XDG Base Directory Specification 0.8); off when the environment names neither by an absolute path.
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
  /// Returns a source that spools another one, or the other one itself if nothing is kept.
  func wrap(_ source: any ByteSource) -> any ByteSource {
    switch self {
    case .off: source
    case .directory(let path, let maximumBytes):
      SpooledByteSource(source, directoryPath: path, maximumBytes: maximumBytes)
    }
  }
}

/// The state of a source's spool.
public enum SpoolState: Hashable, Sendable {
  /// There is no spool.
  case off
  /// Bytes that are read are kept, as far as the size allows.
  case active
  /// Nothing is kept any more, and the kept bytes have been removed: the file could not be created, written or
  /// read, with this `errno`. The source itself reads on.
  case stopped(errno: Int32)
}
