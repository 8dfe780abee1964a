// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
internal import PacketDecoders
internal import RenderCore

/// Decodes a stream's packets into runs of linear PCM before they enter the ring. A run has the metadata of its packet,
/// so the render path treats runs and packets alike.
///
/// Holds the frames of one packet at a time. Feeder thread only.
final class AheadStage {
  /// The decoder: one that the callback could use as well, or one that it never can.
  private enum Decoder {
    case callback(OfflinePacketDecoder)
    case library(AheadDecoder)
  }

  private let decoder: Decoder
  /// The stream's stated format. The decoder may return another rate and channel count: only it detects spectral band
  /// replication and parametric stereo.
  private let stated: CodedStreamDescription
  /// The position of the stream, until its first frame has been decoded.
  private var start: StreamStart
  /// The stream and title that begin with the next decoded frame.
  private var news = RunNews()
  /// The next run begins a stream: it is the first, or the decoder has changed its format.
  private var startsStream = true

  /// Creates a stage for a format that the callback could decode too.
  ///
  /// - Parameter firstPacket: the packet that will be decoded first.
  init(
    _ stream: CodedStreamDescription, at start: StreamStart, firstPacket: UnsafeRawBufferPointer
  ) throws(AudioConverterError) {
    decoder = .callback(unsafe try OfflinePacketDecoder(stream, firstPacket: firstPacket))
    stated = stream
    self.start = start
  }

  /// Creates a stage for any other format.
  init(_ stream: CodedStreamDescription, at start: StreamStart) throws(AheadDecoderError) {
    decoder = .library(try AheadDecoder(stream))
    stated = stream
    self.start = start
  }

  /// Decodes one packet into `output`.
  ///
  /// - Parameters:
  ///   - said: the station's metadata from the packet on.
  ///   - outputRate: the rate for a stream that begins with the packet, in frames per second.
  /// - Throws: `AudioConverterError` if the stream that begins cannot be resampled to that rate.
  func decode(
    _ packet: Span<UInt8>, metadata: PacketMetadata, said: StreamMetadata?,
    into output: AheadOutput, outputRate: Int
  ) throws(AudioConverterError) {
    if let said { news.said = (said, start.origin.track) }
    switch decoder {
    case .callback(let decoder):
      var failure: AudioConverterError?
      unsafe packet.withUnsafeBytes { bytes in
        guard
          let decoded = unsafe decoder.decode(bytes, frameCount: Int(metadata.frameCount)),
          unsafe decoded.frames > 0
        else { return }
        let channels = Int(stated.format.channelsPerFrame)
        let samples = unsafe Span(
          _unsafeStart: decoded.samples, count: decoded.frames * channels)
        do throws(AudioConverterError) {
          try pass(
            samples,
            unsafe Decoded(
              frames: decoded.frames, isDecoded: decoded.isDecoded,
              stream: stated.decoded(as: stated.format, layout: stated.layout)),
            metadata: metadata, to: output, outputRate: outputRate)
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
    case .library(let decoder):
      let decoded = decoder.decode(packet, frameCount: Int(metadata.frameCount))
      if decoded.changesFormat { startsStream = true }
      guard decoded.frames > 0 else { return }
      try pass(
        decoder.samples,
        Decoded(
          frames: decoded.frames, isDecoded: decoded.isDecoded,
          stream: stated.decoded(as: decoder.outputFormat, layout: decoder.outputLayout)),
        metadata: metadata, to: output, outputRate: outputRate)
    }
  }

  /// A decoded packet.
  private struct Decoded {
    var frames: Int
    var isDecoded: Bool
    /// The format of the frames.
    var stream: CodedStreamDescription
  }

  /// - Parameter samples: the packet's frames, interleaved.
  private func pass(
    _ samples: Span<Float>, _ packet: Decoded, metadata: PacketMetadata, to output: AheadOutput,
    outputRate: Int
  ) throws(AudioConverterError) {
    let format = packet.stream.format
    let channels = Int(format.channelsPerFrame)
    let scale = max(1, (format.sampleRate / stated.format.sampleRate).rounded())
    // Frames that a short packet lacks of its stated duration need no trimming.
    let missing = Int(Double(metadata.frameCount) * scale) - packet.frames
    let edges = Edges(
      start: Int(Double(metadata.trimStartFrames) * scale),
      end: Int(Double(metadata.trimEndFrames) * scale) - max(0, missing), frames: packet.frames)
    let runFrames = PacketRun.maximumFrames(bytesPerFrame: 4 * channels)
    var done = 0
    var isTold = packet.isDecoded
    while done < packet.frames {
      let count = min(runFrames, packet.frames - done)
      defer { done += count }
      let trims = edges.trims(of: done..<done + count)
      let heardFrames = count - Int(trims.start) - Int(trims.end)
      // Only the decoder needed these frames.
      guard heardFrames > 0 else { continue }
      let run = PacketMetadata(
        flushSerial: metadata.flushSerial, packetIndex: metadata.packetIndex,
        // A file may claim any first frame number.
        firstFrame: Int64(min(Double(metadata.firstFrame) * scale, 0x1p61)) + Int64(done),
        frameCount: Int32(count), trimStartFrames: trims.start, trimEndFrames: trims.end,
        byteOffset: metadata.byteOffset,
        durationNanoseconds: UInt64(Double(heardFrames) / format.sampleRate * 1_000_000_000),
        // Only the first run with sound reports the failure.
        isConcealed: !isTold)
      isTold = true
      if startsStream {
        news.begun = (packet.stream, start)
        // A later stream of the same track continues its time.
        start.origin.startNanoseconds = nil
      }
      startsStream = false
      let fresh = news
      news = RunNews()
      try output.append(
        samples.extracting(done * channels..<(done + count) * channels), metadata: run,
        news: fresh, outputRate: outputRate)
    }
  }
}

extension CodedStreamDescription {
  /// Returns the description of the decoded stream: 32-bit floats at a format's rate and channel count.
  fileprivate func decoded(
    as format: AudioStreamBasicDescription, layout: AudioChannelLayout?
  ) -> Self {
    CodedStreamDescription(
      format: .decoded(sampleRate: format.sampleRate, channels: format.channelsPerFrame),
      layout: layout)
  }
}

/// The frames of a packet that are kept; the others are cut.
private struct Edges {
  private let sound: Range<Int>

  init(start: Int, end: Int, frames: Int) {
    let first = min(max(0, start), frames)
    sound = first..<max(first, frames - max(0, end))
  }

  /// Returns the frames to cut at the start and end of a range.
  func trims(of frames: Range<Int>) -> (start: Int32, end: Int32) {
    let kept = sound.clamped(to: frames)
    if kept.isEmpty { return (Int32(frames.count), 0) }
    return (
      Int32(kept.lowerBound - frames.lowerBound), Int32(frames.upperBound - kept.upperBound)
    )
  }
}
