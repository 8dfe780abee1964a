// SPDX-License-Identifier: MIT

import ArgumentParser
import AudioModel
import ByteSources
import Equalizers
import JACKRemoteIO
import RenderCore

/// The contents of an equaliser file, followed by the filters of the command line.
struct EqualizerFile {
  /// The path as passed to the initialiser; nil without a file.
  let path: String?
  /// The path for people, in one line.
  let name: String
  let curve: EqualizerCurve
  /// The filters of the command line.
  let filters: [EqualizerStep]

  /// The paths of the file, of those that it includes, and of impulse responses.
  let paths: [String]
  /// The impulse response of each `Convolution:` line, or the reason why there is none.
  private let responses: [ResponseName: Result<ImpulseResponse, ResponseFailure>]

  /// Reads a file, those that it includes, and impulse responses.
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
      responses = [:]
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
    responses = try reading.responses(of: curve, in: path)
    paths = reading.paths
  }

  /// Returns the impulse response of a line.
  ///
  /// - Throws: the reason why there is none.
  func response(
    of convolution: EqualizerStage.Convolution
  ) throws(EqualizerFileError) -> ImpulseResponse {
    switch responses[ResponseName(name: convolution.name, file: convolution.file)] {
    case .success(let response): return response
    case .failure(let failure):
      let problem = EqualizerProblem(
        .responseFailed(name: convolution.name, reason: failure.reason), file: convolution.file,
        line: convolution.line)
      throw EqualizerFileError(path: name, reason: .problems(EqualizerError([problem])))
    case nil: preconditionFailure("a line of another file")
    }
  }

  /// Returns true if another file has the same curve and impulse responses.
  func hasSameSound(as other: EqualizerFile) -> Bool {
    curve == other.curve && responses == other.responses
  }

  /// Checks that all lines can be played in stereo at 192 kHz.
  ///
  /// - Throws: the lines that cannot be played.
  func checkPlayable() throws(EqualizerFileError) {
    _ = try stages(of: curve.limited(toSampleRate: 192_000), sampleRate: 192_000, layout: .stereo)
  }

  /// Returns the stages of a curve with lines of this file; throws if an impulse response is missing.
  func stages(
    of curve: EqualizerCurve, sampleRate: Double, layout: EqualizerLayout
  ) throws(EqualizerFileError) -> [EqualizerStage] {
    let stages: [EqualizerStage]
    do throws(EqualizerError) {
      stages = try curve.stages(sampleRate: sampleRate, layout: layout)
    } catch {
      throw EqualizerFileError(path: name, reason: .problems(error))
    }
    for convolution in stages.flatMap(\.convolutions) { _ = try response(of: convolution) }
    return stages
  }

  /// Returns the local path of a location; throws if it is a URL.
  @discardableResult
  static func localPath(_ location: String) throws -> String {
    guard let path = location.filePath else {
      throw ValidationError(
        "An equaliser file is a local file, not \(location.onOneLine(atMost: 200)).")
    }
    return path
  }
}

/// The name of an impulse response, and the included file that names it; nil for the main file.
private struct ResponseName: Hashable {
  let name: String
  let file: String?
}

/// An impulse response that could not be read.
private struct ResponseFailure: Error, Equatable {
  let reason: String
}

/// A pass over an equaliser file, the files that it includes, and impulse responses.
private final class Reading {
  private let watch: FileWatch?
  private let isCancelled: @Sendable () -> Bool
  private(set) var paths: [String] = []
  /// The paths to open, by file identity.
  private var openedPaths: [String: String] = [:]
  /// Whether reading was cancelled; no further file is read then.
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

  /// Returns the path of a file named in a line, relative to the file with the line. Keeps each `..`, which leads
  /// elsewhere after a symbolic link.
  func path(of name: String, besides identity: String) -> String {
    let name = name.replacing("\\", with: "/")
    let path = openedPaths[identity] ?? identity
    guard !name.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return name }
    return path[...slash] + name
  }

  /// Decodes the files of a curve's `Convolution:` lines, up to the maximum of a curve.
  ///
  /// - Parameter path: the path of the file that contains the curve.
  func responses(
    of curve: EqualizerCurve, in path: String
  ) throws -> [ResponseName: Result<ImpulseResponse, ResponseFailure>] {
    var responses: [ResponseName: Result<ImpulseResponse, ResponseFailure>] = [:]
    for step in curve.steps {
      guard case .convolution(let name) = step.operation else { continue }
      let key = ResponseName(name: name, file: step.file)
      guard responses[key] == nil else { continue }
      guard responses.count < EqualizerStage.maximumConvolutions else {
        responses[key] = .failure(ResponseFailure(reason: "too many files"))
        continue
      }
      let path = self.path(of: name, besides: step.file ?? identity(of: path))
      paths.append(path)
      watch?.add(path)
      do {
        responses[key] = .success(try ResponseFile(path: path, isCancelled: isCancelled).response)
      } catch RemoteIOError.cancelled {
        throw RemoteIOError.cancelled
      } catch {
        responses[key] = .failure(ResponseFailure(reason: "\(error)"))
      }
    }
    return responses
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
    // Reads beyond the limit, so that the parser can report a file that is too large.
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
    /// A graphic curve or an impulse response cannot be convolved with.
    case convolver(ConvolverError)
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
    case .convolver(let error): return "\(path): \(error)"
    }
  }
}
