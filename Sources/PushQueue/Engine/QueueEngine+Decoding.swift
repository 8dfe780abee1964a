// SPDX-License-Identifier: MIT

internal import AudioConversion
internal import AudioModel

/// Decoding of enqueued packets into frames.
extension QueueEngine {
  /// The fill callback's status when the buffer has no packet left.
  private static let bufferIsEmpty: Int32 = 1
  /// The status for a packet that could not be decoded: Core Audio's `kAudioCodecBadDataError`, 'bada'.
  private static let badData: Int32 = 0x6261_6461

  /// Decodes some enqueued packets, if there is room.
  func decodeSome() -> Bool {
    guard preparedFrames < max(decodeBufferFrames, primeFrames) else { return false }
    if isFlushing {
      drainDecoder()
      return true
    }
    if current == nil {
      switch entries.removeFirst() {
      case .buffer(let entry): begin(entry)
      case .flush: isFlushing = true
      case nil:
        // The end of all enqueued packets acts like a flush.
        guard isStopping, decoderHasInput else { return false }
        isFlushing = true
      }
      return true
    }
    decodeChunk()
    return true
  }

  private func begin(_ entry: EnqueuedBuffer) {
    current = entry
    if entry.startFrame != nil { decoded.append(.end) }
    if entry.startFrame != nil || !entry.parameters.isEmpty {
      decoded.append(.start(parameters: entry.parameters, frame: entry.startFrame))
    }
  }

  private func decodeChunk() {
    let result = fillScratch { [self] in nextPackets() }
    take(frames: result.packetCount)
    noteFailures()
    switch result.status {
    case .complete: break
    case .stopped, .endOfStream: finishBuffer()
    case .failed(let error):
      note(converterError: error.status)
      converter.reset()
      finishBuffer()
    }
  }

  private func fillScratch(_ answer: () -> AudioConverter.Answer) -> AudioConverter.Fill {
    unsafe scratch.withUnsafeMutableBytes { bytes in
      unsafe converter.fill([bytes], packetCount: Self.framesPerStep) { _ in answer() }
    }
  }

  /// Returns the next packets of the buffer, about as many as make a step.
  private func nextPackets() -> AudioConverter.Answer {
    guard let entry = current, entry.usedPackets < entry.packetCount else {
      return .status(Self.bufferIsEmpty)
    }
    decoderHasInput = true
    let framesPerPacket = max(1, Int(format.framesPerPacket))
    let left = entry.packetCount - entry.usedPackets
    let bytes = unsafe UnsafeRawBufferPointer(entry.buffer.bytes)
    guard entry.descriptions.isEmpty else {
      let description = entry.descriptions[entry.usedPackets]
      current?.usedPackets += 1
      return unsafe .packets(AudioConverter.Packets(bytes, descriptions: [description], count: 1))
    }
    let count = min(left, max(1, Self.framesPerStep / framesPerPacket))
    let size = Int(format.bytesPerPacket)
    let start = entry.usedPackets * size
    current?.usedPackets += count
    return unsafe .packets(
      AudioConverter.Packets(
        UnsafeRawBufferPointer(rebasing: bytes[start..<start + count * size]), count: count))
  }

  /// Passes on decoded frames, without those to trim.
  private func take(frames: Int) {
    guard frames > 0 else { return }
    var first = 0
    if let entry = current, entry.trimStartFrames > 0 {
      first = min(entry.trimStartFrames, frames)
      current?.trimStartFrames -= first
    }
    let samples = scratch[first * channels..<frames * channels]
    guard let entry = current, entry.trimEndFrames > 0 else {
      hand(on: Array(samples))
      return
    }
    held.append(contentsOf: samples)
    let surplus = held.count / channels - entry.trimEndFrames
    guard surplus > 0 else { return }
    hand(on: Array(held.prefix(surplus * channels)))
    held.removeFirst(surplus * channels)
  }

  private func hand(on samples: [Float]) {
    guard !samples.isEmpty else { return }
    decoded.append(.samples(samples))
    decodedFrames += samples.count / channels
  }

  private func finishBuffer() {
    held.removeAll(keepingCapacity: true)
    if let entry = current { calls.append(.returned(entry.buffer)) }
    current = nil
  }

  /// Passes on the decoder's remainder, and then resets the decoder.
  private func drainDecoder() {
    if decoderHasInput {
      let result = fillScratch { .endOfStream }
      take(frames: result.packetCount)
      noteFailures()
      if case .complete = result.status { return }
      converter.reset()
      decoderHasInput = false
    }
    isFlushing = false
    decoded.append(.end)
  }

  private func noteFailures() {
    guard converter.failedPacketCount != reportedFailures else { return }
    reportedFailures = converter.failedPacketCount
    note(converterError: Self.badData)
  }
}
