// SPDX-License-Identifier: MIT

import ArgumentParser
import AudioModel
import ByteSources
import Equalizers
import JACKRemoteIO

/// An equaliser file, as it was read.
struct EqualizerFile {
  /// The path as it was given.
  let path: String
  /// The path for people, in one line.
  let name: String
  let curve: EqualizerCurve

  /// The paths of the file and of those that it includes.
  let paths: [String]

  /// Reads a file, and those that it includes.
  ///
  /// - Parameters:
  ///   - watch: watches each file from before it is read.
  ///   - isCancelled: asked while bytes arrive, and while a pipe delivers none.
  init(
    path: String, watchedBy watch: FileWatch? = nil,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws {
    self.path = path
    name = path.onOneLine(atMost: 200)
    let path = try Self.localPath(path)
    let reading = Reading(watch: watch, isCancelled: isCancelled)
    let bytes = try reading.read(path)
    do throws(EqualizerError) {
      curve = try EqualizerCurve(parsing: bytes.span, named: Self.folded(path)) {
        (name, includingFile) throws(EqualizerIncludeFailure) in
        let path = Self.path(of: name, besides: includingFile.isEmpty ? path : includingFile)
        do {
          return EqualizerIncludedFile(
            name: path, bytes: try reading.read(Self.localPath(path)))
        } catch {
          throw EqualizerIncludeFailure("\(error)")
        }
      }
    } catch {
      if reading.wasCancelled { throw RemoteIOError.cancelled }
      throw EqualizerFileError(path: name, error: error)
    }
    paths = reading.paths
  }

  /// Checks that stereo sound can pass all lines at some rate.
  ///
  /// - Throws: the lines that cannot be played.
  func checkPlayable() throws(EqualizerFileError) {
    do throws(EqualizerError) {
      _ = try curve.limited(toSampleRate: 192_000).sections(sampleRate: 192_000)
    } catch {
      throw EqualizerFileError(path: name, error: error)
    }
  }

  /// The path that a location means. Equaliser files are local.
  @discardableResult
  static func localPath(_ location: String) throws -> String {
    guard let path = location.filePath else {
      throw ValidationError(
        "An equaliser file is a local file, not \(location.onOneLine(atMost: 200)).")
    }
    return path
  }

  /// A name in an `Include:` is relative to the file that has it.
  private static func path(of name: String, besides file: String) -> String {
    let name = name.replacing("\\", with: "/")
    guard !name.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return folded(name) }
    return folded(String(file[...slash]) + name)
  }

  /// A path without `.` and `..`, so that a file that includes itself is recognised.
  private static func folded(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else {
        parts.append(part)
      }
    }
    return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }
}

/// Reads an equaliser file and those that it includes.
private final class Reading {
  private let watch: FileWatch?
  private let isCancelled: @Sendable () -> Bool
  private(set) var paths: [String] = []
  /// Nothing more is read.
  private(set) var wasCancelled = false

  init(watch: FileWatch?, isCancelled: @escaping @Sendable () -> Bool) {
    self.watch = watch
    self.isCancelled = isCancelled
  }

  func read(_ path: String) throws -> [UInt8] {
    if wasCancelled { throw RemoteIOError.cancelled }
    paths.append(path)
    watch?.add(path)
    let source = try openByteSource(path.hasPrefix("/") ? path : "./" + path)
    defer { source.close() }
    let limit = EqualizerCurve.Limits().bytes
    var bytes: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { unsafe buffer.deallocate() }
    // A file beyond the limit is read until the parser can report it.
    while bytes.count <= limit {
      switch try unsafe source.read(into: buffer, timeoutNanoseconds: 100_000_000) {
      case .bytes(let count): unsafe bytes.append(contentsOf: buffer[..<count])
      case .wait, .discontinuity: break
      case .end: return bytes
      }
      if isCancelled() {
        wasCancelled = true
        throw RemoteIOError.cancelled
      }
    }
    return bytes
  }
}

/// An equaliser file that cannot be used.
struct EqualizerFileError: Error, CustomStringConvertible {
  let path: String
  let error: EqualizerError

  /// The first problem with its line, and the number of the others.
  var description: String {
    let others = error.problems.count - 1 + error.unlistedProblemCount
    let first = error.problems.first?.message(inFile: path) ?? path
    return others > 0 ? "\(first) (and \(others) more)" : first
  }
}
