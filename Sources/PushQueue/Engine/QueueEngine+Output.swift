// SPDX-License-Identifier: MIT

internal import AudioConversion
internal import AudioModel
internal import RenderCore

/// Writing of frames to the source's ring.
extension QueueEngine {
  /// Stretched sound in the ring is kept short, so that a change of speed plays soon.
  private var stretchedFramesAhead: Int { max(Int(0.15 * sampleRate), cycleFramesAhead) }

  /// The length of two output cycles like the last one, so that the next cycle finds its sound; before the
  /// first, that of the longest possible cycle.
  private var cycleFramesAhead: Int {
    let cycleFrames = control.position.cycleFrames
    let frames = cycleFrames > 0 ? 2 * cycleFrames : Renderer.maximumFramesPerCycle
    return Int((Double(frames) * sampleRate / renderer.sampleRate).rounded(.up))
  }

  /// Moves some decoded sound on.
  func writeSome() -> Bool {
    if readyUsed < ready.count { return writeReady() }
    switch decoded.first {
    case nil: return false
    case .start(let parameters, let frame):
      _ = decoded.removeFirst()
      schedule(parameters)
      if let frame { coming.startFrame = frame }
      return true
    case .end:
      if let tail = timePitch.finish() {
        makeReady(tail)
        return true
      }
      if hasStream {
        guard feed.endStream() else { return false }
        hasStream = false
      }
      _ = decoded.removeFirst()
      return true
    case .samples(let samples):
      if timePitch.isActive {
        guard ringFrames < stretchedFramesAhead else { return false }
      } else if let tail = timePitch.finish() {
        makeReady(tail)
        return true
      }
      if timePitch.effectiveRate != toldRate {
        toldRate = timePitch.effectiveRate
        var settings = ComingSettings()
        settings.rate = toldRate
        put(settings)
      }
      makeReady(timePitch.isActive ? timePitch.process(samples) : samples)
      _ = decoded.removeFirst()
      decodedFrames -= samples.count / channels
      return true
    }
  }

  private func makeReady(_ samples: [Float]) {
    ready = samples
    readyUsed = 0
  }

  private func schedule(_ events: [AudioQueueParameterEvent]) {
    var settings = ComingSettings()
    for event in events {
      let value = event.parameter.possible(event.value)
      switch event.parameter {
      case .volume: settings.volume = value
      case .volumeRampTime: settings.volumeRampSeconds = value
      case .pan: settings.pan = value
      case .playRate: timePitch.rate = value
      case .pitch: timePitch.cents = value
      }
    }
    put(settings)
  }

  /// Applies settings to the sound that is decoded next. Nothing is ready while this is called.
  private func put(_ settings: ComingSettings) {
    if settings.areEmpty { return }
    later.append(
      LaterSettings(frame: writtenFrames + Int64(timePitch.heldFrames), settings: settings))
  }

  /// Writes one packet, and before it the start of a stream if one is needed.
  private func writeReady() -> Bool {
    while let next = later.first, next.frame <= writtenFrames {
      coming.merge(next.settings)
      _ = later.removeFirst()
    }
    var frames = min(Self.framesPerStep, (ready.count - readyUsed) / channels)
    if let next = later.first { frames = min(frames, Int(next.frame - writtenFrames)) }
    if !hasStream {
      do throws(AudioConverterError) {
        guard try beginStream() else { return false }
      } catch {
        // No conversion leads to this output: the sound is left out.
        note(converterError: AudioQueueError.Code.formatNotSupported.rawValue)
        makeReady([])
        return true
      }
    }
    // Differences of positions, so that the sum of many does not drift.
    let nanoseconds =
      UInt64(Double(writtenFrames + Int64(frames)) * 1e9 / sampleRate)
      - UInt64(Double(writtenFrames) * 1e9 / sampleRate)
    let metadata = PacketMetadata(
      flushSerial: flushSerial, packetIndex: writtenPackets, firstFrame: writtenFrames,
      frameCount: Int32(frames), trimStartFrames: 0, trimEndFrames: 0, byteOffset: 0,
      durationNanoseconds: nanoseconds, mark: coming.areEmpty ? 0 : 1)
    let settings = SourceSettings(
      volume: coming.volume, volumeRampSeconds: coming.volumeRampSeconds, pan: coming.pan,
      rate: coming.rate)
    let range = readyUsed * 4..<(readyUsed + frames * channels) * 4
    let isWritten = unsafe ready.withUnsafeBytes { bytes in
      unsafe feed.write(
        packet: UnsafeRawBufferPointer(rebasing: bytes[range]), metadata: metadata,
        settings: settings)
    }
    guard isWritten else { return false }
    coming = ComingSettings()
    readyUsed += frames * channels
    writtenPackets += 1
    writtenFrames += Int64(frames)
    writtenNanoseconds += nanoseconds
    return true
  }

  private func beginStream() throws(AudioConverterError) -> Bool {
    let stream = CodedStreamDescription(
      format: decodedFormat, layout: layout ?? converter.outputLayout)
    let id = unsafe try feed.beginStream(
      stream, firstPacket: UnsafeRawBufferPointer(start: nil, count: 0), joinsPrevious: false,
      startFrame: coming.startFrame)
    guard id != nil else { return false }
    coming.startFrame = nil
    hasStream = true
    return true
  }

  /// Whether enqueued sound, or the end of it, is not in the ring yet and needs no further call to get there.
  var hasMoreToDo: Bool {
    current != nil || !entries.isEmpty || !decoded.isEmpty || readyUsed < ready.count
      || isFlushing || (isStopping && decoderHasInput)
  }

  /// Whether the end of all enqueued sound is in the ring, or was.
  var hasWrittenEnd: Bool {
    current == nil && entries.isEmpty && !isFlushing && !decoderHasInput && decoded.isEmpty
      && readyUsed == ready.count && !hasStream
  }

  /// Whether all enqueued sound has been rendered.
  var hasDrained: Bool { hasWrittenEnd && feed.entryCount == 0 }
}
