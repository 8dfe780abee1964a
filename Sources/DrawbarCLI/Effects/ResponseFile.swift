// SPDX-License-Identifier: MIT

import ArgumentParser
import Drawbar
import JACKRemoteIO
import OfflineOutput
import PlayerEngine
import RenderCore

/// An audio file with an impulse response, decoded.
struct ResponseFile {
  /// The path as passed to the initialiser.
  let path: String
  let response: ImpulseResponse

  /// Decodes a file at its own rate.
  ///
  /// - Parameter isCancelled: asked while bytes arrive, and while a pipe delivers none.
  init(path location: String, isCancelled: @escaping @Sendable () -> Bool = { false }) throws {
    path = location
    let path = try Self.localPath(location)
    let reader = try TrackReader(opening: path.hasPrefix("/") ? path : "./" + path)
    reader.isCancelled = isCancelled
    let format = try reader.readDecodedFormat()
    let rate = max(1, min(format.sampleRate.rounded(), 1_000_000))
    let renderer = Renderer(sampleRate: rate, outputChannels: Int(format.channelsPerFrame))
    let channels = try Self.decode(reader, into: renderer, isCancelled: isCancelled)
    do throws(ConvolverError) {
      if renderer.nonFiniteSampleCount > 0 { throw .notFinite }
      response = try ImpulseResponse(channels: channels, sampleRate: rate)
    } catch {
      throw ResponseFileError(path: location, reason: "\(error)")
    }
  }

  /// The path for people, in one line.
  var name: String { path.onOneLine(atMost: 200) }

  /// Returns the number of frames for which the output continues after the end of the input.
  func tailFrames(sampleRate: Double) -> Int {
    let frames = Double(response.frameCount) * sampleRate / response.sampleRate
    return Int(frames.rounded(.up)) - 1
  }

  /// Returns the local path of a location; throws if it is a URL.
  @discardableResult
  static func localPath(_ location: String) throws -> String {
    guard let path = location.filePath else {
      throw ValidationError(
        "An impulse response is a local file, not \(location.onOneLine(atMost: 200)).")
    }
    return path
  }

  /// Plays the file to its end.
  ///
  /// - Returns: the samples of each channel.
  private static func decode(
    _ reader: sending TrackReader, into renderer: Renderer,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws -> [[Float]] {
    let name = reader.name
    var failures: [String] = []
    var report = TrackReport { failures.append($0) }
    let player = SteppedPlayer(opened: reader, items: [], renderer: renderer) { report.take($0) }
    var output = OfflineOutput(renderer: renderer)
    var channels = [[Float]](repeating: [], count: renderer.outputChannels)
    while player.step(mayWait: true) != .finished {
      if isCancelled() { throw RemoteIOError.cancelled }
      guard player.state == .playing, player.isBufferReady else { continue }
      // Renders only buffered sound, as `render` does, so that a cycle has no gap.
      let buffered = Double(player.bufferedNanoseconds) * renderer.sampleRate / 1_000_000_000
      let frames = Int(player.control.position.outputFrames)
      var cycle: [[Float]] = []
      output.render(frameCount: min(1024, max(64, Int(buffered / 2)))) { _, samples in
        cycle.append(samples.indices.map { samples[$0] })
      }
      let count = Int(player.control.position.outputFrames) - frames
      for channel in channels.indices { channels[channel] += cycle[channel].prefix(count) }
      if channels[0].count > ConvolverControl.maximumResponseFrames {
        throw ResponseFileError(
          path: name,
          reason:
            "the impulse response has more than \(ConvolverControl.maximumResponseFrames) frames")
      }
    }
    if let failure = failures.first { throw EffectError(failure) }
    return channels
  }
}

/// An impulse response that cannot be used.
struct ResponseFileError: Error, CustomStringConvertible {
  let path: String
  let reason: String

  var description: String { "\(path.onOneLine(atMost: 200)): \(reason)" }
}
