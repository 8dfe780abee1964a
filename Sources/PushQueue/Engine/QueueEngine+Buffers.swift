// SPDX-License-Identifier: MIT

internal import AudioModel

/// Acceptance of buffers.
extension QueueEngine {
  /// Enqueues a buffer with its packets.
  func enqueue(
    _ buffer: AudioQueueBuffer, owner: ObjectIdentifier,
    descriptions given: [AudioStreamPacketDescription], trimStartFrames: Int, trimEndFrames: Int,
    parameters: [AudioQueueParameterEvent], startFrame: Double?
  ) throws(AudioQueueError) {
    try checkAlive()
    guard buffer.owner == owner, buffer.place != .freed else {
      throw AudioQueueError(.invalidBuffer, "the buffer is not this queue's, or has been freed")
    }
    guard buffer.place == .caller else {
      throw AudioQueueError(.bufferInQueue, "the buffer is enqueued already")
    }
    guard !isReturningAll, !(isStopping && hasWrittenEnd) else {
      throw AudioQueueError(
        .enqueueDuringReset, "the queue is giving all buffers back; enqueue after that")
    }
    guard buffer.byteCount > 0 else {
      throw AudioQueueError(.bufferEmpty, "the buffer has no bytes: set its byteCount")
    }
    guard trimStartFrames >= 0, trimEndFrames >= 0 else {
      throw AudioQueueError(.parameterError, "trimmed frames cannot be fewer than none")
    }
    try check(parameters)
    try check(startFrame: startFrame)
    let (descriptions, count) = try packets(of: buffer, given: given)
    buffer.place = .queue
    if let startFrame { lastStartFrame = startFrame }
    entries.append(
      .buffer(
        EnqueuedBuffer(
          buffer: buffer, byteCount: buffer.byteCount, descriptions: descriptions,
          packetCount: count, trimStartFrames: trimStartFrames, trimEndFrames: trimEndFrames,
          parameters: parameters, startFrame: startFrame)))
  }

  private func check(_ parameters: [AudioQueueParameterEvent]) throws(AudioQueueError) {
    for event in parameters { try check(event.parameter) }
  }

  /// - Throws: for a parameter that cannot be set now.
  func check(_ parameter: AudioQueueParameter) throws(AudioQueueError) {
    switch parameter {
    case .playRate, .pitch:
      guard timePitch.isEnabled else {
        throw AudioQueueError(
          .invalidParameter, "speed and pitch need isTimePitchEnabled, which is false")
      }
    case .volume, .volumeRampTime, .pan: break
    }
  }

  private func check(startFrame: Double?) throws(AudioQueueError) {
    guard let startFrame else { return }
    guard startFrame >= 0, startFrame < 1e15 else {
      throw AudioQueueError(.parameterError, "\(startFrame) is no time to start at")
    }
    if let lastStartFrame, startFrame < lastStartFrame {
      throw AudioQueueError(
        .parameterError,
        "start times must ascend: \(startFrame) comes after \(lastStartFrame)")
    }
  }

  /// Returns the descriptions that apply, and the number of packets.
  private func packets(
    of buffer: AudioQueueBuffer, given: [AudioStreamPacketDescription]
  ) throws(AudioQueueError) -> ([AudioStreamPacketDescription], Int) {
    guard format.needsPacketDescriptions else {
      // An incomplete packet at the end is left out.
      return ([], buffer.byteCount / Int(format.bytesPerPacket))
    }
    let descriptions =
      given.isEmpty
      ? Array(buffer.packetDescriptions.prefix(buffer.packetDescriptionCapacity)) : given
    guard !descriptions.isEmpty else {
      throw AudioQueueError(
        .parameterError,
        "packets of \(format.formatID.name) differ in size: they need packet descriptions")
    }
    let size = Int64(buffer.byteCount)
    for (index, packet) in descriptions.enumerated() {
      guard packet.startOffset >= 0, packet.startOffset <= size,
        Int64(packet.dataByteSize) <= size - packet.startOffset
      else {
        throw AudioQueueError(
          .parameterError,
          "packet \(index) of \(packet.dataByteSize) bytes at byte \(packet.startOffset) is not in "
            + "the buffer's \(size) bytes")
      }
    }
    return (descriptions, descriptions.count)
  }

  /// Frees a buffer.
  func free(_ buffer: AudioQueueBuffer, owner: ObjectIdentifier) throws(AudioQueueError) {
    try checkAlive()
    guard buffer.owner == owner, buffer.place != .freed else {
      throw AudioQueueError(.invalidBuffer, "the buffer is not this queue's, or has been freed")
    }
    guard buffer.place == .caller else {
      throw AudioQueueError(
        .bufferInQueue, "the buffer is enqueued: it can be freed once it has come back")
    }
    buffer.place = .freed
  }
}
