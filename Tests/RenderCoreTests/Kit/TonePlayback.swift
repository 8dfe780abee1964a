// SPDX-License-Identifier: MIT

import AudioModel
import Glibc
import OfflineOutput
import RenderCore
import TestKit
import Testing

/// A division of time into cycles.
enum Cuts: Sendable, CustomTestStringConvertible {
  case even(Int)
  case random(seed: UInt64)

  static let all: [Cuts] = [
    .even(16), .even(64), .even(256), .even(1000), .even(8192), .random(seed: 1), .random(seed: 2),
  ]

  var testDescription: String { "\(self)" }

  /// Returns the lengths of cycles that add up to `frames`.
  func cycles(_ frames: Int, _ random: inout SplitMix) -> [Int] {
    var (left, cycles) = (frames, [Int]())
    while left > 0 {
      let wanted =
        switch self {
        case .even(let count): count
        case .random: Int.random(in: 1...600, using: &random)
        }
      cycles.append(min(wanted, left))
      left -= cycles[cycles.count - 1]
    }
    return cycles
  }

  var generator: SplitMix {
    switch self {
    case .even: SplitMix(state: 0)
    case .random(let seed): SplitMix(state: seed)
    }
  }
}

/// A source that plays a tone of 60 Hz at a quarter of full scale, which begins at its crest.
final class TonePlayback {
  let renderer: Renderer
  let control: SourceControl
  private let rate: Double
  private var feed: SourceFeed
  private var output: OfflineOutput
  private let cuts: Cuts
  private var random: SplitMix
  private var packets: Int64 = 0

  init(rate: Double = 48000, channels: Int = 1, cuts: Cuts = .even(64)) {
    self.rate = rate
    self.cuts = cuts
    random = cuts.generator
    renderer = Renderer(sampleRate: rate, outputChannels: channels)
    let source = renderer.addSource()
    control = source.control
    feed = source.feed
    output = OfflineOutput(renderer: renderer)
    control.mode = .play
  }

  static func tone(_ frames: Int, rate: Double = 48000, from first: Int = 0) -> [Float] {
    (first..<first + frames).map {
      0.25 * Float(cos(2 * Double.pi * 60 * Double($0) / rate))
    }
  }

  /// Writes a stream.
  ///
  /// - Parameters:
  ///   - first: the frame of the tone that the stream begins with.
  ///   - origin: the track and the position of that frame.
  ///   - settings: the settings of packets, by the packet's number.
  func write(
    _ frames: Int, from first: Int = 0, flushSerial: UInt32 = 0,
    origin: StreamOrigin = StreamOrigin(track: 0, startNanoseconds: 0), joins: Bool = false,
    settings: [Int: SourceSettings] = [:]
  ) throws {
    let format = AudioStreamBasicDescription.linearPCM(
      sampleRate: rate, channels: 1, bitsPerChannel: 32, flags: [.float, .packed])
    feed.flushSerial = flushSerial
    let sound = Self.tone(frames, rate: rate, from: first)
    for (index, start) in stride(from: 0, to: frames, by: 1000).enumerated() {
      let samples = Array(sound[start..<min(start + 1000, frames)])
      var metadata = PacketMetadata(
        flushSerial: flushSerial, packetIndex: packets, firstFrame: Int64(start),
        frameCount: Int32(samples.count), trimStartFrames: 0, trimEndFrames: 0, byteOffset: 0,
        durationNanoseconds: UInt64(Double(samples.count) * 1e9 / rate))
      metadata.mark = settings[index] == nil ? 0 : 1
      try unsafe samples.withUnsafeBytes { bytes in
        if start == 0 {
          _ = try unsafe feed.beginStream(
            CodedStreamDescription(format: format), origin: origin, firstPacket: bytes,
            joinsPrevious: joins)
        }
        #expect(
          unsafe feed.write(
            packet: bytes, metadata: metadata, settings: settings[index] ?? SourceSettings()))
      }
      packets += 1
    }
  }

  func endStream() { _ = feed.endStream() }

  /// Renders frames and returns their first channel.
  func hear(_ frames: Int) -> [Float] {
    var heard: [Float] = []
    for cycle in cuts.cycles(frames, &random) {
      output.render(frameCount: cycle) { channel, samples in
        if channel == 0 { for index in samples.indices { heard.append(samples[index]) } }
      }
      feed.reclaimConverters()
    }
    return heard
  }
}
