// SPDX-License-Identifier: MIT

import AudioModel
import JACKRemoteIO
import RenderCore
import TestKit
import Testing

@testable import PushQueue

/// A sound, its buffers, and the length of its recording.
struct PushedSound: Sendable, CustomTestStringConvertible {
  let file: String
  /// The length of one buffer.
  let seconds: Double
  let recordedSeconds: Int

  var testDescription: String { "\(file), buffers of \(seconds) s" }
}

/// A real server, and another program that records.
@Suite("An AudioQueue's sound in JACK", .serialized)
struct JACKQueueTests {
  @Test(
    "The recording equals the decode of the enqueued packets, with 1, 2, 3 and 16 buffers",
    arguments: [
      PushedSound(file: "wav-s16-44100-2.wav", seconds: 0.02, recordedSeconds: 4),
      PushedSound(file: "mp3-vbr2-44100-2.mp3", seconds: 0.3, recordedSeconds: 7),
      // Sixteen of these buffers are in flight at once; the recording is of the first three.
      PushedSound(file: "mp3-vbr2-44100-2.mp3", seconds: 5, recordedSeconds: 13),
    ])
  func buffers(_ sound: PushedSound) throws {
    var file = try QueuedFile(sound.file)
    let once = file.packets
    let seconds = max(Double(sound.recordedSeconds) + 2, 17 * sound.seconds)
    let framesPerPacket = Double(file.stream.format.framesPerPacket)
    let wanted = Int(seconds * 44_100 / framesPerPacket)
    while file.packets.count < wanted { file.packets += once }
    var heard = file
    heard.packets.removeLast(
      file.packets.count
        - min(file.packets.count, Int(Double(sound.recordedSeconds) * 44_100 / framesPerPacket)))
    let expected = try heard.decoded()
    let packetsPerBuffer = Int((sound.seconds * 44_100 / framesPerPacket).rounded(.up))

    // The server waits for its clients; otherwise a busy machine leaves gaps in the recording.
    let options = JACKServer.Options.waiting(sampleRate: 44_100, period: 1024)
    for _ in 0..<8 {
      let results = try JACKServer.with(options) { server in
        try record(sound, file, packetsPerBuffer: packetsPerBuffer, expected, server)
      }
      guard let results else { continue }
      for (count, result) in results {
        print(
          "buffers of \(sound.seconds) s, \(count) on their way: \(result.frames) frames recorded, "
            + "\(result.differences) samples differ")
        #expect(result.isExact)
      }
      return
    }
    Issue.record("no run without a missed cycle")
  }

  /// Plays the sound with four queues at once, each with ports of its own.
  ///
  /// - Returns: nil if the sound is not exact, and cycles were missed or a queue ran dry.
  private func record(
    _ sound: PushedSound, _ file: QueuedFile, packetsPerBuffer: Int, _ expected: [Float],
    _ server: JACKServer
  ) throws -> [(Int, RecordedSound)]? {
    let counts = [1, 2, 3, 16]
    var players: [JACKQueue] = []
    var fills: [@Sendable (AudioQueue) throws -> Void] = []
    defer { for player in players { player.close() } }
    for count in counts {
      let next = POSIXMutex(0)
      let enqueueNext: @Sendable (AudioQueue) throws -> Void = { queue in
        let range = next.withLock { next in
          let range = next..<min(file.packets.count, next + packetsPerBuffer)
          next = range.upperBound
          return range
        }
        if !range.isEmpty { try queue.enqueue(try file.buffer(range, of: queue)) }
      }
      fills.append(enqueueNext)
      players.append(
        try JACKQueue("queue\(count)", playing: file.stream.format) { queue, buffer in
          try? queue.free(buffer)
          try? enqueueNext(queue)
        })
    }
    guard
      let capture = server.startConnectedCapture(
        of: players.flatMap(\.portNames), seconds: sound.recordedSeconds)
    else { return nil }
    let missed = players.map(\.output.missedCycleCount)
    for (index, player) in players.enumerated() {
      for _ in 0..<counts[index] { try fills[index](player.queue) }
    }
    for player in players { try player.queue.start() }
    let wave = try capture.finish()
    let frames = (sound.recordedSeconds - 3) * 44_100
    let results = counts.indices.map { index in
      let channels = Array(wave.channels[2 * index..<2 * index + 2])
      return (counts[index], RecordedSound(channels, of: expected, atLeast: frames))
    }
    let missedSince = zip(players, missed).map { $0.output.missedCycleCount - $1 }
    let underruns = players.map(\.queue.underrunCount)
    // A missed cycle may be inaudible.
    if results.allSatisfy(\.1.isExact) || (missedSince + underruns).allSatisfy({ $0 == 0 }) {
      return results
    }
    print("missed cycles: \(missedSince), underruns: \(underruns)")
    return nil
  }

  @Test("A buffer that is late by design is one gap, one discontinuity and one underrun")
  func late() throws {
    for _ in 0..<8 {
      let wave = try JACKServer.with(.waiting()) { try recordLate($0) }
      guard let wave else { continue }
      let left = wave.channels[0]
      let first = try #require(left.firstIndex { $0 != 0 })
      let last = try #require(left.lastIndex { $0 != 0 })
      let silent = (first...last).filter { left[$0] == 0 }
      let gap = try #require(silent.first)..<(try #require(silent.last) + 1)
      print("silent from frame \(gap.lowerBound - first) on, for \(gap.count) frames")
      #expect(silent == Array(gap), "one gap")
      #expect(gap.lowerBound - first == 24_000 && last + 1 - gap.upperBound == 24_000)
      let sound = left[first...last].filter { $0 != 0 }
      #expect(sound == (0..<48_000).map { SteppedQueue.ramp($0) })
      return
    }
    Issue.record("no run without a missed cycle")
  }

  /// Plays half a second, waits until a tenth of a second of silence has passed, and plays another half.
  private func recordLate(_ server: JACKServer) throws -> FloatWave? {
    let player = try JACKQueue("late", playing: SteppedQueue.stereo) { _, _ in }
    defer { player.close() }
    let queue = player.queue
    let isDone = OneTimeEvent()
    queue.addPropertyListener(.isRunning) { queue, _ in
      if !queue.isRunning { isDone.signal() }
    }
    guard let capture = server.startConnectedCapture(of: player.portNames, seconds: 4) else {
      return nil
    }
    let missed = player.output.missedCycleCount
    func enqueue(_ frames: Range<Int>) throws {
      let buffer = try queue.allocateBuffer(byteCapacity: frames.count * 8)
      SteppedQueue.fill(buffer, ramp: frames)
      try queue.enqueue(buffer)
    }
    let timeline = queue.makeTimeline()
    try enqueue(0..<24_000)
    try queue.start()
    func wait(until frame: Double) -> Bool {
      eventually { ((try? queue.currentTime().sampleTime) ?? 0) >= frame }
    }
    #expect(wait(until: 1000))
    let isEarly = try queue.currentTime(on: timeline).isDiscontinuous
    #expect(wait(until: 28_800))
    let time = try queue.currentTime().sampleTime
    try enqueue(24_000..<48_000)
    #expect(wait(until: time + 4800))
    let flags = try (0..<3).map { _ in try queue.currentTime(on: timeline).isDiscontinuous }
    try queue.stop(immediately: false)
    let wave = try capture.finish()
    #expect(isDone.wait(seconds: 10))
    guard player.output.missedCycleCount == missed else { return nil }
    print("discontinuous: \(isEarly), then \(flags); underruns: \(queue.underrunCount)")
    #expect(!isEarly && flags == [true, false, false] && queue.underrunCount == 1)
    return wave
  }
}
