// SPDX-License-Identifier: MIT

import JACKRemoteIO
import RenderCore
import TestKit
import Testing

@testable import PushQueue

/// The server's process thread, both queues' threads and two of the caller's run together.
@Suite("An output queue and an input queue of one JACK client", .serialized)
struct QueueLoopTests {
  @Test("One records what the other plays, to the sample, while another thread uses both")
  func loop() throws {
    for _ in 0..<8 {
      let recorded = try JACKServer.with(.waiting()) { server in
        let loop = try QueueLoop(server)
        defer { loop.close() }
        return try loop.record(frames: 24_000)
      }
      guard let recorded else { continue }
      let sound = recorded.drop { $0 == 0 }
      #expect(sound.count >= 24_000)
      let breaks = sound.indices.filter { index in
        sound[index] != SteppedQueue.ramp(index - sound.startIndex)
      }
      #expect(breaks.isEmpty, "first at \(breaks.first ?? -1)")
      return
    }
    Issue.record("no run in which no cycle was lost")
  }
}

/// A client whose output is connected to its own input, with a queue at each.
private final class QueueLoop: Sendable {
  private static let framesPerBuffer = 960

  private let unit: RemoteIO
  private let renderer: Renderer
  private let player: AudioQueue
  private let recorder: AudioInputQueue
  private let recorded: POSIXMutex<[UInt8]>
  private let isPoked = POSIXMutex(true)

  init(_ server: JACKServer) throws {
    unit = try RemoteIO(
      .init(
        clientName: "loop", serverName: JACKServer.name, outputPortNames: ["out"],
        connection: .none, inputPortNames: ["in"], inputConnection: .none))
    renderer = Renderer(sampleRate: unit.sampleRate, outputChannels: 1, inputChannels: 1)
    let format = InputBench.format(channels: 1)
    let next = POSIXMutex(0)
    player = try AudioQueue(playing: format, into: renderer) { queue, buffer in
      let start = next.withLock { next in
        defer { next += Self.framesPerBuffer }
        return next
      }
      SteppedQueue.fill(buffer, ramp: start..<start + Self.framesPerBuffer, channels: 1)
      try? queue.enqueue(buffer)
    }
    let recorded = POSIXMutex<[UInt8]>([])
    self.recorded = recorded
    recorder = try AudioInputQueue(recording: format, from: renderer) { queue, buffer, _ in
      recorded.withLock { unsafe $0.append(contentsOf: buffer.bytes[..<buffer.byteCount]) }
      try? queue.enqueue(buffer)
    }
    for start in 0..<4 {
      let frames = start * Self.framesPerBuffer..<(start + 1) * Self.framesPerBuffer
      let buffer = try player.allocateBuffer(byteCapacity: 4 * Self.framesPerBuffer)
      SteppedQueue.fill(buffer, ramp: frames, channels: 1)
      try player.enqueue(buffer)
      try recorder.enqueue(recorder.allocateBuffer(byteCapacity: 4 * Self.framesPerBuffer))
    }
    next.withLock { $0 = 4 * Self.framesPerBuffer }
    try unit.start(rendering: renderer.context)
    _ = try server.run(["jack_connect", "loop:out", "loop:in"])
  }

  /// - Returns: nil if the server has lost a cycle, or a queue was too slow for it.
  func record(frames: Int) throws -> [Float]? {
    let isDone = OneTimeEvent()
    Task.detached { [self] in
      while isPoked.withLock({ $0 }) { poke() }
      isDone.signal()
    }
    defer {
      isPoked.withLock { $0 = false }
      isDone.wait()
    }
    try recorder.start()
    #expect(eventually { self.recorder.isRunning })
    try player.start()
    let isThere = eventually {
      self.recorded.withLock { $0.count } / 4 > frames + Int(self.unit.sampleRate)
    }
    #expect(isThere)
    try player.stop(immediately: true)
    try recorder.stop(immediately: true)
    let loss = recorder.counters.loss
    guard unit.missedCycleCount == 0, player.underrunCount == 0,
      loss.missedFrames + loss.overrunFrames + loss.underrunFrames == 0
    else { return nil }
    // The last frames are faded out.
    return Array(InputBench.floats(recorded.withLock { $0 }).drop { $0 == 0 }.prefix(frames))
  }

  /// Makes the calls that a user interface makes all the time.
  private func poke() {
    _ = try? player.currentTime()
    _ = player.currentLevels()
    _ = player.deviceCurrentTime()
    try? player.set(.volume, to: 1)
    _ = player.isRunning
    _ = recorder.isRunning
    _ = recorder.counters
    _ = unit.playbackLatency
    _ = unit.takeNotices()
  }

  func close() {
    try? player.dispose(immediately: true)
    try? recorder.dispose(immediately: true)
    unit.close()
  }
}
