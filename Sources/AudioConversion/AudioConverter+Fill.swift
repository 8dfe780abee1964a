// SPDX-License-Identifier: MIT

internal import AudioModel

extension AudioConverter {
  /// The most frames moved at once.
  private static var framesPerStep: Int { 1024 }

  /// Writes output packets, which are frames, until all are written, the stream ends, or the callback stops it.
  /// Core Audio's `AudioConverterFillComplexBuffer`.
  ///
  /// Written packets are part of the result whatever the status is, and no packet that the callback has passed
  /// is lost: the next call goes on where this one stopped. The callback runs inside this call, on the same
  /// thread, only when a packet is needed; it must not call the converter.
  ///
  /// - Parameters:
  ///   - buffers: the destination: one buffer, or one for each channel if the output is not interleaved. Never
  ///     written beyond their size.
  ///   - packetCount: the packets wanted, limited by the room in every buffer; nil for as many as fit. With 0
  ///     nothing is done.
  ///   - input: returns packets; receives the fewest that are wanted, and may return fewer or more.
  /// - Returns: the number of packets written, and the reason for the end.
  public func fill(
    _ buffers: [UnsafeMutableRawBufferPointer], packetCount: Int? = nil,
    from input: (_ minimumPacketCount: Int) -> Answer
  ) -> Fill {
    if packetCount == 0 { return Fill(packetCount: 0, status: .complete) }
    let planes = outputSamples.planes
    guard let byteCount = unsafe buffers.prefix(planes).map(\.count).min(),
      unsafe buffers.count >= planes,
      byteCount >= outputSamples.bytesPerFrame, (packetCount ?? 1) > 0
    else {
      return failure(
        .invalidOutputSize,
        unsafe "\(buffers.count) buffers have no room for a frame")
    }
    guard !isFilling else {
      return failure(.operationNotSupported, "the fill callback called its converter")
    }
    isFilling = true
    defer { isFilling = false }
    let room = byteCount / outputSamples.bytesPerFrame
    let wanted = min(packetCount ?? room, room)
    let targets = unsafe buffers.prefix(planes).compactMap(\.baseAddress)
    var given = 0
    do throws(AudioConversionError) {
      let status = unsafe try fill(targets, wanted: wanted, given: &given, from: input)
      run?.detach()
      return Fill(packetCount: given, status: status)
    } catch {
      run?.detach()
      return Fill(packetCount: given, status: .failed(error))
    }
  }

  /// Writes interleaved output packets into an array's memory, such as `samples.mutableSpan`. Otherwise as the
  /// other `fill`.
  public func fill<Sample: Numeric & BitwiseCopyable>(
    _ samples: inout MutableSpan<Sample>, packetCount: Int? = nil,
    from input: (_ minimumPacketCount: Int) -> Answer
  ) -> Fill {
    unsafe samples.withUnsafeMutableBytes { buffer in
      unsafe fill([buffer], packetCount: packetCount, from: input)
    }
  }

  private func failure(_ code: AudioConversionError.Code, _ reason: String) -> Fill {
    Fill(packetCount: 0, status: .failed(AudioConversionError(code, reason)))
  }

  private func fill(
    _ targets: [UnsafeMutableRawPointer], wanted: Int, given: inout Int,
    from input: (Int) -> Answer
  ) throws(AudioConversionError) -> Status {
    while given < wanted {
      let count = unsafe try convert(into: targets, at: given, frames: wanted - given)
      given += count
      if count > 0 { continue }
      if hasEnded { return .endOfStream }
      if let status = try ask(input, remaining: wanted - given) { return status }
    }
    return .complete
  }

  /// Converts frames without a call of the callback.
  ///
  /// - Returns: the number of frames written; 0 when more packets are needed, or at the end nothing is left.
  private func convert(
    into targets: [UnsafeMutableRawPointer], at offset: Int, frames: Int
  ) throws(AudioConversionError) -> Int {
    while true {
      dropLeadingFrames()
      // After the end the rate converter may deliver only frames that belong to its input.
      if ratePlan != nil, hasEnded, decoded.count == 0 {
        return unsafe try preparedRateConverter().drain(outputCount: frames) { samples, count in
          unsafe write(samples, frames: count, to: targets, at: offset)
        }
      }
      if ratePlan == nil {
        if decoded.count > 0 {
          let count = min(frames, decoded.count, Self.framesPerStep)
          unsafe decoded.read { source in
            unsafe write(source, frames: count, to: targets, at: offset)
          }
          decoded.drop(count)
          return count
        }
      } else {
        let count = unsafe try preparedRateConverter().process(
          &decoded, outputCount: frames
        ) { samples, count in
          unsafe write(samples, frames: count, to: targets, at: offset)
        }
        if count > 0 { return count }
      }
      guard try decodeNext(frames) else { return 0 }
    }
  }

  private func dropLeadingFrames() {
    let dropped = min(leadingFramesLeft, decoded.count)
    decoded.drop(dropped)
    leadingFramesLeft -= dropped
  }

  /// Decodes the next packets of the current run.
  ///
  /// - Returns: false when the run is used up.
  private func decodeNext(_ framesWanted: Int) throws(AudioConversionError) -> Bool {
    guard run?.isUsedUp == false else { return false }
    if let inputSamples {
      // Without a rate conversion only the needed frames, so that the rest stays with the caller.
      let limit =
        ratePlan == nil ? min(framesWanted, Self.framesPerStep) : Self.framesPerStep
      unsafe run?.takePackets(limit) { planes, count, _ in
        let addresses = unsafe planes.compactMap(\.baseAddress)
        unsafe decoded.replace(frames: count) { target in
          unsafe inputSamples.read(addresses, frames: count, into: target)
        }
      }
      return true
    }
    guard let decoder else { return false }
    let framesPerPacket = Int(inputFormat.framesPerPacket)
    let limit = framesPerPacket == 1 && inputFormat.bytesPerPacket > 0 ? Self.framesPerStep : 1
    var result = Result<Bool, AudioConversionError>.success(true)
    unsafe run?.takePackets(limit) { planes, count, statedFrames in
      let frames =
        framesPerPacket > 0
        ? framesPerPacket * count
        : unsafe inputFormat.frameCount(of: planes[0], stated: statedFrames)
      do throws(AudioConversionError) {
        result = .success(
          unsafe try decoder.decode(planes[0], frameCount: frames, into: &decoded))
      } catch {
        result = .failure(error)
      }
    }
    if !(try result.get()) { failedPacketCount += 1 }
    try adoptFormat(of: decoder)
    return true
  }

  /// Asks the callback for packets.
  ///
  /// - Returns: the status with which to stop; nil to go on.
  private func ask(
    _ input: (Int) -> Answer, remaining: Int
  ) throws(AudioConversionError) -> Status? {
    // From here on the caller may reuse its memory.
    run = nil
    switch input(minimumPackets(forOutputFrames: remaining)) {
    case .packets(let packets) where packets.count != 0:
      run = try InputRun(packets, format: inputFormat, planes: inputSamples?.planes ?? 1)
      return nil
    case .packets, .endOfStream, .status(0):
      hasEnded = true
      return nil
    case .status(let status): return .stopped(status)
    }
  }

  /// Returns the fewest packets that can suffice for this many output frames.
  private func minimumPackets(forOutputFrames frames: Int) -> Int {
    var needed = frames
    if let ratePlan {
      let taken = rateConverter?.takenFrames ?? 0
      needed = ratePlan.neededInputFrames(
        frames, lookAhead: lookAhead, takenFrames: taken, priming: effectivePrimeMethod)
    }
    needed += leadingFramesLeft
    let framesPerPacket = Int(inputFormat.framesPerPacket)
    return framesPerPacket == 0 ? 1 : max(1, (needed + framesPerPacket - 1) / framesPerPacket)
  }

  /// Returns the rate converter, creating it on the first use.
  private func preparedRateConverter() throws(AudioConversionError) -> RateConverter {
    if let rateConverter { return rateConverter }
    guard let ratePlan else {
      throw AudioConversionError(.unspecified, "there is no rate conversion")
    }
    let made = try RateConverter(
      ratePlan, lookAhead: lookAhead, priming: effectivePrimeMethod)
    rateConverter = made
    return made
  }

  /// Routes interleaved frames, and writes them from the output's frame `offset` on.
  func write(
    _ source: UnsafePointer<Double>, frames: Int, to targets: [UnsafeMutableRawPointer],
    at offset: Int
  ) {
    let places = unsafe targets.map { unsafe $0 + offset * outputSamples.bytesPerFrame }
    if routing.isIdentity {
      unsafe outputSamples.write(source, frames: frames, to: places)
      return
    }
    let count = frames * routing.outputs
    if mixed.count < count { mixed = Array(repeating: 0, count: count) }
    unsafe mixed.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      unsafe routing.route(source, frames: frames, to: base)
      unsafe outputSamples.write(base, frames: frames, to: places)
    }
  }

  private func write(
    _ source: UnsafePointer<Float>, frames: Int, to targets: [UnsafeMutableRawPointer],
    at offset: Int
  ) {
    let count = frames * routing.inputs
    if widened.count < count { widened = Array(repeating: 0, count: count) }
    unsafe widened.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      for i in 0..<count { unsafe base[i] = Double(source[i]) }
      unsafe write(base, frames: frames, to: targets, at: offset)
    }
  }
}

extension AudioStreamBasicDescription {
  /// Returns the frames of a packet whose number varies: from its description, else from its bytes. A 0 in the
  /// description means unknown: Vorbis's first packet has no frames, which its decoder detects.
  fileprivate func frameCount(of packet: UnsafeRawBufferPointer, stated: Int) -> Int? {
    if stated > 0 { return min(stated, 1 << 16) }
    guard formatID == .opus else { return nil }
    return unsafe packet.withMemoryRebound(to: UInt8.self) { bytes in
      unsafe OpusPacket.frames(bytes.span)
    }
  }
}
