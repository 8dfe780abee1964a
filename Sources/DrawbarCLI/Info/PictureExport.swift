// SPDX-License-Identifier: MIT

import Glibc
import PacketParser

/// The export of a file's cover.
enum PictureExport {
  /// The reason why there is no picture, in one line.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// The maximum size in bytes of a picture from a pipe, which is read only once.
  static let largestFromPipe = 16 << 20

  /// Writes the front cover, or else the first picture, into a file.
  ///
  /// - Parameters:
  ///   - sheet: the result of a first pass.
  ///   - again: reads the location again, keeping pictures up to this size; nil if that is impossible and the first
  ///     pass has kept them.
  static func write(
    _ sheet: InfoSheet, to path: String, again: ((_ pictureByteLimit: Int) -> InfoSheet)?
  ) throws(Failure) {
    guard let index = sheet.summary.coverIndex, sheet.summary.pictures[index].byteCount > 0 else {
      throw Failure(description: "\(sheet.location) has no picture")
    }
    let found = sheet.summary.pictures[index]
    let pictures = again.map { $0(found.byteCount).summary.pictures } ?? sheet.summary.pictures
    guard pictures.indices.contains(index), pictures[index].bytes.count == found.byteCount else {
      throw Failure(
        description: again == nil
          ? "the picture in \(sheet.location) has \(found.byteCount) bytes, more than are kept of a"
            + " pipe; save it to a file first"
          : "\(sheet.location) has changed while it was read; try again")
    }
    try write(pictures[index].bytes, to: path)
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw failure(path) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        let error = failure(path)
        close(descriptor)
        throw error
      }
      rest = rest.dropFirst(count)
    }
    guard close(descriptor) == 0 else { throw failure(path) }
  }

  private static func failure(_ path: String) -> Failure {
    let reason = unsafe String(cString: strerror(errno))
    return Failure(
      description: "cannot write \(path): \(reason); choose another path with --picture")
  }
}
