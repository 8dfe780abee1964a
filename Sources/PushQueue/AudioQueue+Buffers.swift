// SPDX-License-Identifier: MIT

public import AudioModel

extension AudioQueue {
  /// Memory for packets. Core Audio's `AudioQueueAllocateBuffer` and
  /// `AudioQueueAllocateBufferWithPacketDescriptions`. In any state, also from a callback.
  ///
  /// - Parameters:
  ///   - byteCapacity: bytes, may be 0.
  ///   - packetDescriptionCapacity: how many descriptions it shall take.
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

  /// Gives a buffer up that is not enqueued, in any state; its memory goes with the last reference to it.
  /// Core Audio's `AudioQueueFreeBuffer`.
  ///
  /// - Throws: `bufferInQueue`, `invalidBuffer`, `disposalPending`.
  public func free(_ buffer: AudioQueueBuffer) throws(AudioQueueError) {
    try core.locked { engine throws(AudioQueueError) in
      try engine.free(buffer, owner: ObjectIdentifier(core))
    }
  }

  /// Puts a buffer behind the others. Core Audio's `AudioQueueEnqueueBuffer`. In any state, also from a
  /// callback; until the buffer comes back its bytes must not change.
  ///
  /// - Parameter buffer: one that this queue has made.
  /// - Parameter descriptions: where its packets lie, for a format whose packets differ in size; if there
  ///   are none, the buffer's own. They are copied, and ignored for other formats.
  /// - Throws: `bufferEmpty` for a buffer without bytes; `invalidBuffer` for one of another queue;
  ///   `bufferInQueue` for one that is enqueued; `parameterError` for missing or wrong descriptions;
  ///   `enqueueDuringReset` while all buffers are being given back; `disposalPending`.
  public func enqueue(
    _ buffer: AudioQueueBuffer, descriptions: [AudioStreamPacketDescription] = []
  ) throws(AudioQueueError) {
    try enqueue(buffer, descriptions: descriptions, parameters: [])
  }

  /// Puts a buffer behind the others, with more said about it. Core Audio's
  /// `AudioQueueEnqueueBufferWithParameters`.
  ///
  /// - Parameters:
  ///   - buffer: as in ``enqueue(_:descriptions:)``.
  ///   - descriptions: as there.
  ///   - trimStartFrames: decoded frames that are left out at its start.
  ///   - trimEndFrames: decoded frames that are left out at its end.
  ///   - parameters: what changes with its first frame. Later of these and of ``set(_:to:)`` holds.
  ///   - startFrame: when its first frame that is not left out sounds, in frames of the source since the
  ///     queue was started: exactly then, with silence before it, or as soon as possible if that has passed.
  ///     Times must ascend. Nil is right after the buffer before. Where the buffer before is to be heard to
  ///     the very end of what the decoder holds back, ``flush()`` comes first.
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
