// SPDX-License-Identifier: MIT

import ArgumentParser
import AudioModel
import ByteSources
import Equalizers
import JACKRemoteIO
import RenderCore

/// An equaliser file, as it was read, with the filters of the command line behind its lines.
struct EqualizerFile {
  /// The path as it was given; nil without a file.
  let path: String?
  /// The path for people, in one line.
  let name: String
  let curve: EqualizerCurve
  /// The filters of the command line.
  let filters: [EqualizerStep]

  /// The paths of the file and of those that it includes.
  let paths: [String]

  /// Reads a file, and those that it includes.
  ///
  /// - Parameters:
  ///   - path: nil for the filters alone.
  ///   - filters: the filters of the command line.
  ///   - watch: watches each file from before it is read.
  ///   - isCancelled: asked while bytes arrive, and while a pipe delivers none.
  init(
    path: String?, filters: [EqualizerStep] = [], watchedBy watch: FileWatch? = nil,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws {
    self.path = path
    self.filters = filters
    guard let location = path else {
      name = FilterArgument.source
      curve = EqualizerCurve(form: .parametric, steps: filters)
      paths = []
      return
    }
    name = location.onOneLine(atMost: 200)
    let path = try Self.localPath(location)
    let reading = Reading(watch: watch, isCancelled: isCancelled)
    let bytes = try reading.read(path)
    do throws(EqualizerError) {
      var curve = try EqualizerCurve(parsing: bytes.span, named: reading.identity(of: path)) {
        (name, includingFile) throws(EqualizerIncludeFailure) in
        do {
          let path = reading.path(of: name, besides: includingFile)
          let bytes = try reading.read(Self.localPath(path))
          return EqualizerIncludedFile(name: reading.identity(of: path), bytes: bytes)
        } catch {
          throw EqualizerIncludeFailure("\(error)")
        }
      }
      curve.steps += filters
      self.curve = curve
    } catch {
      if reading.wasCancelled { throw RemoteIOError.cancelled }
      throw EqualizerFileError(path: name, reason: .problems(error))
    }
    paths = reading.paths
  }

  /// Checks that stereo sound can pass all lines at some rate.
  ///
  /// - Throws: the lines that cannot be played.
  func checkPlayable() throws(EqualizerFileError) {
    do throws(EqualizerError) {
      _ = try curve.limited(toSampleRate: 192_000).stages(sampleRate: 192_000)
    } catch {
      throw EqualizerFileError(path: name, reason: .problems(error))
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
}

/// Reads an equaliser file and those that it includes.
private final class Reading {
  private let watch: FileWatch?
  private let isCancelled: @Sendable () -> Bool
  private(set) var paths: [String] = []
  /// The paths as they are opened, by the identity of the file.
  private var openedPaths: [String: String] = [:]
  /// Nothing more is read.
  private(set) var wasCancelled = false

  init(watch: FileWatch?, isCancelled: @escaping @Sendable () -> Bool) {
    self.watch = watch
    self.isCancelled = isCancelled
  }

  /// Returns a path without `.` and `..`, so that a file that includes itself is recognised.
  func identity(of path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else {
        parts.append(part)
      }
    }
    let identity = (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    openedPaths[identity] = path
    return identity
  }

  /// Returns the path of a name in an `Include:`, which is relative to the file that has the line. It keeps each `..`,
  /// which leads elsewhere behind a symbolic link.
  func path(of name: String, besides identity: String) -> String {
    let name = name.replacing("\\", with: "/")
    let path = openedPaths[identity] ?? identity
    guard !name.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return name }
    return path[...slash] + name
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
  enum Reason {
    case problems(EqualizerError)
    /// The filter bank refuses the sections.
    case bank(FilterBankError)
  }

  let path: String
  let reason: Reason

  /// The first problem with its line, and the number of the others.
  var description: String {
    switch reason {
    case .problems(let error):
      let others = error.problems.count - 1 + error.unlistedProblemCount
      let first = error.problems.first?.message(inFile: path) ?? path
      return others > 0 ? "\(first) (and \(others) more)" : first
    case .bank(let error): return "\(path): \(error)"
    }
  }
}
