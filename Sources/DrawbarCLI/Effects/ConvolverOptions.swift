// SPDX-License-Identifier: MIT

import ArgumentParser
import RenderCore
import TimingReport

/// The convolver's option.
struct ConvolverOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Convolve with the impulse response in an audio file. Its channels are one for all outputs, \
      one for each, or one for each pair: LL, LR, RL, RR.
      """, valueName: "file"))
  var convolve: String?

  func validate() throws {
    guard convolve != "" else { throw ValidationError("--convolve needs the name of a file.") }
    if let convolve { try ResponseFile.localPath(convolve) }
  }

  /// Resolves a relative path against `folder`.
  mutating func resolve(in folder: String) {
    if let path = convolve?.filePath, !path.hasPrefix("/") { convolve = folder + "/" + path }
  }

  /// Reads the file; returns nil without `--convolve`.
  ///
  /// - Parameter isCancelled: asked while a pipe delivers no bytes.
  func read(
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws -> ResponseFile? {
    try convolve.map { try ResponseFile(path: $0, isCancelled: isCancelled) }
  }

  func summary(_ file: ResponseFile?) -> String? {
    guard let file else { return nil }
    let count = file.response.channels.count
    let seconds = Double(file.response.frameCount) / file.response.sampleRate
    return "convolver \(file.name) (\(count) \(count == 1 ? "channel" : "channels"), "
      + "\(NumberText.shortDecimal(seconds, digits: 3)) s, latency "
      + "\(ConvolverControl.latencyFrames) frames)"
  }

  func append(_ file: ResponseFile?, to chain: inout EffectChain) throws {
    guard let file else { return }
    let frames = file.tailFrames(sampleRate: chain.renderer.sampleRate) + 1
    let convolver: ConvolverControl
    do throws(ConvolverError) {
      // Room for a server that restarts at twice the rate.
      convolver = try chain.renderer.graph.addConvolver(
        channelCount: chain.channelCount,
        maximumFrames: min(2 * frames, ConvolverControl.maximumResponseFrames))
      try convolver.set(file.response)
    } catch {
      throw ResponseFileError(path: file.path, reason: "\(error)")
    }
    try chain.append(convolver.node)
  }
}
