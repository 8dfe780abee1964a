// SPDX-License-Identifier: MIT

import OfflineOutput
import PlayerEngine
import RenderCore
import TestKit

/// A player of files whose samples are numbers, on an output with a transport that, like JACK's, waits for the player.
final class TransportedPlayback {
  static let rate = 48000
  static let period = 256

  let renderer: Renderer
  let player: SteppedPlayer
  private(set) var events: [PlayerEvent] = []
  private var output: OfflineOutput

  init(_ items: [PlaylistItem], rate: Int = TransportedPlayback.rate) {
    renderer = Renderer(sampleRate: Double(rate), outputChannels: 1)
    output = OfflineOutput(renderer: renderer)
    output.transport = RenderTransport(frame: 0, isRolling: false)
    var configuration = PlayerConfiguration()
    configuration.followsTransport = true
    var tell: (PlayerEvent) -> Void = { _ in }
    player = SteppedPlayer(
      items: items, renderer: renderer, configuration: configuration, tell: { tell($0) })
    tell = { [unowned self] in events.append($0) }
  }

  convenience init(_ paths: [String]) {
    self.init(paths.map { PlaylistItem(location: $0) })
  }

  /// Makes a file of one channel in which each sample is its number, counted from a first one.
  static func makeNumbers(
    _ name: String, in directory: TemporaryDirectory, from first: Int = 0, count: Int,
    rate: Int = TransportedPlayback.rate
  ) throws -> String {
    let path = directory.file(name)
    var writer = try WaveFileWriter(path: path, sampleRate: rate, channels: 1)
    let samples = (0..<count).map { Float(first + $0 + 1) / Float(1 << 23) }
    try writer.write(interleaved: samples.span)
    try writer.close()
    return path
  }

  var frame: Int { Int(output.transport.frame) }

  /// Renders one cycle and returns its samples: 0 for silence, and n + 1 for the number n.
  @discardableResult
  func cycle(_ frameCount: Int = period) -> [Int] {
    var samples: [Float] = []
    output.render(frameCount: frameCount, interleavedInto: &samples)
    _ = player.step(mayWait: false)
    return samples.map { Int(($0 * Float(1 << 23)).rounded()) }
  }

  /// Renders frames while the transport rolls.
  func play(_ frameCount: Int) -> [Int] {
    var result: [Int] = []
    while result.count < frameCount {
      result += cycle(min(Self.period, frameCount - result.count))
    }
    return result
  }

  /// Moves the stopped transport to a frame, and waits until the player is ready there.
  ///
  /// - Returns: false if that took too long, or sound played meanwhile.
  func locate(_ frame: Int) -> Bool {
    output.transport = RenderTransport(frame: Int64(frame), isRolling: false)
    var isSilent = true
    for _ in 0..<2000 {
      if cycle().contains(where: { $0 != 0 }) { isSilent = false }
      if isReady { return isSilent }
    }
    return false
  }

  /// Moves the rolling transport to a frame without waiting for a client.
  func jump(to frame: Int) {
    output.transport = RenderTransport(frame: Int64(frame), isRolling: true)
  }

  func roll() {
    output.transport.isRolling = true
  }

  func stop() {
    output.transport.isRolling = false
  }

  var isReady: Bool { renderer.context.isReady(forTransportFrame: output.transport.frame) }
}
