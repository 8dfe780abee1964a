// SPDX-License-Identifier: MIT

public import AudioModel

extension AudioQueue {
  /// Allocates memory for packets. Core Audio's `AudioQueueAllocateBuffer` and
  /// `AudioQueueAllocateBufferWithPacketDescriptions`. In any state, also from a callback.
  ///
  /// - Parameters:
  ///   - byteCapacity: the size in bytes, may be 0.
  ///   - packetDescriptionCapacity: the most packet descriptions.
  /// - Throws: `disposalPending`; `parameterError` for negative numbers.
  public func allocateBuffer(
    byteCapacity: Int, packetDescriptionCapacity: Int = 0
  ) throws(AudioQueueError) -> AudioQueueBuffer {
    guard byteCapacity >= 0, byteCapacity <= Int(UInt32.max), packetDescriptionCapacity >= 0 else {
      throw AudioQueueError(
        .parameterError,
        "no buffer has \(byteCapacity) bytes and \(packetDescriptionCapacity) packets")
    }
    try core.locked { engine throws(AudioQueueError) in try engine.checkAlive() }
    return AudioQueueBuffer(
      owner: ObjectIdentifier(core), byteCapacity: byteCapacity,
      packetDescriptionCapacity: packetDescriptionCapacity)
  }

  /// Frees a buffer that is not enqueued, in any state; its memory lives until the last reference to it ends.
  /// Core Audio's `AudioQueueFreeBuffer`.
  ///
  /// - Throws: `bufferInQueue`, `invalidBuffer`, `disposalPending`.
  public func free(_ buffer: AudioQueueBuffer) throws(AudioQueueError) {
    try core.locked { engine throws(AudioQueueError) in
      try engine.free(buffer, owner: ObjectIdentifier(core))
    }
  }

  /// Enqueues a buffer behind the others. Core Audio's `AudioQueueEnqueueBuffer`. In any state, also from a
  /// callback; until the buffer comes back its bytes must not change.
  ///
  /// - Parameter buffer: a buffer allocated by this queue.
  /// - Parameter descriptions: the byte ranges of its packets, for a format whose packets differ in size; if
  ///   empty, the buffer's own. They are copied, and ignored for other formats.
  /// - Throws: `bufferEmpty` for a buffer without bytes; `invalidBuffer` for one of another queue;
  ///   `bufferInQueue` for one that is enqueued; `parameterError` for missing or wrong descriptions;
  ///   `enqueueDuringReset` while all buffers are being returned; `disposalPending`.
  public func enqueue(
    _ buffer: AudioQueueBuffer, descriptions: [AudioStreamPacketDescription] = []
  ) throws(AudioQueueError) {
    try enqueue(buffer, descriptions: descriptions, parameters: [])
  }

  /// Enqueues a buffer behind the others, with trims, parameters and a start time. Core Audio's
  /// `AudioQueueEnqueueBufferWithParameters`.
  ///
  /// - Parameters:
  ///   - buffer: as in ``enqueue(_:descriptions:)``.
  ///   - descriptions: as there.
  ///   - trimStartFrames: decoded frames to leave out at its start.
  ///   - trimEndFrames: decoded frames to leave out at its end.
  ///   - parameters: changes that take effect with its first frame. The later one of these and of
  ///     ``set(_:to:)`` holds.
  ///   - startFrame: the time at which its first untrimmed frame sounds, in frames of the source since the
  ///     queue was started: exactly then, with silence before it, or as soon as possible if that has passed.
  ///     Times must ascend. nil: right after the buffer before. To play the buffer before to the very end, with
  ///     the decoder's remainder, call ``flush()`` first.
  /// - Throws: as ``enqueue(_:descriptions:)``, and `parameterError` for a time before another's,
  ///   `invalidParameter` for a parameter that cannot be set now.
  public func enqueue(
    _ buffer: AudioQueueBuffer, descriptions: [AudioStreamPacketDescription] = [],
    trimStartFrames: Int = 0, trimEndFrames: Int = 0, parameters: [AudioQueueParameterEvent],
    startFrame: Double? = nil
  ) throws(AudioQueueError) {
    try core.locked { engine throws(AudioQueueError) in
      try engine.enqueue(
        buffer, owner: ObjectIdentifier(core), descriptions: descriptions,
        trimStartFrames: trimStartFrames, trimEndFrames: trimEndFrames, parameters: parameters,
        startFrame: startFrame)
    }
    core.ringProducer()
  }
}
