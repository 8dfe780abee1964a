// SPDX-License-Identifier: MIT

public import ByteSources
import OfflineOutput
public import PlayerEngine
public import RenderCore

/// A player, a renderer and a hand-cranked output in one thread; it records all output.
public final class OfflinePlayback {
  /// Everything rendered, channel by channel, silence included.
  public private(set) var samples: [[Float]]
  /// Whether each frame of `samples` was sound; false for silence for lack of data.
  public private(set) var soundingFrames: [Bool] = []
  /// The events that the player reported.
  public private(set) var events: [PlayerEvent] = []
  /// The player.
  public private(set) var player: SteppedPlayer!
  /// The renderer.
  public let renderer: Renderer
  private var output: OfflineOutput

  /// A player at its first track.
  ///
  /// - Parameter opened: the first track, if it is open already; `locations` are then the tracks after it.
  public init(
    opened: TrackReader? = nil, _ locations: [String], rate: Double, channels: Int,
    configuration: PlayerConfiguration = PlayerConfiguration(),
    sources: ByteSourceConfiguration = ByteSourceConfiguration()
  ) {
    renderer = Renderer(sampleRate: rate, outputChannels: channels)
    output = OfflineOutput(renderer: renderer)
    samples = Array(repeating: [], count: channels)
    player = SteppedPlayer(
      opened: opened, locations: locations, renderer: renderer, configuration: configuration,
      sources: sources
    ) { [unowned self] event in events.append(event) }
  }

  /// Renders one cycle.
  public func crank(_ frames: Int) {
    let before = player.control.position.outputFrames
    output.render(frameCount: frames) { channel, span in
      for index in span.indices { samples[channel].append(span[index]) }
    }
    let sounding = Int(player.control.position.outputFrames - before)
    soundingFrames.append(contentsOf: repeatElement(true, count: sounding))
    soundingFrames.append(contentsOf: repeatElement(false, count: frames - sounding))
  }

  /// Steps the player and renders until it has ended.
  ///
  /// - Parameters:
  ///   - period: frames of each cycle.
  ///   - waits: whether a cycle waits until the ring is well filled, as rendering to a file does.
  ///     Without, underruns happen where the source is slow.
  ///   - frames: rendering also ends after this many frames.
  public func run(period: Int, waits: Bool = true, frames: Int = .max) {
    while samples[0].count < frames, player.step(mayWait: waits) != .finished {
      if waits && !(player.state == .playing && player.isBufferReady) { continue }
      crank(period)
    }
  }

  /// The frames that were sound, without the silence between them.
  public var sound: [[Float]] {
    samples.map { channel in
      zip(channel, soundingFrames).compactMap { $1 ? $0 : nil }
    }
  }

  /// The states that the player went through.
  public var states: [PlayerState] {
    events.compactMap { if case .state(let state) = $0 { state } else { nil } }
  }
}
