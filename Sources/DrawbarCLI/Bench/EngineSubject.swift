// SPDX-License-Identifier: MIT

import Drawbar
import Glibc
import JACKRemoteIO
import PlayerEngine
import RenderCore
import TimingReport

/// A client with Drawbar's own callback: players that repeat a file, or silence.
@safe
final class EngineSubject: MeasuredClient {
  private let output: RemoteIO
  private let renderer: Renderer
  private var players: [Player] = []
  private var recorder: TimingRecorder?
  /// The context of the computing callback; lives as long as the output.
  private let burden = UnsafeMutablePointer<Burden>.allocate(capacity: 1)

  struct Burden {
    var share: Double
    var sampleRate: Double
  }

  /// - Parameter decoderThread: the thread that decodes the input; nil for the automatic choice.
  init(
    server: String, input: String?, streams: Int, decoderThread: DecoderThread?, busyShare: Double?
  ) throws {
    output = try RemoteIO(
      RemoteIO.Configuration(
        clientName: "drawbar-bench", serverName: server, connection: .automatic,
        setsMetadata: false, reattaches: false))
    renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
    unsafe burden.initialize(
      to: Burden(share: busyShare ?? 0, sampleRate: output.sampleRate))
    if busyShare != nil { unsafe renderer.addCallback(computeForShare, context: burden) }
    if let input {
      var configuration = PlayerConfiguration()
      configuration.decoderThread = decoderThread
      for _ in 0..<streams {
        let player = Player(playing: [input], into: renderer, configuration: configuration)
        player.setRepeat(.one)
        // All streams together are as loud as one.
        player.volume = 1 / Float(streams)
        players.append(player)
      }
    }
    try output.start(rendering: renderer)
    for player in players { player.start() }
  }

  func isReady() throws -> Bool {
    if output.isServerShutDown { throw BenchFailure("the JACK server has ended") }
    let states = players.map { $0.snapshot() }
    if states.contains(where: { $0.state == .failed }) {
      throw BenchFailure("the input cannot be played")
    }
    return states.allSatisfy { $0.counters.packets > 0 }
  }

  func begin() {
    recorder = TimingRecorder(
      output.cycleLog, sampleRate: output.sampleRate, warmUpNanoseconds: 0,
      threadUsage: { [output] in output.processThreadUsage },
      nodeName: { [renderer] in renderer.graph.nodeName(of: $0) })
  }

  func take() {
    recorder?.take(pausedNanoseconds: UInt64(CycleReading.intervalMicroseconds) * 1000)
  }

  func finish() -> TimingRun {
    let scheduling = output.scheduling?.text
    guard var recorder else { preconditionFailure("measured before it began") }
    var run = recorder.finish(subject: "drawbar", input: "", streams: players.count)
    run.scheduling = scheduling
    run.decoding = players.first?.snapshot().decoder?.words
    return run
  }

  func close() {
    output.close(withinMilliseconds: 500)
    players = []
  }

  deinit { unsafe burden.deallocate() }
}

/// Keeps the processor busy for the configured share of each period.
private func computeForShare(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let burden = unsafe context?.assumingMemoryBound(to: EngineSubject.Burden.self).pointee
  else { return -1 }
  var start = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC_RAW, &start)
  let nanoseconds = unsafe Int(
    Double(call.pointee.frameCount) * 1_000_000_000 / burden.sampleRate * burden.share)
  var now = start
  while (now.tv_sec - start.tv_sec) * 1_000_000_000 + now.tv_nsec - start.tv_nsec < nanoseconds {
    unsafe clock_gettime(CLOCK_MONOTONIC_RAW, &now)
  }
  return 0
}
