// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
internal import PacketDecoders
internal import RenderCore

/// Decodes a stream's packets before they go into the ring: what comes out are runs of linear PCM with
/// the history of the packets that they were, so that the render path does not know the difference.
///
/// Holds the frames of one packet at a time. Feeder thread only.
final class AheadStage {
  /// Runs that wait for room in the ring.
  var packets = PendingPackets()
  private let decoder: AheadDecoder
  /// Frames per second of the packets' histories; the decoder may give more (spectral band
  /// replication that only it comes upon).
  private let statedRate: Double
  /// What the station says of packets that have given no frame yet.
  private var pendingSaid: StreamMetadata?
  /// The next run begins a stream: it is the first, or the decoder has changed its format.
  private var startsStream = true

  init(_ stream: CodedStreamDescription) throws(AheadDecoderError) {
    decoder = try AheadDecoder(stream)
    statedRate = stream.format.sampleRate
  }

  /// Decodes one packet into ``packets``.
  func decode(_ packet: Span<UInt8>, history: PacketHistory, said: StreamMetadata? = nil) {
    let decoder = decoder
    let output = decoder.decode(packet, frameCount: Int(history.frameCount))
    if output.changesFormat { startsStream = true }
    if let said { pendingSaid = said }
    guard output.frames > 0 else { return }
    let format = decoder.outputFormat
    let channels = Int(format.channelsPerFrame)
    let scale = max(1, (format.sampleRate / statedRate).rounded())
    // What a short packet lacks of its stated duration is cut already.
    let missing = Int(Double(history.frameCount) * scale) - output.frames
    let edges = Edges(
      start: Int(Double(history.trimStartFrames) * scale),
      end: Int(Double(history.trimEndFrames) * scale) - max(0, missing), frames: output.frames)
    let runFrames = PacketRun.maximumFrames(bytesPerFrame: 4 * channels)
    let samples = decoder.samples
    var done = 0
    var isTold = output.isDecoded
    while done < output.frames {
      let count = min(runFrames, output.frames - done)
      defer { done += count }
      let trims = edges.trims(of: done..<done + count)
      let heardFrames = count - Int(trims.start) - Int(trims.end)
      // The decoder has heard it, and nobody else will.
      guard heardFrames > 0 else { continue }
      let run = PacketHistory(
        generation: history.generation, packetIndex: history.packetIndex,
        firstFrame: Int64(Double(history.firstFrame) * scale) + Int64(done),
        frameCount: Int32(count), trimStartFrames: trims.start, trimEndFrames: trims.end,
        byteOffset: history.byteOffset,
        durationNanoseconds: UInt64(Double(heardFrames) / format.sampleRate * 1_000_000_000),
        // Told once, with the first run that is heard.
        isConcealed: !isTold)
      isTold = true
      packets.append(
        samples, in: done * channels..<(done + count) * channels, history: run,
        startsStream: startsStream ? description : nil, said: pendingSaid)
      startsStream = false
      pendingSaid = nil
    }
  }

  private var description: CodedStreamDescription {
    CodedStreamDescription(format: decoder.outputFormat, layout: decoder.outputLayout)
  }
}

/// Which of a packet's frames are cut.
private struct Edges {
  private let sound: Range<Int>

  init(start: Int, end: Int, frames: Int) {
    let first = min(max(0, start), frames)
    sound = first..<max(first, frames - max(0, end))
  }

  /// What is cut of some of the frames.
  func trims(of frames: Range<Int>) -> (start: Int32, end: Int32) {
    let kept = sound.clamped(to: frames)
    if kept.isEmpty { return (Int32(frames.count), 0) }
    return (
      Int32(kept.lowerBound - frames.lowerBound), Int32(frames.upperBound - kept.upperBound)
    )
  }
}
