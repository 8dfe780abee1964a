// SPDX-License-Identifier: MIT

internal import AudioModel
internal import Synchronization

/// A converter of one stream's packets to the output's frames: it decodes, resamples if the rates differ, and maps the
/// channels. Core Audio's AudioConverter with its fill callback.
///
/// The feeder's side makes, warms up and destroys it; the render thread uses it. It lives at a fixed address, because
/// it travels through the ring to the render thread and back.
@safe
struct StreamConverter: ~Copyable {
  /// The stream that it converts.
  let streamID: UInt32
  /// The owner's identification of the stream's first frame.
  let origin: StreamOrigin
  /// The first frame's position on the source's clock; below zero: as soon as possible.
  let startFrame: Double
  /// The first frame's position on a transport's time line; below zero: directly behind the sound before it.
  let transportNanoseconds: Int64
  let inputRate: Int
  /// Frames per second of its output.
  var outputRate: Int
  private let decoder: PacketDecoder
  // Behind a pointer: checked code cannot use an optional non-copyable value where it is stored.
  var resampler: UnsafeMutablePointer<Resampler>?
  /// A resampler for another output rate, from the feeder's side: an
  /// `UnsafeMutablePointer<ResamplerChange>`, or 0.
  let offeredChange = Atomic<UInt>(0)
  /// Changes that were taken, to be freed with the converter.
  var takenChanges: UnsafeMutablePointer<ResamplerChange>?
  /// Resamplers that a change has made unnecessary, to be freed with the converter.
  var bypassed: UnsafeMutablePointer<Resampler>?
  private let map: ChannelMap
  /// Channels of the stream.
  var channels: Int { @_noLocks get { map.inputs } }
  /// The direct conversion of samples from the packet to the output, and the outputs of the two channels; nil if
  /// packets have to be decoded.
  private let direct: (samples: StereoSamples, first: Int, second: Int)?
  /// With `direct`, the address of the frames that have not been output yet: in the packet, which stays at its
  /// address until the next one is requested. Nil if the frames are in `decoded`.
  private var directBytes: UnsafeRawPointer?
  /// Decoded frames that have not been output yet, interleaved.
  private(set) var decoded: UnsafePointer<Float>?
  private(set) var decodedFrames = 0
  /// Whether the last packet was decoded; the resampler's remainder may still have to be drained.
  var hasEnded = false
  /// Packets decoded since ``takePieces()``.
  var decodedPackets = 0
  /// Frames of the last of these packets.
  private(set) var packetFrames = 0
  /// The pieces of work that an output frame takes.
  var workRate = WorkRate()
  /// Whether no packet is to be decoded ahead until one was decoded or a block was made.
  var isAhead = false

  /// Packets decoded; `failedPacketCount` of them were replaced by silence.
  private(set) var packetCount: UInt64 = 0
  private(set) var failedPacketCount: UInt64 = 0
  /// The number of the last such packet, and its offset in the source.
  private(set) var failedPacketIndex: Int64 = 0
  private(set) var failedByteOffset: Int64 = 0
  /// The last packet's mark; 0 for none.
  private(set) var packetMark: UInt32 = 0

  /// The parameters of a converter.
  struct Configuration {
    var streamID: UInt32
    var origin = StreamOrigin(track: 0)
    var startFrame: Double?
    var transportNanoseconds: UInt64?
    var stream: CodedStreamDescription
    var outputRate: Int
    var outputChannels: Int
    var quality = ResamplerQuality.good
  }

  init(
    _ configuration: Configuration, firstPacket: UnsafeRawBufferPointer
  ) throws(AudioConverterError) {
    let format = configuration.stream.format
    let channels = Int(format.channelsPerFrame)
    guard (1...64).contains(channels), (1...1_000_000).contains(format.sampleRate) else {
      throw AudioConverterError.formatNotSupported(
        "\(format.formatID) with \(channels) channels at \(format.sampleRate) Hz")
    }
    // All failing steps come before anything is stored.
    let inputRate = Int(format.sampleRate.rounded())
    var resampler: UnsafeMutablePointer<Resampler>?
    if inputRate != configuration.outputRate {
      unsafe resampler = .allocating(
        try Resampler(
          inputRate: inputRate, outputRate: configuration.outputRate, channels: channels,
          quality: configuration.quality))
    }
    let decoder: PacketDecoder
    do throws(AudioConverterError) {
      decoder = unsafe try PacketDecoder(configuration.stream, firstPacket: firstPacket)
    } catch {
      unsafe resampler?.destroy()
      throw error
    }
    let samples = decoder.stereoSamples
    self.inputRate = inputRate
    self.decoder = decoder
    unsafe self.resampler = resampler
    outputRate = configuration.outputRate
    streamID = configuration.streamID
    origin = configuration.origin
    startFrame = configuration.startFrame ?? -1
    transportNanoseconds = configuration.transportNanoseconds.map { Int64(clamping: $0) } ?? -1
    map = ChannelMap(
      inputs: channels, outputs: configuration.outputChannels, layout: configuration.stream.layout)
    if let samples, let (first, second) = map.stereoOutputs {
      direct = (samples, first, second)
    } else {
      direct = nil
    }
  }

  deinit {
    unsafe resampler?.destroy()
    unsafe ResamplerChange.free(in: offeredChange, taken: takenChanges)
    unsafe Self.free(bypassed: bypassed)
  }

  /// Makes a converter at an address of its own.
  static func make(
    _ configuration: Configuration, firstPacket: UnsafeRawBufferPointer
  ) throws(AudioConverterError) -> UnsafeMutablePointer<StreamConverter> {
    unsafe .allocating(try StreamConverter(configuration, firstPacket: firstPacket))
  }

  /// Frees a converter made by ``make(_:firstPacket:)``. Never on the render thread.
  static func destroy(_ address: UnsafeMutablePointer<StreamConverter>) {
    unsafe address.destroy()
  }

  /// Output frames of the resampler's input that have not come out yet.
  var pendingOutputFrames: Int64 {
    @_noLocks get {
      guard let resampler = unsafe resampler else { return 0 }
      return unsafe resampler.pointee.pendingOutputFrames
    }
  }

  /// Output frames until all decoded sound has been output and has rung out.
  var framesUntilSilence: Int {
    @_noLocks get {
      guard let resampler = unsafe resampler else { return decodedFrames }
      return unsafe resampler.pointee.framesUntilSilence(after: decodedFrames)
    }
  }

  /// Returns whether the next stream can continue through this one's resampler: same rates, same channel count.
  @_noLocks
  func canBeJoined(by next: UnsafeMutablePointer<StreamConverter>) -> Bool {
    unsafe inputRate == next.pointee.inputRate && outputRate == next.pointee.outputRate
      && channels == next.pointee.channels
  }

  /// Takes over the resampler of the stream before, with its pending output; that stream receives this one's unused
  /// resampler, to be freed with it.
  @_noLocks
  mutating func join(after previous: UnsafeMutablePointer<StreamConverter>) {
    let unused = unsafe resampler
    unsafe resampler = previous.pointee.resampler
    unsafe previous.pointee.resampler = unused
  }

  /// Writes `frameCount` frames to the outputs, from `offset` on, or as many as there are.
  ///
  /// Real-time: wait-free. The work is bounded by the requested frames, plus one packet's decode.
  @_noLocks
  mutating func fill(
    _ buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, offset: Int,
    frameCount: Int, from source: inout RingPacketSource
  ) -> (frames: Int, status: ConversionStatus) {
    var given = 0
    while given < frameCount {
      if needsPacket {
        let status = decodeNext(from: &source)
        guard case .complete = status else { return (given, status) }
        continue
      }
      given += unsafe convert(
        into: buffers, offset: offset + given, frameCount: frameCount - given)
    }
    return (given, .complete)
  }

  /// Whether there is no more output without another packet.
  var needsPacket: Bool {
    @_noLocks get {
      if decodedFrames > 0 { return false }
      guard let resampler = unsafe resampler else { return true }
      return unsafe !resampler.pointee.hasOutput()
    }
  }

  /// Decodes a packet whose sound is discarded. On the feeder's side, before the converter is in the ring.
  ///
  /// - Returns: false if it could not be decoded.
  mutating func prepare(_ bytes: UnsafeRawBufferPointer, _ metadata: PacketMetadata) -> Bool {
    guard let start = bytes.baseAddress else { return true }
    let isDecoded = unsafe decode(
      FilledPacket(
        bytes: start, byteCount: bytes.count, frameCount: Int(metadata.frameCount),
        trimStartFrames: Int(metadata.trimStartFrames), trimEndFrames: Int(metadata.trimEndFrames),
        isConcealed: metadata.isConcealed, packetIndex: metadata.packetIndex,
        byteOffset: metadata.byteOffset))
    unsafe directBytes = nil
    decodedFrames = 0
    return isDecoded
  }

  /// Writes the resampler's remainder after the end of the stream.
  ///
  /// - Returns: frames written; fewer than requested only if nothing is left.
  @_noLocks @inline(never)
  mutating func drain(
    _ buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, offset: Int, frameCount: Int
  ) -> Int {
    guard let resampler = unsafe resampler else { return 0 }
    var given = 0
    while given < frameCount {
      let (samples, count) = unsafe resampler.pointee.drain(frameCount - given)
      if count == 0 { break }
      unsafe map.write(samples, frames: count, to: buffers, at: offset + given)
      given += count
    }
    return given
  }

  /// Frames that can be converted directly from the packet to the outputs.
  var directFrames: Int {
    @_noLocks get { unsafe directBytes == nil ? 0 : decodedFrames }
  }

  /// Moves some frames to the outputs.
  ///
  /// - Returns: the number of frames; 0 if the resampler has taken some instead, or if there are none.
  @_noLocks
  mutating func convert(
    into buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, offset: Int,
    frameCount: Int
  ) -> Int {
    if let direct, let bytes = unsafe directBytes {
      let count = min(decodedFrames, frameCount)
      unsafe direct.samples.write(
        bytes, frames: count, first: buffers[direct.first] + offset,
        second: buffers[direct.second] + offset)
      unsafe directBytes = bytes + count * direct.samples.bytesPerFrame
      decodedFrames -= count
      return count
    }
    return unsafe convertDecoded(into: buffers, offset: offset, frameCount: frameCount)
  }

  /// Moves decoded frames to the outputs.
  @_noLocks @inline(never)
  private mutating func convertDecoded(
    into buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, offset: Int,
    frameCount: Int
  ) -> Int {
    guard let resampler = unsafe resampler else {
      guard let decoded = unsafe decoded else { return 0 }
      let count = min(decodedFrames, frameCount)
      unsafe map.write(decoded, frames: count, to: buffers, at: offset)
      consume(count)
      return count
    }
    let (samples, count) = unsafe resampler.pointee.give(frameCount)
    if count > 0 {
      unsafe map.write(samples, frames: count, to: buffers, at: offset)
    } else if unsafe resampler.pointee.isBypassed {
      endBypass()
    } else if let decoded = unsafe decoded, decodedFrames > 0 {
      consume(unsafe resampler.pointee.take(decoded, inputCount: decodedFrames))
    }
    return count
  }

  @_noLocks
  mutating func consume(_ frames: Int) {
    skip(frames)
    decodedFrames -= frames
  }

  @_noLocks
  private mutating func skip(_ frames: Int) {
    if let start = unsafe decoded { unsafe decoded = start + frames * map.inputs }
  }

  /// Decodes the rest of a packet that was being converted directly: it has to be resampled now.
  @_noLocks
  mutating func decodeDirectFrames() {
    guard let direct, let bytes = unsafe directBytes else { return }
    unsafe directBytes = nil
    guard decodedFrames > 0 else { return }
    let rest = unsafe FilledPacket(
      bytes: bytes, byteCount: decodedFrames * direct.samples.bytesPerFrame,
      frameCount: decodedFrames, trimStartFrames: 0, trimEndFrames: 0)
    let output = decoder.decode(rest)
    unsafe decoded = output.samples
    decodedFrames = min(decodedFrames, output.frames)
  }

  /// Requests one packet and decodes it. `complete` with no decoded frames means that the whole packet was trimmed.
  /// After `packetFailed` the decoded frames are the packet's replacement, after `packetMarked` the packet's own.
  @_noLocks
  mutating func decodeNext(
    from source: inout RingPacketSource
  ) -> ConversionStatus {
    if hasEnded { return .endOfStream }
    switch source.nextPacket() {
    case .noData: return .noData
    case .endOfStream:
      hasEnded = true
      return .endOfStream
    case .packet(let packet):
      packetMark = packet.mark
      guard decode(packet) else { return .packetFailed }
      return packetMark == 0 ? .complete : .packetMarked
    }
  }

  /// Decodes a packet, once the frames of the one before have been output.
  ///
  /// - Returns: false for one that could not be decoded; its frames are then a replacement.
  @_noLocks
  mutating func decode(_ packet: FilledPacket) -> Bool {
    packetCount &+= 1
    var frames: Int
    var isDecoded = true
    if let direct, unsafe resampler == nil {
      unsafe directBytes = packet.bytes
      frames = min(
        min(packet.frameCount, packet.byteCount / direct.samples.bytesPerFrame),
        StereoSamples.maximumFramesPerRun)
    } else {
      let output = decoder.decode(packet)
      decodedPackets += 1
      unsafe directBytes = nil
      unsafe decoded = output.samples
      frames = output.frames
      packetFrames = frames
      isDecoded = output.isDecoded
    }
    let start = min(packet.trimStartFrames, frames)
    if let direct, let bytes = unsafe directBytes {
      unsafe directBytes = bytes + start * direct.samples.bytesPerFrame
    } else {
      skip(start)
    }
    // The frames trimmed at the end are counted from the end that the container states.
    decodedFrames = max(0, min(frames, packet.frameCount - packet.trimEndFrames) - start)
    if isDecoded && !packet.isConcealed { return true }
    failedPacketCount &+= 1
    failedPacketIndex = packet.packetIndex
    failedByteOffset = packet.byteOffset
    return false
  }
}
