// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import Testing

@testable import RenderCore

@Suite("Samples that go straight to a stereo output")
struct StereoSamplesTests {
  private static let big: AudioFormatFlags = [.signedInteger, .packed, .bigEndian]
  private static let formats =
    [
      pcm(16, [.signedInteger, .packed]), pcm(16, big), pcm(24, [.signedInteger, .packed]),
      pcm(24, big), pcm(32, [.float, .packed]),
    ] + [AudioFormatID.aLaw, .muLaw].map { .constant($0, channels: 2, bytes: 2, frames: 1) }

  private static func pcm(
    _ bits: UInt32, _ flags: AudioFormatFlags, channels: UInt32 = 2
  ) -> AudioStreamBasicDescription {
    .linearPCM(sampleRate: 44100, channels: channels, bitsPerChannel: bits, flags: flags)
  }

  private func randomPacket(_ format: AudioStreamBasicDescription, frames: Int) -> [UInt8] {
    var random = SeededGenerator(seed: 1)
    return (0..<frames * Int(format.bytesPerPacket)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
  }

  @Test(
    "They equal the decoder's, from any address on and in pieces of any length", arguments: formats)
  func sameAsDecoded(_ format: AudioStreamBasicDescription) throws {
    let frames = 131
    let packet = randomPacket(format, frames: frames)
    let expected = try decode(format, [packet], frames: frames)[0].samples
    let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    let decoder = unsafe try PacketDecoder(
      CodedStreamDescription(format: format), firstPacket: none)
    let straight = decoder.stereoSamples
    let samples = try #require(straight)
    #expect(samples.bytesPerFrame == Int(format.bytesPerPacket))
    var left = [Float](repeating: 0, count: frames)
    var right = left
    unsafe ([0] + packet).withUnsafeBytes { bytes in
      unsafe left.withUnsafeMutableBufferPointer { left in
        unsafe right.withUnsafeMutableBufferPointer { right in
          var first = 0
          for count in [1, 0, 7, 64, 59] {
            unsafe samples.write(
              bytes.baseAddress! + 1 + first * samples.bytesPerFrame, frames: count,
              first: left.baseAddress! + first, second: right.baseAddress! + first)
            first += count
          }
        }
      }
    }
    withExtendedLifetime(decoder) {}
    // Bits are compared, since some of the floats are NaN.
    #expect(
      zip(left, right).flatMap { [$0.bitPattern, $1.bitPattern] } == expected.map(\.bitPattern))
  }

  @Test("Formats with other layouts or channel counts have none")
  func others() throws {
    let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    for format in [
      Self.pcm(16, [.signedInteger, .packed], channels: 1),
      Self.pcm(24, [.signedInteger, .packed], channels: 6), Self.pcm(24, .packed),
      Self.pcm(64, [.float, .packed]), .constant(.aLaw, channels: 1, bytes: 1, frames: 1),
    ] {
      let decoder = unsafe try PacketDecoder(
        CodedStreamDescription(format: format), firstPacket: none)
      let hasNone = decoder.stereoSamples == nil
      #expect(hasNone)
    }
  }

  @Test("Trimmed frames are left out, and a right channel that comes first plays on the right")
  func trimmedAndSwapped() throws {
    let format = Self.pcm(24, [.signedInteger, .packed])
    let frames = 100
    let packet = randomPacket(format, frames: frames)
    let decoded = try decode(format, [packet], frames: frames)[0].samples
    let renderer = Renderer(sampleRate: 44100, outputChannels: 2)
    let source = renderer.addSource()
    var feed = source.feed
    try unsafe packet.withUnsafeBytes { bytes in
      let begun = unsafe try feed.beginStream(
        CodedStreamDescription(format: format, layout: AudioChannelLayout(labels: [2, 1])),
        firstPacket: bytes, joinsPrevious: false)
      #expect(begun != nil)
      let isWritten = unsafe feed.write(
        packet: bytes,
        metadata: PacketMetadata(
          flushSerial: 0, packetIndex: 0, firstFrame: 0, frameCount: Int32(frames),
          trimStartFrames: 3, trimEndFrames: 5, byteOffset: 0, durationNanoseconds: 2_000_000))
      #expect(isWritten)
    }
    let isEnded = feed.endStream()
    #expect(isEnded)
    source.control.mode = .play
    var output = OfflineOutput(renderer: renderer)
    var played: [Float] = []
    var piece: [Float] = []
    while played.count < 2 * 92 {
      output.render(frameCount: 23, interleavedInto: &piece)
      played += piece
    }
    #expect(source.control.position.outputFrames == 92)
    let expected = (3..<95).flatMap { (frame: Int) -> [Float] in
      [decoded[2 * frame + 1], decoded[2 * frame]]
    }
    #expect(played == expected)
  }
}
