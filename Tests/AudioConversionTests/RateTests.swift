// SPDX-License-Identifier: MIT

import AudioConversion
import AudioModel
import TestKit
import Testing

@Suite("Sample rates")
struct RateTests {
  private func silence(_ frames: Int, _ rate: Double) -> PacketFile {
    PacketFile(.int16(rate, 1), bytes: [UInt8](repeating: 0, count: 2 * frames))
  }

  @Test(
    "The output has the length that the rates require, to the frame",
    arguments: [(44100, 48000), (48000, 44100), (8000, 48000), (96000, 44100), (22050, 44100)])
  func lengths(_ from: Int, _ to: Int) throws {
    for frames in [1, 1000, from] {
      let puller = try Puller(
        silence(frames, Double(from)), to: .int16(Double(to), 1), packetsPerRun: 777)
      let expected = (frames * to + from / 2) / from
      #expect(puller.drain(500)[0].count / 2 == expected)
    }
  }

  @Test("The sound keeps its time and its level, compared with sox, to -80 dB")
  func tone() throws {
    // The highest octave is left out, where filters may differ.
    let folder = TemporaryDirectory()
    let path = folder.file("low.wav")
    write(Samples.bytes("sox -D IN -t wav - sinc -15k", of: Samples.second32), to: path)
    let wave = try PacketFile(path: path)
    let ours = try Puller(wave, to: .float(48000, 2), packetsPerRun: 4096).drain()[0].floats
    let sox = Samples.bytes(
      "sox -D IN -r 48000 -e float -b 32 -t raw - rate -v", of: path
    ).floats
    #expect(ours.count == 96000)
    #expect(abs(ours.count - sox.count) <= 2)
    let inner = 10000..<80000
    let error = inner.map { abs(ours[$0] - sox[$0]) }.max() ?? 1
    #expect(error < 1e-4)
  }

  @Test("A better quality reads further ahead, and the output has the same length")
  func qualities() throws {
    var lookAhead: [UInt32] = []
    for quality in [AudioConverter.Quality.low, .medium, .maximum] {
      let puller = try Puller(silence(4410, 44100), to: .int16(48000, 1), packetsPerRun: 100)
      try puller.converter.setQuality(quality)
      lookAhead.append(puller.converter.primeInfo.trailingFrames)
      #expect(puller.drain(500)[0].count / 2 == 4800)
    }
    #expect(lookAhead[0] <= lookAhead[1] && lookAhead[1] <= lookAhead[2])
    #expect(lookAhead[0] < lookAhead[2])
  }

  @Test("Rates that are out of range or too far apart are '!isr' and '!osr'")
  func ranges() throws {
    func code(_ from: Double, _ to: Double, _ channels: UInt32 = 1) -> AudioConversionError.Code? {
      do {
        _ = try AudioConverter(from: .int16(from, channels), to: .int16(to, channels))
        return nil
      } catch { return error.code }
    }
    #expect(code(-1, 44100) == .inputSampleRateOutOfRange)
    #expect(code(.nan, 44100) == .inputSampleRateOutOfRange)
    #expect(code(.infinity, .infinity) == .inputSampleRateOutOfRange)
    #expect(code(44100, 1e9) == .outputSampleRateOutOfRange)
    #expect(code(44100, .nan) == .outputSampleRateOutOfRange)
    #expect(code(100, 3_000_000) == .outputSampleRateOutOfRange)
    #expect(code(8000, 48000, 512) == .outputSampleRateOutOfRange)
    #expect(code(22254.5454, 44100) == nil)
    #expect(code(44100.2, 44100.4) == nil)
  }

  @Test("Normal priming requests the read-ahead at first, and no more than the ratio later")
  func normal() throws {
    let puller = try Puller(silence(44100, 44100), to: .int16(48000, 1), packetsPerRun: 1 << 20)
    let trailing = Int(puller.converter.primeInfo.trailingFrames)
    #expect(trailing > 0)
    _ = puller.fill(4800)
    #expect(puller.asked.first == 4410 + trailing)
  }

  @Test("Without priming no more is requested, and the output begins with silence")
  func none() throws {
    let samples = [Int16](repeating: 10000, count: 44100)
    let file = PacketFile(.int16(44100, 1), bytes: samples.rawBytes)
    let puller = try Puller(file, to: .int16(48000, 1), packetsPerRun: 1 << 20)
    puller.converter.primeMethod = .none
    let trailing = Int(puller.converter.primeInfo.trailingFrames)
    let first = puller.fill(4800).0[0].int16
    // The request is smaller, because some of the silence is output before the first packet is needed.
    #expect((1...4410).contains(puller.asked[0]))
    let delay = (trailing * 48000 + 22050) / 44100
    #expect(first[..<(delay / 2)].allSatisfy { $0 == 0 })
    let rest = puller.drain()[0].int16
    #expect(abs(first.count + rest.count - 48000 - delay) <= 1)
    #expect(abs(Int((first + rest)[delay + 2000]) - 10000) < 5)
  }

  @Test("Primed with preceding frames, the output begins after the leading frames")
  func pre() throws {
    let samples = (0..<44100).map { Int16($0 / 4) }
    let file = PacketFile(.int16(44100, 1), bytes: samples.rawBytes)
    let puller = try Puller(file, to: .int16(48000, 1), packetsPerRun: 1 << 20)
    puller.converter.primeMethod = .pre
    let info = puller.converter.primeInfo
    let out = puller.fill(4800).0[0].int16
    #expect(puller.asked.first == 4410 + Int(info.leadingFrames + info.trailingFrames))
    #expect(abs(Int(out[1000]) - (Int(info.leadingFrames) + 918) / 4) <= 2)
  }

  @Test("Linear and minimum-phase conversions ignore the prime method")
  func ignored() throws {
    for complexity in [AudioConverter.Complexity.linear, .minimumPhase] {
      let puller = try Puller(silence(44100, 44100), to: .int16(48000, 1), packetsPerRun: 1 << 20)
      puller.converter.primeMethod = .none
      try puller.converter.setComplexity(complexity)
      _ = puller.fill(4800)
      let trailing = Int(puller.converter.primeInfo.trailingFrames)
      #expect(puller.asked.first == 4410 + trailing)
    }
  }
}
