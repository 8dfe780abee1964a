// SPDX-License-Identifier: MIT

import PushQueue
import TestKit
import Testing

/// A queue under random operations, checked against invariants after each.
@Suite("An input queue under random operations")
struct InputModelTests {
  @Test(
    "returns each buffer once and in order, with the frames of its stated time",
    arguments: 0..<40)
  func random(_ seed: Int) throws {
    var random = SplitMix(state: UInt64(seed))
    let model = try Model(
      heldFrames: Int.random(in: 0...300, using: &random), pauses: !seed.isMultiple(of: 2))
    for _ in 0..<400 { try model.operate(&random) }
    try model.bench.queue.dispose(immediately: true)
    model.check()
    #expect(model.enqueued.isEmpty)
    let counters = model.bench.queue.counters
    #expect(model.recordedFrames == counters.recordedFrames)
    #expect(counters.recordedFrames > 0 && counters.loss.missedFrames > 0)
  }

  private final class Model {
    let bench: InputBench
    /// Whether the run pauses; a buffer's frames are then not always contiguous.
    private let pauses: Bool
    /// Buffers that have not been returned, in order.
    private(set) var enqueued: [ObjectIdentifier] = []
    private(set) var recordedFrames: UInt64 = 0
    private var free: [AudioQueueBuffer]
    private let owned: [ObjectIdentifier: AudioQueueBuffer]
    /// The queue's time after the last returned frame; nil after a start.
    private var time: Double?

    init(heldFrames: Int, pauses: Bool) throws {
      let bench = try InputBench(heldFrames: heldFrames)
      self.bench = bench
      self.pauses = pauses
      free = try (0..<4).map { try bench.queue.allocateBuffer(byteCapacity: 8 * (1 + 70 * $0)) }
      owned = Dictionary(uniqueKeysWithValues: free.map { (ObjectIdentifier($0), $0) })
    }

    func operate(_ random: inout SplitMix) throws {
      let queue = bench.queue
      switch Int.random(in: 0..<40, using: &random) {
      case 0..<14: bench.bring(Int.random(in: 1...200, using: &random), cycle: 37)
      case 14: bench.bring(Int.random(in: 1...200, using: &random), stepping: false)
      case 15: bench.skip(Int.random(in: 1...100, using: &random))
      case 16..<32:
        guard let buffer = free.randomElement(using: &random) else { return }
        free.removeAll { $0 === buffer }
        try queue.enqueue(buffer)
        enqueued.append(ObjectIdentifier(buffer))
      case 32..<36: try queue.start()
      case 36: if pauses { try queue.pause() }
      case 37: try queue.stop(immediately: Bool.random(using: &random))
      case 38: try queue.reset()
      default: queue.step()
      }
      check()
    }

    /// Checks all calls since the last time.
    func check() {
      for call in bench.takeCalls() {
        switch call {
        case .isRunning(let isRunning): if isRunning { time = nil }
        case .failure(let status): #expect(status == -66668)
        case .buffer(let id, let bytes, let record): check(id, bytes, record)
        }
      }
    }

    private func check(_ id: ObjectIdentifier, _ bytes: [UInt8], _ record: AudioInputRecord) {
      #expect(enqueued.first == id)
      enqueued.removeAll { $0 == id }
      if let buffer = owned[id] { free.append(buffer) }
      #expect(bytes.count == 8 * record.packetCount)
      recordedFrames += UInt64(record.packetCount)
      guard let start = record.startTime else {
        #expect(record.packetCount == 0)
        return
      }
      let first = Int(start.deviceFrame)
      let samples = InputBench.floats(bytes)
      if pauses {
        #expect(samples[0] == InputBench.sample(first))
      } else {
        let isExact = samples == InputBench.stereo(first..<first + record.packetCount)
        #expect(isExact)
      }
      // All missing frames are reported as a loss.
      let loss = record.lossBefore
      let missing = loss.underrunFrames + loss.overrunFrames + loss.missedFrames
      #expect(start.sampleTime == (time ?? 0) + Double(missing))
      time = start.sampleTime + Double(record.packetCount)
    }
  }
}
