// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import RenderCore

/// A measurement that plays the sequence from a renderer's first output at a known frame, and finds it at its first
/// input.
struct LatencyProbe: ~Copyable {
  /// The result of one look at the captured frames.
  enum Step {
    case waiting
    /// Frames were lost: measure again.
    case broken
    case arrived(MaximumLengthSequence.Arrival)
    /// All frames have arrived, and do not contain the sequence.
    case notHeard
  }

  /// The longest latency that can be found, in seconds.
  static let longestSeconds = 1.0
  /// The minimum clearness of a position at which the sequence counts as found.
  private static let leastClearness = 4.0

  private let renderer: Renderer
  private let control: SourceControl
  private var reader: CaptureReader
  private let startFrame: UInt64
  private let wantedFrames: Int
  /// Whether the start frame was set too late.
  private let isLate: Bool
  private var recording: [Float] = []

  /// - Parameters:
  ///   - level: gain of the sequence; 1 is full scale.
  ///   - leadFrames: frames from now to the start of the sequence.
  ///   - period: frames of a cycle.
  /// - Throws: `AudioConverterError` if the rate is not supported.
  init(_ renderer: Renderer, level: Float, leadFrames: Int, period: Int) throws {
    self.renderer = renderer
    let source = renderer.addSource(ringBytes: 1 << 19, ringPackets: 256)
    control = source.control
    reader = renderer.addCapture(capacityFrames: 1 << 18)
    var feed = source.feed
    try Self.feed(&feed, level: level, sampleRate: renderer.sampleRate)
    wantedFrames =
      MaximumLengthSequence.values.count + Int(Self.longestSeconds * renderer.sampleRate)
    startFrame = renderer.telemetry.frames + UInt64(leadFrames)
    control.startFrame = startFrame
    control.mode = .play
    // A cycle under way may not have seen the start frame.
    isLate = renderer.telemetry.frames + 2 * UInt64(period) > startFrame
  }

  deinit {
    renderer.remove(control)
    renderer.remove(reader)
  }

  /// Reads the newly captured frames; searches them for the sequence once all have arrived.
  mutating func step() -> Step {
    if isLate { return .broken }
    while recording.count < wantedFrames {
      var samples: [Float] = []
      let item = reader.read { _, channel, span in
        if channel == 0 { for index in span.indices { samples.append(span[index]) } }
      }
      switch item {
      case .empty: return .waiting
      case .discontinuity: if !recording.isEmpty { return .broken }
      case .frames(let frames):
        // Drops the frames from before the start of the sequence.
        let early = startFrame > frames.deviceFrame ? Int(startFrame - frames.deviceFrame) : 0
        if recording.isEmpty, frames.deviceFrame > startFrame { return .broken }
        recording += samples.dropFirst(early)
      }
    }
    if control.counters.underruns > 0 { return .broken }
    guard let arrival = MaximumLengthSequence.find(in: recording),
      arrival.clearness >= Self.leastClearness
    else { return .notHeard }
    return .arrived(arrival)
  }

  /// Writes the whole sequence into the ring.
  private static func feed(
    _ feed: inout SourceFeed, level: Float, sampleRate: Double
  ) throws {
    let format = AudioStreamBasicDescription.linearPCM(
      sampleRate: sampleRate, channels: 1, bitsPerChannel: 32, flags: [.float, .packed])
    let values = MaximumLengthSequence.values.map { $0 * level }
    let packetFrames = 1024
    for (index, start) in stride(from: 0, to: values.count, by: packetFrames).enumerated() {
      let samples = Array(values[start..<min(start + packetFrames, values.count)])
      let metadata = PacketMetadata(
        flushSerial: 0, packetIndex: Int64(index), firstFrame: Int64(start),
        frameCount: Int32(samples.count), trimStartFrames: 0, trimEndFrames: 0,
        byteOffset: Int64(start * 4),
        durationNanoseconds: UInt64(Double(samples.count) * 1e9 / sampleRate))
      let isTaken = try unsafe samples.withUnsafeBytes { bytes in
        if index == 0,
          try unsafe feed.beginStream(
            CodedStreamDescription(format: format), firstPacket: bytes, joinsPrevious: false) == nil
        {
          return false
        }
        return unsafe feed.write(packet: bytes, metadata: metadata)
      }
      precondition(isTaken, "the ring has room for the sequence")
    }
    _ = feed.endStream()
  }

  /// Returns the frames from a monitor's input to its output, measured without a server in cycles of `period` frames.
  static func framesThroughMonitor(period: Int) -> Int? {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1, inputChannels: 1)
    var settings = MonitorSettings(inputs: 1, outputs: 1)
    settings.rampSeconds = 0
    _ = renderer.addMonitor(settings)
    var output = OfflineOutput(renderer: renderer)
    let input = [Float](repeating: 0, count: period) + MaximumLengthSequence.values
    var heard: [Float] = []
    for start in stride(from: 0, to: input.count, by: period) {
      output.render(inputs: [Array(input[start..<min(start + period, input.count)])]) { _, span in
        for index in span.indices { heard.append(span[index]) }
      }
    }
    heard += [Float](repeating: 0, count: 8192)
    return MaximumLengthSequence.find(in: heard).map { $0.frames - period }
  }
}
