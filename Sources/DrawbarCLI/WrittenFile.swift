// SPDX-License-Identifier: MIT

import Glibc
import PlayerEngine

/// A file that a command will write, before it is opened, which empties it.
struct WrittenFile {
  /// Its path; `-` for standard output.
  let path: String

  /// Checks that the file is none of the files that are read, under any name. Such a file would be destroyed, or would
  /// have no end if it were written after the position of its reader.
  func check(isNoneOf locations: some Sequence<String>) throws(WrittenFileFailure) {
    guard let own = path == "-" ? FileIdentity(STDOUT_FILENO) : FileIdentity(path) else { return }
    for location in locations {
      let read =
        location == "-"
        ? FileIdentity(STDIN_FILENO) : location.filePath.flatMap { FileIdentity($0) }
      if read == own {
        throw WrittenFileFailure(
          path: path, reason: "it is one of the files that are read; choose another path")
      }
    }
  }

  /// Checks that no file would be replaced.
  ///
  /// - Parameter replacesExisting: whether a file that exists may be replaced.
  func check(replacesExisting: Bool) throws(WrittenFileFailure) {
    var status = stat()
    guard path != "-", !replacesExisting, unsafe stat(path, &status) == 0 else { return }
    // Devices and pipes are not replaced; an empty file, as of mktemp(1), has nothing to lose.
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return }
    throw WrittenFileFailure(
      path: path, reason: "the file exists; add --force to replace it, or choose another path")
  }
}

extension TrackQueue {
  /// Checks that a file to be written is none of these tracks, nor a list that contains them.
  func check(writing path: String) throws(WrittenFileFailure) {
    try WrittenFile(path: path).check(
      isNoneOf: locations + [firstItem.location] + rest.map(\.location))
  }
}

/// The reason why a file is not written.
struct WrittenFileFailure: Error, CustomStringConvertible {
  var path: String
  var reason: String

  var description: String {
    "cannot write \(path == "-" ? StandardOutput.name : path): \(reason)"
  }
}

/// A regular file, under any name.
private enum FileIdentity: Equatable {
  case file(device: dev_t, number: ino_t)
  /// A file that does not exist yet: an input opened under its name later would be the output.
  case missing(name: Substring, device: dev_t, folder: ino_t)

  init?(_ descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  init?(_ path: String) {
    var status = stat()
    if unsafe stat(path, &status) == 0 {
      self.init(status)
      return
    }
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { path[...$0] } ?? "."
    guard errno == ENOENT, unsafe stat(String(folder), &status) == 0 else { return nil }
    let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
    self = .missing(name: name, device: status.st_dev, folder: status.st_ino)
  }

  private init?(_ status: stat) {
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    self = .file(device: status.st_dev, number: status.st_ino)
  }
}
