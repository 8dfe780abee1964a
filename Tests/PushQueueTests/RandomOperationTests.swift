// SPDX-License-Identifier: MIT

import AudioModel
import RenderCore
import TestKit
import Testing

@testable import PushQueue

/// A model of a queue's buffers, state and time after each operation, derived from its calls.
private final class QueueModel {
  private var random: SplitMix
  private(set) var player: SteppedQueue
  private(set) var operations = 0
  private(set) var disagreements: [String] = []
  private(set) var returns = 0
  private(set) var nestedOperations = 0
  /// Buffers that the caller owns, and enqueued buffers, in order.
  private var free: [AudioQueueBuffer] = []
  private var enqueued: [AudioQueueBuffer] = []
  private var freed: [AudioQueueBuffer] = []
  private var isStarted = false
  private var isPaused = false
  private var mayBeStopping = false
  private var isDisposing = false
  private var isGone = false
  private var depth = 0
  private var callsToStart = 0
  private var lastTime = 0.0
  private var framesSinceStart = 0

  init(seed: UInt64) throws {
    random = SplitMix(state: seed)
    player = try SteppedQueue()
    try renew()
  }

  private func renew() throws {
    player = try SteppedQueue()
    player.queue.decodeBufferSizeFrames = Int.random(in: 1...3000, using: &random)
    (free, enqueued, freed) = ([], [], [])
    (isStarted, isPaused, mayBeStopping, isDisposing, isGone) = (false, false, false, false, false)
    (lastTime, framesSinceStart) = (0, 0)
    player.log.onReturn = { [unowned self] _, buffer in took(buffer) }
    player.log.onRunning = { [unowned self] queue in
      if isGone { disagree("told after it was disposed of") }
      if !queue.isRunning, (try? queue.currentTime()) == nil { stopped() }
    }
  }

  private func disagree(_ text: String) { disagreements.append("operation \(operations): \(text)") }

  private func took(_ buffer: AudioQueueBuffer) {
    returns += 1
    if isGone { disagree("a buffer came back after the queue was disposed of") }
    if enqueued.first !== buffer {
      disagree("another buffer came back than the one that is due")
      enqueued.removeAll { $0 === buffer }
    } else {
      enqueued.removeFirst()
    }
    free.append(buffer)
    guard depth < 3, Int.random(in: 0..<4, using: &random) == 0 else { return }
    depth += 1
    nestedOperations += 1
    operate()
    depth -= 1
  }

  private func stopped() {
    (isStarted, isPaused, mayBeStopping) = (false, false, false)
    (lastTime, framesSinceStart) = (0, 0)
  }

  private func expect(
    _ code: AudioQueueError.Code?, _ expected: AudioQueueError.Code?..., at what: String
  ) {
    let wanted = isDisposing ? [.disposalPending] : expected
    if !wanted.contains(code) { disagree("\(what) threw \(String(describing: code))") }
  }

  func operate() {
    operations += 1
    let queue = player.queue
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<25: crank()
    case 25..<55: enqueue()
    case 55..<60: enqueueWrongly()
    case 60..<65:
      guard !free.isEmpty else { return }
      let buffer = free.remove(at: Int.random(in: 0..<free.count, using: &random))
      expect(code { () throws(AudioQueueError) in try queue.free(buffer) }, nil, at: "free")
      freed.append(buffer)
    case 65..<75:
      if !isDisposing, time() == nil { stopped() }
      // Due callbacks meet a queue that has or has not been started.
      callsToStart += 1
      let result = code { () throws(AudioQueueError) in try queue.start() }
      callsToStart -= 1
      expect(result, nil, at: "start")
      // A start cancels a stop, but only resumes a paused queue together with its stop.
      if result == nil {
        (isStarted, isPaused, mayBeStopping) = (true, false, mayBeStopping && isPaused)
      }
    case 75..<79:
      expect(code { () throws(AudioQueueError) in try queue.pause() }, nil, at: "pause")
      if isStarted { isPaused = true }
    case 79..<82:
      let all = enqueued
      // A due callback may start the queue again.
      if !isDisposing { stopped() }
      let result = code { () throws(AudioQueueError) in try queue.stop(immediately: true) }
      expect(result, nil, at: "stop")
      checkReturned(all, after: "stop", result)
    case 82..<85:
      mayBeStopping = true
      expect(
        code { () throws(AudioQueueError) in try queue.stop(immediately: false) }, nil, at: "stop")
    case 85..<88:
      let all = enqueued
      let result = code { () throws(AudioQueueError) in try queue.reset() }
      expect(result, nil, at: "reset")
      checkReturned(all, after: "reset", result)
    case 88..<92: expect(code { () throws(AudioQueueError) in try queue.flush() }, nil, at: "flush")
    case 92..<95:
      let frames = Int.random(in: 0...5000, using: &random)
      expect(
        code { () throws(AudioQueueError) in try queue.prime(frameCount: frames) }, nil, at: "prime"
      )
    case 95:
      expect(code { () throws(AudioQueueError) in try queue.set(.pan, to: 0.3) }, nil, at: "set")
    default: checkTime()
    }
  }

  /// Checks that every buffer enqueued before has been returned, unless a callback interrupted the operation.
  private func checkReturned(
    _ all: [AudioQueueBuffer], after what: String, _ result: AudioQueueError.Code?
  ) {
    guard result == nil, depth == 0 else { return }
    let left = all.filter { buffer in
      enqueued.contains { $0 === buffer } && !reenqueued.contains(ObjectIdentifier(buffer))
    }
    if !left.isEmpty { disagree("\(left.count) buffers are left after \(what)") }
    reenqueued.removeAll()
  }

  private var reenqueued: Set<ObjectIdentifier> = []

  private func enqueue() {
    let count = Int.random(in: 1...600, using: &random)
    var buffer = free.isEmpty ? nil : free.removeLast()
    if buffer == nil || buffer?.byteCapacity ?? 0 < count * 8 {
      if let small = buffer { freed.append(small) }
      buffer = try? player.queue.allocateBuffer(byteCapacity: 4800)
    }
    guard let buffer else { return }
    buffer.byteCount = count * 8
    enqueued.append(buffer)
    let result = code { () throws(AudioQueueError) in try player.queue.enqueue(buffer) }
    expect(result, nil, .enqueueDuringReset, at: "enqueue")
    if result == .enqueueDuringReset, depth == 0, !mayBeStopping {
      disagree("it is not being reset")
    }
    if result == nil {
      if depth > 0 { reenqueued.insert(ObjectIdentifier(buffer)) }
    } else {
      enqueued.removeAll { $0 === buffer }
      if result == .invalidBuffer || isDisposing {
        freed.append(buffer)
      } else {
        free.append(buffer)
      }
    }
  }

  private func enqueueWrongly() {
    let queue = player.queue
    if let buffer = enqueued.randomElement(using: &random) {
      expect(
        code { () throws(AudioQueueError) in try queue.enqueue(buffer) }, .bufferInQueue,
        at: "a second enqueue")
      expect(
        code { () throws(AudioQueueError) in try queue.free(buffer) }, .bufferInQueue,
        at: "free of an enqueued buffer")
    }
    if let buffer = freed.last, !isDisposing {
      expect(
        code { () throws(AudioQueueError) in try queue.enqueue(buffer) }, .invalidBuffer, nil,
        .enqueueDuringReset, at: "enqueue of a freed buffer")
    }
  }

  private func crank() {
    let frames = Int.random(in: 1...700, using: &random)
    if isStarted, !isPaused { framesSinceStart += frames }
    if depth == 0 { player.crank(frames, period: 256) } else { player.settle() }
    checkTime()
  }

  /// Returns the queue's time. Due calls could start or stop the queue after the time is read, so they are made first,
  /// and the answer is about the queue as it is now.
  private func time() -> Double? {
    _ = player.queue.isRunning
    return try? player.queue.currentTime().sampleTime
  }

  private func checkTime() {
    guard !isDisposing, callsToStart == 0 else { return }
    guard let time = time() else {
      if isStarted, !mayBeStopping { disagree("a started queue has no time") }
      return
    }
    if !isStarted { disagree("a stopped queue has a time") }
    if time < lastTime { disagree("time went from \(lastTime) to \(time)") }
    lastTime = time
  }

  /// Disposes of this queue and continues with another.
  func replace() throws {
    var isImmediate = Bool.random(using: &random)
    let isPatient = Bool.random(using: &random)
    let queue = player.queue
    isDisposing = true
    mayBeStopping = true
    try queue.dispose(immediately: isImmediate)
    let cycles = isImmediate ? 0 : isPatient ? 1000 : 1
    for _ in 0..<cycles where !enqueued.isEmpty { player.crank(1024, period: 1024) }
    if !isPatient, !enqueued.isEmpty {
      isImmediate = true
      try queue.dispose(immediately: true)
    }
    if !enqueued.isEmpty { disagree("\(enqueued.count) buffers were never returned") }
    isGone = isImmediate
    player.crank(300)
    try renew()
  }
}

@Suite("AudioQueue under random operations")
struct AudioQueueRandomOperationTests {
  @Test(
    "Operations in any order, also from inside the callback, agree with a simple model",
    arguments: 1...10 as ClosedRange<UInt64>)
  func random(_ seed: UInt64) throws {
    let model = try QueueModel(seed: seed)
    while model.operations < 20_000 {
      let end = model.operations + 300
      while model.operations < end { model.operate() }
      try model.replace()
    }
    #expect(model.disagreements.isEmpty, "\(model.disagreements.prefix(5))")
    #expect(model.returns > 2000 && model.nestedOperations > 300)
  }
}
