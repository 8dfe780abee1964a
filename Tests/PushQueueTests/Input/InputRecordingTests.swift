// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import PushQueue
import RenderCore
import Testing

@Suite("An input queue's recording")
struct InputRecordingTests {
  @Test("fills buffers in order, with the time of each one's first frame")
  func buffers() throws {
    let bench = try InputBench()
    let buffers = try (0..<3).map { _ in try bench.enqueue(frames: 100) }
    bench.bring(500)
    #expect(bench.takeCalls().isEmpty)
    try bench.queue.start()
    bench.bring(256)
    let calls = bench.takeCalls()
    #expect(calls.count == 3)
    #expect(calls.first == .isRunning(true))
    for (index, call) in calls.dropFirst().enumerated() {
      guard case .buffer(let id, let bytes, let record) = call else {
        Issue.record("\(call)")
        continue
      }
      let first = 500 + 100 * index
      #expect(id == ObjectIdentifier(buffers[index]))
      #expect(InputBench.floats(bytes) == InputBench.stereo(first..<first + 100))
      #expect(record.packetCount == 100 && record.lossBefore == .none)
      #expect(record.startTime?.sampleTime == Double(100 * index))
      #expect(record.startTime?.deviceFrame == UInt64(first))
      let nanoseconds = Double(first) * 1_000_000_000 / 48000
      #expect(abs(Double(record.startTime?.hostNanoseconds ?? 0) - nanoseconds) < 2)
    }
    #expect(try bench.queue.currentTime() == 256)
    #expect(bench.queue.counters.recordedFrames == 256)
  }

  @Test("is as exact in integers as in floats, of any available channels")
  func formats() throws {
    for (bits, channels) in [(16, 1), (16, 2), (32, 3), (24, 2)] as [(UInt32, UInt32)] {
      let format = InputBench.format(
        bits: bits, channels: channels, sampleRate: 0, flags: [.signedInteger, .packed])
      let bench = try InputBench(format, inputs: 3)
      #expect(bench.queue.streamDescription.sampleRate == 48000)
      try bench.enqueue(frames: 300)
      try bench.queue.start()
      bench.bring(320)
      guard case .buffer(_, let bytes, let record)? = bench.takeCalls().dropFirst().first else {
        Issue.record("no buffer came back")
        continue
      }
      #expect(record.packetCount == 300)
      let expected = (0..<300).flatMap { frame in
        (0..<Int(channels)).flatMap { channel -> [UInt8] in
          let value = Int32(InputBench.sample(frame, channel) * 32768) << (Int32(bits) - 16)
          return (0..<bits / 8).map { UInt8(truncatingIfNeeded: value >> (8 * Int32($0))) }
        }
      }
      let isExact = bytes == expected
      #expect(isExact, "\(bits) bits, \(channels) channels")
    }
  }

  @Test(
    "is refused for an impossible format, with the possible values",
    arguments: [
      (InputBench.format(sampleRate: 44100), "48000"),
      (InputBench.format(channels: 3), "2 inputs"),
      (InputBench.format(channels: 0), "2 inputs"),
      (InputBench.format(bits: 12, flags: [.signedInteger]), "interleaved linear PCM"),
      (
        InputBench.format(flags: [.float, .packed, .nonInterleaved]),
        "interleaved linear PCM"
      ),
      (
        AudioStreamBasicDescription(
          sampleRate: 48000, formatID: .mpegLayer3, framesPerPacket: 1152, channelsPerFrame: 2),
        "interleaved linear PCM"
      ),
    ])
  func refused(_ format: AudioStreamBasicDescription, _ word: String) {
    #expect {
      _ = try InputBench(format)
    } throws: { error in
      guard let error = error as? AudioQueueError else { return false }
      return error.code == .formatNotSupported && error.reason.contains(word)
    }
  }

  @Test("begins at the requested frame of the device")
  func scheduledStart() throws {
    let bench = try InputBench()
    try bench.enqueue(frames: 64)
    bench.bring(100)
    try bench.queue.start(atDeviceFrame: 300)
    bench.bring(150)
    #expect(bench.takeCalls().isEmpty)
    #expect(try bench.queue.currentTime() == -50)
    #expect(!bench.queue.isRunning)
    bench.bring(150)
    let calls = bench.takeCalls()
    #expect(calls.first == .isRunning(true))
    guard case .buffer(_, let bytes, let record)? = calls.dropFirst().first else {
      Issue.record("no buffer came back")
      return
    }
    #expect(InputBench.floats(bytes) == InputBench.stereo(300..<364))
    #expect(record.startTime?.sampleTime == 0 && record.startTime?.deviceFrame == 300)
  }

  @Test("begins its time at 0 also if its start frame passes in a pause")
  func scheduledStartInPause() throws {
    let bench = try InputBench()
    try bench.enqueue(frames: 64)
    try bench.queue.start(atDeviceFrame: 2000)
    bench.bring(1000)
    #expect(try bench.queue.currentTime() == -1000)
    try bench.queue.pause()
    bench.bring(3000)
    try bench.queue.start()
    bench.bring(64)
    let record = try #require(bench.takeRecords().first)
    #expect(record.startTime?.sampleTime == 0 && record.startTime?.deviceFrame == 4000)
    #expect(try bench.queue.currentTime() == 64)
  }

  @Test("counts a gap beyond 32 bits as the longest one; without inputs no gap adds up")
  func longGap() throws {
    let bench = try InputBench()
    for _ in 0..<2 { try bench.enqueue(frames: 64) }
    try bench.queue.start()
    bench.bring(64)
    for _ in 0..<2 { bench.skip(2_500_000_000) }
    bench.bring(64)
    #expect(bench.queue.counters.loss == AudioInputLoss(missedFrames: UInt64(UInt32.max)))
    // The next cycle has no further missed frames.
    try bench.enqueue(frames: 64)
    bench.bring(64)
    #expect(bench.queue.counters.loss == AudioInputLoss(missedFrames: UInt64(UInt32.max)))
    var output = OfflineOutput(renderer: Renderer(sampleRate: 48000, outputChannels: 1))
    for _ in 0..<3 {
      output.skip(frameCount: 2_500_000_000)
      output.render(frameCount: 64) { _, _ in }
    }
    #expect(output.frameTime == 7_500_000_192)
  }

  @Test("measures levels when metering is enabled")
  func levels() throws {
    let bench = try InputBench(inputs: 2)
    try bench.enqueue(frames: 100_000)
    try bench.queue.start()
    bench.bring(10)
    #expect(bench.queue.currentLevels().allSatisfy { $0.peak == 0 && $0.average == 0 })
    bench.queue.isLevelMeteringEnabled = true
    bench.bring(1000)
    let levels = bench.queue.currentLevels()
    let squares = (10..<1010).map { Double(InputBench.sample($0)) * Double(InputBench.sample($0)) }
    let average = Float((squares.reduce(0, +) / 1000).squareRoot())
    #expect(levels.count == 2)
    for level in levels {
      #expect(level.peak == InputBench.sample(1009))
      #expect(abs(level.average - average) < 1e-6)
    }
    #expect(bench.queue.currentLevels().allSatisfy { $0.peak == 0 && $0.average == 0 })
  }

  @Test("loses frames without an enqueued buffer, counts them, reports once, and continues")
  func underrun() throws {
    let bench = try InputBench(heldFrames: 64)
    try bench.enqueue(frames: 100)
    try bench.queue.start()
    bench.bring(320, cycle: 32)
    // 100 frames are in the buffer, 64 wait, and the rest is lost.
    let calls = bench.takeCalls()
    #expect(calls.count == 3)
    #expect(calls.last == .failure(-66668))
    var counters = bench.queue.counters
    #expect(counters.underruns == 1)
    #expect(counters.loss == AudioInputLoss(underrunFrames: 156))
    #expect(try bench.queue.currentTime() == 256)

    try bench.enqueue(frames: 100)
    bench.bring(36)
    let record = try #require(bench.takeRecords().first)
    #expect(record.lossBefore == AudioInputLoss(underrunFrames: 156))
    #expect(record.startTime?.sampleTime == 256 && record.startTime?.deviceFrame == 256)
    bench.bring(200)
    counters = bench.queue.counters
    #expect(counters.underruns == 2)
    #expect(counters.recordedFrames == 200)
  }

  @Test("returns the frames before a gap separately, and reports the missing ones")
  func gaps() throws {
    let bench = try InputBench()
    for _ in 0..<3 { try bench.enqueue(frames: 1000) }
    try bench.queue.start()
    bench.bring(100)
    bench.skip(50)
    bench.bring(64)
    // The ring holds a second and the frames that wait for a buffer.
    bench.bring(100_000, cycle: 1000, stepping: false)
    bench.queue.step()
    bench.bring(10)
    let calls = bench.takeCalls()
    let records = calls.compactMap { call in
      if case .buffer(_, _, let record) = call { record } else { nil }
    }
    try #require(records.count == 3)
    #expect(records[0].packetCount == 100 && records[0].lossBefore == .none)
    #expect(records[1].packetCount == 1000)
    #expect(records[1].lossBefore == AudioInputLoss(missedFrames: 50))
    #expect(records[1].startTime?.sampleTime == 150)
    #expect(records[1].startTime?.deviceFrame == 100)
    #expect(records[2].packetCount == 1000 && records[2].lossBefore == .none)
    let loss = bench.queue.counters.loss
    #expect(loss.missedFrames == 50)
    #expect(loss.overrunFrames > 0 && loss.underrunFrames > 0)
    #expect(try bench.queue.currentTime() == Double(100 + 50 + 64 + 100_000 + 10))
  }

  @Test("ends, and reports the end, when the output changes to another rate")
  func rateChange() throws {
    let bench = try InputBench()
    try bench.enqueue(frames: 1000)
    try bench.queue.start()
    bench.bring(100)
    bench.renderer.sampleRate = 44100
    bench.queue.step()
    let calls = bench.takeCalls()
    #expect(calls.count == 4)
    #expect(calls[1] == .failure(AudioQueueError.Code.formatNotSupported.rawValue))
    #expect(calls.last == .isRunning(false))
    #expect(throws: AudioQueueError.self) { try bench.queue.currentTime() }
  }
}
