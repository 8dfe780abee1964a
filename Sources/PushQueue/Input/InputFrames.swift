// SPDX-License-Identifier: MIT

internal import AudioConversion
internal import AudioModel
internal import RenderCore

/// Converts planar float to the frames of a buffer, and measures it.
@safe
struct InputFrames {
  /// The most frames taken at once.
  static let chunkFrames = 1024

  let format: AudioStreamBasicDescription
  private let converter: AudioConverter
  private let channels: Int
  /// The frames of one chunk, a channel after the other.
  private var planes: [Float]
  var isMeasuring = false
  private var sums: [Double]
  private var peaks: [Float]
  private var measuredFrames = 0

  /// - Parameter inputs: the channels of the renderer's cycles.
  init(_ wanted: AudioStreamBasicDescription, sampleRate: Double, inputs: Int)
    throws(AudioQueueError)
  {
    var wanted = wanted
    if wanted.sampleRate == 0 { wanted.sampleRate = sampleRate }
    let refusal = Self.refusal(of: wanted, sampleRate: sampleRate, inputs: inputs)
    if let refusal { throw AudioQueueError(.formatNotSupported, refusal) }
    channels = Int(wanted.channelsPerFrame)
    let planar = AudioStreamBasicDescription(
      sampleRate: sampleRate, formatID: .linearPCM,
      formatFlags: [.float, .packed, .nonInterleaved], bytesPerPacket: 4, framesPerPacket: 1,
      bytesPerFrame: 4, channelsPerFrame: wanted.channelsPerFrame, bitsPerChannel: 32)
    do {
      converter = try AudioConverter(from: planar, to: wanted)
    } catch {
      throw AudioQueueError(.formatNotSupported, error.reason + "; " + Self.supported)
    }
    format = converter.outputFormat
    planes = [Float](repeating: 0, count: channels * Self.chunkFrames)
    sums = [Double](repeating: 0, count: channels)
    peaks = [Float](repeating: 0, count: channels)
  }

  var bytesPerFrame: Int { Int(format.bytesPerFrame) }

  private static let supported =
    "record interleaved linear PCM: float of 32 or 64 bits, or integers of 8 to 32"

  private static func refusal(
    of format: AudioStreamBasicDescription, sampleRate: Double, inputs: Int
  ) -> String? {
    if format.formatID != .linearPCM {
      return "cannot record \(format.formatID.name); \(supported)"
    }
    if format.formatFlags.contains(.nonInterleaved) {
      return "cannot record into one buffer a channel; \(supported)"
    }
    if format.sampleRate != sampleRate {
      return
        "cannot record at \(format.sampleRate) Hz from an output that runs at \(sampleRate) Hz: "
        + "record at \(sampleRate) Hz and convert, with AudioConverter"
    }
    if !(1...max(1, inputs)).contains(Int(format.channelsPerFrame)) || inputs == 0 {
      return "cannot record \(format.channelsPerFrame) channels from \(inputs) inputs: "
        + "record 1 to as many channels as there are inputs"
    }
    return nil
  }

  /// Stores one channel of a chunk.
  mutating func keep(_ samples: Span<Float>, of channel: Int) {
    guard channel < channels else { return }
    let start = channel * Self.chunkFrames
    for index in samples.indices { planes[start + index] = samples[index] }
  }

  /// Appends frames of the chunk to a buffer, which has room for them.
  mutating func write(_ frames: Range<Int>, to buffer: AudioQueueBuffer) {
    let byteCount = frames.count * bytesPerFrame
    unsafe planes.withUnsafeBytes { memory in
      let sources = unsafe (0..<channels).map { channel in
        let first = 4 * (channel * Self.chunkFrames + frames.lowerBound)
        return unsafe UnsafeRawBufferPointer(rebasing: memory[first..<first + 4 * frames.count])
      }
      let target = unsafe UnsafeMutableRawBufferPointer(
        rebasing: buffer.bytes[buffer.byteCount..<buffer.byteCount + byteCount])
      do {
        unsafe try converter.convert(sources, to: [target])
      } catch {
        preconditionFailure("whole frames of one rate are always converted: \(error)")
      }
    }
    buffer.byteCount += byteCount
    if isMeasuring { measure(frames) }
  }

  private mutating func measure(_ frames: Range<Int>) {
    for channel in 0..<channels {
      for index in frames {
        let sample = planes[channel * Self.chunkFrames + index]
        sums[channel] += Double(sample) * Double(sample)
        peaks[channel] = max(peaks[channel], sample.magnitude)
      }
    }
    measuredFrames += frames.count
  }

  /// Returns the levels since the last call.
  mutating func takeLevels() -> [AudioQueueLevel] {
    let levels = (0..<channels).map { channel in
      AudioQueueLevel(
        average: measuredFrames > 0
          ? Float((sums[channel] / Double(measuredFrames)).squareRoot()) : 0,
        peak: peaks[channel])
    }
    for channel in 0..<channels { (sums[channel], peaks[channel]) = (0, 0) }
    measuredFrames = 0
    return levels
  }
}
