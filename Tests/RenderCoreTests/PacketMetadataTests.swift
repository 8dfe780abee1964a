// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import Testing

@testable import RenderCore

@Suite("The metadata of a packet that is fed")
struct PacketMetadataTests {
  /// Sixteen-bit, floating-point, or companded samples; the first is decoded without a copy, if the rates agree.
  private static let formats: [AudioStreamBasicDescription] = [
    .linearPCM(
      sampleRate: 48000, channels: 1, bitsPerChannel: 16, flags: [.signedInteger, .packed]),
    .linearPCM(
      sampleRate: 44100, channels: 1, bitsPerChannel: 16, flags: [.signedInteger, .packed]),
    .linearPCM(sampleRate: 48000, channels: 2, bitsPerChannel: 32, flags: [.float, .packed]),
    AudioStreamBasicDescription(
      sampleRate: 48000, formatID: .muLaw, bytesPerPacket: 1, framesPerPacket: 1, bytesPerFrame: 1,
      channelsPerFrame: 1, bitsPerChannel: 8),
  ]
  private static let packetFrames = 256

  private static func metadata(
    frames: Int32 = Int32(packetFrames), start: Int32 = 0, end: Int32 = 0,
    nanoseconds: UInt64 = 5_333_333, other: Int64 = 0
  ) -> PacketMetadata {
    PacketMetadata(
      flushSerial: 0, packetIndex: other, firstFrame: other, frameCount: frames,
      trimStartFrames: start, trimEndFrames: end, byteOffset: other,
      durationNanoseconds: nanoseconds)
  }

  /// Plays packets with these metadata, all with the same samples, and returns the sound.
  private func sound(
    of packets: [PacketMetadata], _ format: AudioStreamBasicDescription
  ) throws -> [Float] {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
    let source = renderer.addSource(holdsAfterUnderrun: false)
    let control = source.control
    var feed = source.feed
    let bytes = (0..<Self.packetFrames * Int(format.bytesPerPacket)).map { UInt8($0 * 7 % 61) }
    try unsafe bytes.withUnsafeBytes { bytes in
      _ = try unsafe feed.beginStream(
        CodedStreamDescription(format: format), firstPacket: bytes, joinsPrevious: false)
      for metadata in packets {
        let isWritten = unsafe feed.write(packet: bytes, metadata: metadata)
        #expect(isWritten)
      }
    }
    let isEnded = feed.endStream()
    #expect(isEnded)
    control.mode = .play
    var output = OfflineOutput(renderer: renderer)
    var samples: [Float] = []
    for _ in 0..<16 { output.render(frameCount: 128, interleavedInto: &samples) }
    return samples + [Float(control.position.outputFrames)]
  }

  @Test("counts trims and frames below 0 as 0", arguments: formats)
  func negative(format: AudioStreamBasicDescription) throws {
    for least in [Int32(-1), -100, .min] {
      let packets = [
        Self.metadata(), Self.metadata(start: least), Self.metadata(end: least),
        Self.metadata(start: least, end: least), Self.metadata(frames: least),
        Self.metadata(frames: least, start: least, end: least), Self.metadata(),
      ]
      let possible = [
        Self.metadata(), Self.metadata(), Self.metadata(), Self.metadata(),
        Self.metadata(frames: 0), Self.metadata(frames: 0), Self.metadata(),
      ]
      #expect(try sound(of: packets, format) == sound(of: possible, format))
    }
  }

  @Test("may state more trims and frames than the packet has", arguments: formats)
  func large(format: AudioStreamBasicDescription) throws {
    let alone = try sound(of: [Self.metadata(), Self.metadata()], format)
    for greatest in [Int32(257), .max] {
      let packets = [
        Self.metadata(), Self.metadata(start: greatest), Self.metadata(end: greatest),
        Self.metadata(start: greatest, end: greatest), Self.metadata(frames: greatest),
      ]
      #expect(try sound(of: packets, format) == alone)
    }
  }

  @Test("can have any numbers and durations, which add up without a trap")
  func durations() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
    let source = renderer.addSource(ringPackets: 64)
    let control = source.control
    var feed = source.feed
    control.mode = .play
    var output = OfflineOutput(renderer: renderer)
    try unsafe [Float](repeating: 0.5, count: Self.packetFrames).withUnsafeBytes { bytes in
      let format = AudioStreamBasicDescription.linearPCM(
        sampleRate: 48000, channels: 1, bitsPerChannel: 32, flags: [.float, .packed])
      _ = try unsafe feed.beginStream(
        CodedStreamDescription(format: format), origin: StreamOrigin(track: .min),
        firstPacket: bytes, joinsPrevious: false, startFrame: .nan, transportNanoseconds: .max)
      var before: UInt64 = 0
      for round in 0..<40 {
        let isWritten = unsafe feed.write(
          packet: bytes,
          metadata: Self.metadata(nanoseconds: .max, other: round % 2 == 0 ? .max : .min),
          sparedNanoseconds: .max)
        #expect(isWritten)
        #expect(feed.bufferedNanoseconds > before)
        before = feed.bufferedNanoseconds
      }
      for _ in 0..<500 {
        let isWritten = unsafe feed.write(
          packet: bytes, metadata: Self.metadata(nanoseconds: .max), ampleNanoseconds: 0)
        #expect(isWritten)
        output.render(frameCount: Self.packetFrames) { _, samples in #expect(samples[255] == 0.5) }
      }
    }
    // Both sums of durations have wrapped.
    for _ in 0..<41 { output.render(frameCount: Self.packetFrames) { _, _ in } }
    #expect(feed.bufferedNanoseconds == 0)
  }
}

@Suite("A setting of a source")
struct SourceSettingTests {
  private let renderer = Renderer(sampleRate: 48000, outputChannels: 2)

  @Test("is clamped to its range, and NaN becomes its default")
  func limits() {
    let control = renderer.addSource(ringBytes: 1 << 12, ringPackets: 8).control
    var output = OfflineOutput(renderer: renderer)
    let greatest = SourceControl.maximumVolume
    for (set, volume, seconds, pan, clock) in [
      (Float.nan, Float(1), Float(0), Float(0), 0.0), (-.infinity, 0, 0, -1, 0),
      (-1, 0, 0, -1, 0), (.infinity, greatest, 60, 1, 1_000_000_000),
      (.greatestFiniteMagnitude, greatest, 60, 1, 1_000_000_000), (0.5, 0.5, 0.5, 0.5, 0.5),
    ] {
      control.volume = set
      control.volumeRampSeconds = set
      control.pan = set
      control.clockRate = Double(set)
      control.startFrame = .max
      control.mode = .play
      output.render(frameCount: 64) { _, _ in }
      #expect(control.volume == volume)
      #expect(control.volumeRampSeconds == seconds)
      #expect(control.pan == pan)
      #expect(control.clockRate == clock)
    }
  }

  @Test(
    "of any clock rate keeps the clock finite", arguments: [.nan, .infinity, -1, 1e308])
  func clock(hertz: Double) throws {
    let source = renderer.addSource(ringBytes: 1 << 14, ringPackets: 8)
    let control = source.control
    control.clockRate = hertz
    try play(0.5, frames: 512, source)
    var output = OfflineOutput(renderer: renderer)
    for _ in 0..<8 { output.render(frameCount: 64) { _, _ in } }
    #expect(control.position.outputFrames == 512)
    #expect(control.position.clockFrames.isFinite && control.position.clockFrames >= 0)
  }
}
