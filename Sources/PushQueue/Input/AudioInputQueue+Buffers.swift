// SPDX-License-Identifier: MIT

internal import RenderCore

extension AudioInputQueue {
  /// Allocates a buffer. It belongs to this queue, and to the caller until it is enqueued.
  ///
  /// - Parameter byteCapacity: its size in bytes; whole frames of it are used.
  /// - Throws: `disposalPending` after ``dispose(immediately:)``, `parameterError` for a size below 0.
  public func allocateBuffer(byteCapacity: Int) throws(AudioQueueError) -> AudioQueueBuffer {
    guard byteCapacity >= 0 else {
      throw AudioQueueError(.parameterError, "a buffer cannot have \(byteCapacity) bytes")
    }
    try whileUsable { _ in }
    return AudioQueueBuffer(
      owner: ObjectIdentifier(self), byteCapacity: byteCapacity, packetDescriptionCapacity: 0)
  }

  /// Frees a buffer: it cannot be enqueued any more.
  ///
  /// - Throws: `bufferInQueue` while it is enqueued, `invalidBuffer` for another queue's or one that was
  ///   freed before.
  public func free(_ buffer: AudioQueueBuffer) throws(AudioQueueError) {
    try recorder.withLock { _ throws(AudioQueueError) in
      try check(buffer)
      buffer.place = .freed
    }
  }

  /// Enqueues a buffer behind those that wait to be filled. Its contents are discarded.
  ///
  /// - Throws: `disposalPending` after ``dispose(immediately:)``; `invalidBuffer` and `bufferInQueue` as
  ///   ``free(_:)``; `bufferEmpty` for one that has no room for a frame; `enqueueDuringReset` while a stop or a
  ///   reset returns all buffers.
  public func enqueue(_ buffer: AudioQueueBuffer) throws(AudioQueueError) {
    try whileUsable { recorder throws(AudioQueueError) in
      try check(buffer)
      guard buffer.byteCapacity >= recorder.frames.bytesPerFrame else {
        throw AudioQueueError(
          .bufferEmpty,
          "a buffer of \(buffer.byteCapacity) bytes has no room for a frame of "
            + "\(recorder.frames.bytesPerFrame)")
      }
      if recorder.isReturning {
        throw AudioQueueError(
          .enqueueDuringReset, "the queue is giving all buffers back: enqueue it afterwards")
      }
      recorder.enqueue(buffer)
    }
  }

  private func check(_ buffer: AudioQueueBuffer) throws(AudioQueueError) {
    guard buffer.owner == ObjectIdentifier(self), buffer.place != .freed else {
      throw AudioQueueError(
        .invalidBuffer, "the buffer was freed, or is of another queue: allocate one of this queue")
    }
    if buffer.place == .queue {
      throw AudioQueueError(
        .bufferInQueue, "the buffer is enqueued: wait for the callback that returns it")
    }
  }
}
