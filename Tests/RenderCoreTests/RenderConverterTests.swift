// SPDX-License-Identifier: MIT

import AudioModel
import RenderCore
import TestKit
import Testing

/// A converter whose fill callback returns a list of answers in order, and its outputs.
@safe
private struct ConverterBench: ~Copyable {
  private var converter: RenderConverter
  private let answers: UnsafeMutablePointer<RenderConverter.Answer>
  private let outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  /// Calls of the fill callback.
  private(set) var asked = 0
  /// The converted samples, channel by channel.
  private(set) var samples: [[Float]]

  init(
    _ stream: CodedStreamDescription, _ answers: [RenderConverter.Answer], rate: Double,
    channels: Int = 2
  ) throws {
    var first = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    if case .packet(let bytes, _)? = answers.first { unsafe first = unsafe bytes }
    converter = try unsafe RenderConverter(
      decoding: stream, firstPacket: first, sampleRate: rate, channels: channels)
    unsafe self.answers = .allocate(capacity: answers.count)
    for index in answers.indices {
      unsafe (self.answers + index).initialize(to: answers[index])
    }
    samples = .init(repeating: [], count: channels)
    unsafe outputs = .allocate(capacity: channels)
    for channel in 0..<channels {
      let memory = UnsafeMutablePointer<Float>.allocate(capacity: 8192)
      unsafe memory.initialize(repeating: .nan, count: 8192)
      unsafe outputs.initializeElement(at: channel, to: memory)
    }
  }

  deinit {
    for channel in unsafe outputs.indices { unsafe outputs[channel].deallocate() }
    unsafe outputs.deallocate()
    unsafe answers.deallocate()
  }

  var failedPacketCount: UInt64 { converter.failedPacketCount }

  mutating func fill(_ frames: Int) -> RenderConverter.Fill {
    let answers = unsafe answers
    var asked = asked
    // The compiler checks this closure like its caller, so it uses no array.
    let fill = unsafe converter.fill(outputs, frameCount: frames) {
      asked += 1
      return unsafe answers[asked - 1]
    }
    self.asked = asked
    for channel in samples.indices {
      for frame in 0..<fill.frameCount { unsafe samples[channel].append(outputs[channel][frame]) }
    }
    return fill
  }

  /// Fills until the end of the stream.
  mutating func run(period: Int) {
    while fill(period).status == .complete {}
  }
}

@Suite("A converter for a render callback")
@safe
final class RenderConverterTests {
  private var packets: [UnsafeMutableRawBufferPointer] = unsafe []

  deinit {
    for index in unsafe packets.indices { unsafe packets[index].deallocate() }
  }

  /// The tutorial's `'kknd'`.
  private static let noData: Int32 = 0x6B6B_6E64

  /// Returns a packet at a fixed address, which is valid as long as this object lives.
  private func answer(_ bytes: [UInt8], frames: Int) -> RenderConverter.Answer {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
    unsafe memory.copyBytes(from: bytes)
    unsafe packets.append(memory)
    return unsafe .packet(UnsafeRawBufferPointer(memory), frameCount: frames)
  }

  private static let pcm = CodedStreamDescription(
    format: .linearPCM(
      sampleRate: 44100, channels: 1, bitsPerChannel: 16, flags: [.signedInteger, .packed]))

  /// Returns a run of a ramp in 16-bit integers.
  private func ramp(_ frames: Range<Int>) -> RenderConverter.Answer {
    answer(
      frames.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] },
      frames: frames.count)
  }

  @Test(
    "produces mpg123's samples of the same packets, for any period",
    arguments: [1, 64, 333, 1152, 8192])
  func decodes(_ period: Int) throws {
    let path = Fixtures.path("mp3-short-44100-2.mp3")
    let file = ParsedStream(path)
    var bench = try ConverterBench(
      file.stream, file.packets.map { answer($0.bytes, frames: $0.frames) } + [.endOfStream],
      rate: 44100)
    bench.run(period: period)
    let reference = ReferenceDecoder.mpg123Uncut(path)
    #expect(bench.samples.interleaved == reference)
    #expect(bench.asked == file.packets.count + 1)
  }

  @Test("returns the caller's own status with the frames so far, and asks again")
  func status() throws {
    var bench = try ConverterBench(
      Self.pcm,
      [
        ramp(0..<100), .status(Self.noData), .status(7), ramp(100..<300), .endOfStream,
      ], rate: 44100)
    var fill = bench.fill(150)
    #expect(fill.frameCount == 100 && fill.status == .stopped(Self.noData))
    fill = bench.fill(150)
    #expect(fill.frameCount == 0 && fill.status == .stopped(7))
    fill = bench.fill(150)
    #expect(fill.frameCount == 150 && fill.status == .complete)
    #expect(bench.asked == 4)
    fill = bench.fill(150)
    #expect(fill.frameCount == 50 && fill.status == .endOfStream)
    let isRamp = bench.samples.allSatisfy { $0 == (0..<300).map { Float($0) / 32768 } }
    #expect(isRamp, "mono is on both channels")
  }

  @Test("never asks again after the end, and returns the frames that the resampler holds back")
  func end() throws {
    var bench = try ConverterBench(
      Self.pcm, (0..<10).map { ramp($0 * 441..<$0 * 441 + 441) } + [.endOfStream],
      rate: 48000)
    bench.run(period: 100)
    #expect(bench.samples[0].count == 4800)
    for _ in 0..<2 {
      let fill = bench.fill(100)
      #expect(fill.frameCount == 0 && fill.status == .endOfStream)
    }
    #expect(bench.asked == 11)
  }

  @Test("returns silence for a packet that cannot be decoded, or has no bytes, and continues")
  func damaged() throws {
    let file = ParsedStream(Fixtures.path("gapless-1.mp3"))
    var answers = file.packets.map { answer($0.bytes, frames: $0.frames) }
    answers[5] = answer([UInt8](repeating: 0, count: 100), frames: 1152)
    answers[6] = unsafe .packet(UnsafeRawBufferPointer(start: nil, count: 0), frameCount: 1152)
    var bench = try ConverterBench(file.stream, answers + [.endOfStream], rate: 44100)
    bench.run(period: 512)
    #expect(bench.samples[0].count == file.packets.count * 1152)
    #expect(bench.failedPacketCount >= 2)
  }

  @Test("is refused for an encoding that is not decoded in the callback")
  func refused() {
    let aac = CodedStreamDescription(
      format: AudioStreamBasicDescription(
        sampleRate: 44100, formatID: .mpeg4AAC, framesPerPacket: 1024, channelsPerFrame: 2))
    #expect(throws: AudioConverterError.self) {
      let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
      _ = try unsafe RenderConverter(
        decoding: aac, firstPacket: none, sampleRate: 44100, channels: 2)
    }
  }
}
