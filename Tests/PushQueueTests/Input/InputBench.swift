// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import RenderCore

@testable import PushQueue

/// The calls that a queue has made, in order.
enum InputCall: Sendable, Equatable {
  case buffer(ObjectIdentifier, [UInt8], AudioInputRecord)
  case isRunning(Bool)
  case failure(Int32)
}

/// An input queue without a thread, on an output that is cranked by hand. Each input sample identifies its frame.
final class InputBench {
  let renderer: Renderer
  let queue: AudioInputQueue
  private var output: OfflineOutput
  private let log: InputLog

  /// Returns the sample of a frame, which counts frames in steps of 16 bits: exact as integers and as floats.
  static func sample(_ frame: Int, _ channel: Int = 0) -> Float {
    let value = Float(frame % 30_000) / 32768
    return channel == 0 ? value : -value
  }

  static func format(
    bits: UInt32 = 32, channels: UInt32 = 2, sampleRate: Double = 48000,
    flags: AudioFormatFlags = [.float, .packed]
  ) -> AudioStreamBasicDescription {
    .linearPCM(sampleRate: sampleRate, channels: channels, bitsPerChannel: bits, flags: flags)
  }

  init(
    _ format: AudioStreamBasicDescription = InputBench.format(), inputs: Int = 2,
    heldFrames: Int = 0, reenqueues: Bool = false
  ) throws {
    renderer = Renderer(sampleRate: 48000, outputChannels: 0, inputChannels: inputs)
    output = OfflineOutput(renderer: renderer)
    let log = InputLog()
    self.log = log
    queue = try AudioInputQueue(
      recording: format, from: renderer, driving: .owner, heldFrames: heldFrames,
      onFailure: { _, error in log.append(.failure(error.status)) },
      callback: { queue, buffer, record in
        let bytes = unsafe Array(buffer.bytes[..<buffer.byteCount])
        log.append(.buffer(ObjectIdentifier(buffer), bytes, record))
        if reenqueues { try? queue.enqueue(buffer) }
      })
    queue.addPropertyListener(.isRunning) { queue, _ in log.append(.isRunning(queue.isRunning)) }
  }

  /// The device's next frame; skipped frames do not count.
  private(set) var frame = 0

  /// Renders cycles with inputs, and steps the queue after each.
  func bring(_ frameCount: Int, cycle: Int = 64, stepping: Bool = true) {
    var left = frameCount
    while left > 0 {
      let count = min(left, cycle)
      output.render(
        inputs: (0..<renderer.inputChannels).map { channel in
          (frame..<frame + count).map { Self.sample($0, channel) }
        })
      left -= count
      frame += count
      if stepping { queue.step() }
    }
  }

  /// Advances the clock without cycles.
  func skip(_ frameCount: Int) { output.skip(frameCount: frameCount) }

  /// Allocates a buffer for frames and enqueues it.
  @discardableResult
  func enqueue(frames: Int) throws -> AudioQueueBuffer {
    let size = Int(queue.streamDescription.bytesPerFrame)
    let buffer = try queue.allocateBuffer(byteCapacity: frames * size)
    try queue.enqueue(buffer)
    return buffer
  }

  /// Returns all calls since the last time, and removes them.
  func takeCalls() -> [InputCall] { log.take() }

  /// Returns the records of the buffers among these calls.
  func takeRecords() -> [AudioInputRecord] {
    takeCalls().compactMap { if case .buffer(_, _, let record) = $0 { record } else { nil } }
  }

  /// Returns the samples of float buffers.
  static func floats(_ bytes: [UInt8]) -> [Float] {
    unsafe bytes.withUnsafeBytes { memory in
      (0..<memory.count / 4).map {
        unsafe memory.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self)
      }
    }
  }

  /// Returns the contents of a float buffer of two channels for these frames.
  static func stereo(_ frames: Range<Int>) -> [Float] {
    frames.flatMap { [sample($0, 0), sample($0, 1)] }
  }
}

final class InputLog: Sendable {
  private let calls = POSIXMutex<[InputCall]>([])

  func append(_ call: InputCall) { calls.withLock { $0.append(call) } }

  func take() -> [InputCall] {
    calls.withLock { calls in
      defer { calls.removeAll() }
      return calls
    }
  }
}
