// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import RenderCore

@testable import PushQueue

/// A queue whose steps, callbacks and cycles all run on the test's thread.
final class SteppedQueue: @unchecked Sendable {
  /// The calls, in order.
  enum Call: Equatable {
    case returned(ObjectIdentifier)
    /// The value is the one that the listener read.
    case isRunning(Bool)
    case converterError(Int32)
  }

  /// The state that the callback shares with the test, all on one thread.
  final class Log: @unchecked Sendable {
    var calls: [Call] = []
    var onReturn: ((AudioQueue, AudioQueueBuffer) -> Void)?
    var onRunning: ((AudioQueue) -> Void)?
  }

  let renderer: Renderer
  let queue: AudioQueue
  let log: Log
  private var output: OfflineOutput
  /// All output frames, interleaved.
  private(set) var heard: [Float] = []
  private var cycle: [Float] = []

  static let stereo = AudioStreamBasicDescription.linearPCM(
    sampleRate: 48000, channels: 2, bitsPerChannel: 32, flags: [.float, .packed])

  init(
    _ format: AudioStreamBasicDescription = SteppedQueue.stereo, outputRate: Double = 48000,
    outputChannels: Int = 2, renderer: Renderer? = nil
  ) throws {
    let renderer =
      renderer ?? Renderer(sampleRate: outputRate, outputChannels: outputChannels)
    self.renderer = renderer
    output = OfflineOutput(renderer: renderer)
    let log = Log()
    self.log = log
    queue = try AudioQueue(
      engine: QueueEngine(format, renderer: renderer), executor: { $0() }, hasProducer: false
    ) { queue, buffer in
      log.calls.append(.returned(ObjectIdentifier(buffer)))
      log.onReturn?(queue, buffer)
    }
    queue.addPropertyListener(.isRunning) { queue, _ in
      log.calls.append(.isRunning(queue.isRunning))
      log.onRunning?(queue)
    }
    queue.addPropertyListener(.converterError) { queue, _ in
      log.calls.append(.converterError(queue.converterError))
    }
  }

  /// Steps the queue until a step has no effect.
  func settle() {
    while queue.step() {}
  }

  /// Renders frames in cycles, with all steps before each cycle and after the last.
  func crank(_ frames: Int, period: Int = 512) {
    var left = frames
    while left > 0 {
      settle()
      let count = min(period, left)
      output.render(frameCount: count, interleavedInto: &cycle)
      heard += cycle
      left -= count
    }
    settle()
  }

  /// Returns the samples of one output.
  func channel(_ channel: Int) -> [Float] {
    stride(from: channel, to: heard.count, by: renderer.outputChannels).map { heard[$0] }
  }

  /// The ramp's frame number of each output frame at full volume; -1 for silence.
  var heardRamp: [Int] {
    channel(0).map { $0 == 0 ? -1 : Int(($0 * 0x1p23).rounded()) - 1 }
  }

  var returned: [ObjectIdentifier] {
    log.calls.compactMap { if case .returned(let id) = $0 { id } else { nil } }
  }

  var runningNotices: Int {
    log.calls.count { if case .isRunning = $0 { true } else { false } }
  }

  /// Returns the sample of a ramp that identifies its frame; the second channel is the first one's negative.
  static func ramp(_ frame: Int) -> Float { Float(frame + 1) * 0x1p-23 }

  /// Returns a buffer with these frames of the ramp.
  func rampBuffer(_ frames: Range<Int>) throws -> AudioQueueBuffer {
    try rampBuffer(frames, of: queue)
  }

  func rampBuffer(_ frames: Range<Int>, of queue: AudioQueue) throws -> AudioQueueBuffer {
    let channels = Int(queue.streamDescription.channelsPerFrame)
    let buffer = try queue.allocateBuffer(byteCapacity: frames.count * channels * 4)
    Self.fill(buffer, ramp: frames, channels: channels)
    return buffer
  }

  static func fill(_ buffer: AudioQueueBuffer, ramp frames: Range<Int>, channels: Int = 2) {
    buffer.removeAll()
    let samples = frames.flatMap { frame in
      (0..<channels).map { $0 == 1 ? -ramp(frame) : ramp(frame) }
    }
    unsafe samples.withUnsafeBytes { bytes in
      unsafe buffer.bytes.copyMemory(from: bytes)
      buffer.byteCount = bytes.count
    }
  }

  @discardableResult
  func enqueueRamp(
    _ frames: Range<Int>, parameters: [AudioQueueParameterEvent] = [], startFrame: Double? = nil,
    trimStart: Int = 0, trimEnd: Int = 0
  ) throws -> AudioQueueBuffer {
    let buffer = try rampBuffer(frames)
    try queue.enqueue(
      buffer, trimStartFrames: trimStart, trimEndFrames: trimEnd, parameters: parameters,
      startFrame: startFrame)
    return buffer
  }
}

/// Returns the code that a call throws; nil if it does not throw.
func code(_ body: () throws(AudioQueueError) -> Void) -> AudioQueueError.Code? {
  do throws(AudioQueueError) {
    try body()
    return nil
  } catch {
    return error.code
  }
}
