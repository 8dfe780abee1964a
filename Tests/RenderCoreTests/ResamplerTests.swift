// SPDX-License-Identifier: MIT

import Glibc
import Testing

@testable import RenderCore

@Suite("Resampler")
struct ResamplerTests {
  private func tone(_ frequency: Double, rate: Int, frames: Int) -> [Float] {
    (0..<frames).map { Float(0.9 * sin(2 * .pi * frequency * Double($0) / Double(rate))) }
  }

  @Test(
    "Every ratio produces exactly the frames that the rates require, correct to -100 dB",
    arguments: [
      (44100, 48000), (48000, 44100), (96000, 48000), (22050, 48000), (8000, 48000),
      (11025, 44100), (44100, 44101), (192_000, 8000),
    ])
  func ratios(_ inputRate: Int, _ outputRate: Int) throws {
    let frames = inputRate
    let result = try Resampling.run(
      tone(997, rate: inputRate, frames: frames), from: inputRate, to: outputRate, inputPiece: 331,
      outputPiece: 256)
    #expect(result.count == outputRate)
    let expected = tone(997, rate: outputRate, frames: outputRate)
    // The edges ring, because the tone begins and ends abruptly.
    let inner = outputRate / 4..<3 * outputRate / 4
    let error = inner.map { abs(result[$0] - expected[$0]) }.max() ?? 1
    #expect(error < 1e-5)
  }

  @Test("The sizes of input and output pieces do not matter", arguments: [1, 7, 64, 512, 4000])
  func cuts(_ piece: Int) throws {
    let input = tone(440, rate: 44100, frames: 20000)
    let reference = try Resampling.run(
      input, from: 44100, to: 48000, inputPiece: 512, outputPiece: 512)
    let result = try Resampling.run(
      input, from: 44100, to: 48000, inputPiece: piece, outputPiece: max(1, piece / 2))
    #expect(result.count == reference.count)
    let error = zip(result, reference).map { abs($0 - $1) }.max() ?? 1
    #expect(error < 1e-6)
  }

  @Test(
    "The input that completes a block is known in advance, 99 times out of 100",
    arguments: [(44100, 48000), (48000, 44100), (96000, 48000), (22050, 48000), (8000, 48000)],
    [ResamplerQuality.fast, .good, .best])
  func heldBack(_ rates: (Int, Int), _ quality: ResamplerQuality) throws {
    var resampler = try Resampler(
      inputRate: rates.0, outputRate: rates.1, channels: 1, quality: quality)
    let input = [Float](repeating: 0.5, count: 512)
    var random = SeededGenerator(seed: 1)
    var (wronglyHeld, wronglyMade) = (0, 0)
    for _ in 0..<4000 {
      let count = Int.random(in: 1...512, using: &random)
      let isHeldBack = resampler.holdsBack(count)
      _ = unsafe resampler.take(input, inputCount: count)
      var frames = 0
      while true {
        let given = unsafe resampler.give(700).frames
        if given == 0 { break }
        frames += given
      }
      if isHeldBack, frames > 0 { wronglyHeld += 1 }
      if !isHeldBack, frames == 0 { wronglyMade += 1 }
    }
    // Several stages do not fill in step, so the prediction is a guess there.
    let isOneStage = rates.0 > 8000 && quality != .fast
    #expect(wronglyHeld <= 40 || !isOneStage, "of 4000")
    #expect(wronglyMade <= 40 || !isOneStage, "of 4000")
  }

  @Test("The pending frames are the input's worth less the output")
  func pending() throws {
    var resampler = try Resampler(inputRate: 44100, outputRate: 48000, channels: 1, quality: .good)
    let input = [Float](repeating: 0, count: 441)
    var scratch = [Float](repeating: 0, count: 512)
    let (taken, given) = unsafe resampler.process(
      input, inputCount: 441, into: &scratch, outputCount: 512)
    #expect((taken, given) == (441, 0))
    #expect(resampler.pendingOutputFrames == 480)
  }

  /// Returns a sample of a rising tone, no two parts of which are alike.
  private static func chirp(_ seconds: Double) -> Float {
    Float(0.5 * sin(2 * .pi * (300 + 2000 * seconds) * seconds))
  }

  @Test(
    "One that takes over from another begins with the next frame of its own rate",
    arguments: [
      (44100, 48000), (96000, 48000), (44100, 192_000), (192_000, 44100), (44100, 44101),
    ],
    ResamplerQuality.allCases)
  func resuming(_ rates: (Int, Int), _ quality: ResamplerQuality) throws {
    let inputRate = rates.0
    let input = (0..<inputRate).map { Self.chirp(Double($0) / Double(inputRate)) }
    for newRate in [rates.1 / 2, 48000, 96000, 88200, inputRate] {
      // Each resampler takes over from the previous one, at any point of its input.
      let resamplers = unsafe try [rates.1, newRate, 32000].map { rate in
        unsafe UnsafeMutablePointer<Resampler>.allocating(
          try Resampler(
            inputRate: inputRate, outputRate: rate == inputRate ? rate + 1 : rate, channels: 1,
            quality: quality))
      }
      defer { for index in unsafe resamplers.indices { unsafe resamplers[index].destroy() } }
      var (place, seconds, worst) = (0, 0.0, Float(0))
      var used = unsafe resamplers[0]
      for (index, rate) in [rates.1, newRate, 32000].enumerated() {
        if index > 0 {
          var skipped: UInt64
          if rate == inputRate {
            skipped = unsafe used.pointee.bypass()
          } else {
            skipped = unsafe resamplers[index].pointee.resume(after: used)
            unsafe used = unsafe resamplers[index]
          }
          #expect(Double(skipped) / 1e9 <= 1.001 / Double(rate) + 1e-9)
          seconds += Double(skipped) / 1e9
        }
        var given = 0
        while given < rate / 5 + 77 {
          let (samples, count) = unsafe used.pointee.give(256)
          for frame in 0..<count {
            let time = seconds + Double(given + frame) / Double(rate)
            // The filter rings from the silence before the first frame.
            if time > 0.05 { worst = unsafe max(worst, abs(samples[frame] - Self.chirp(time))) }
          }
          given += count
          if count == 0 {
            // A bypassed resampler has no more output than the input that it took.
            if unsafe used.pointee.isBypassed { break }
            place += unsafe input.withUnsafeBufferPointer {
              unsafe used.pointee.take($0.baseAddress! + place, inputCount: 300)
            }
          }
        }
        seconds += Double(given) / Double(rate)
      }
      #expect(worst < (quality == .fast ? 2e-4 : 2e-5), "to \(newRate) Hz: \(worst)")
    }
  }
}
