// SPDX-License-Identifier: MIT

internal import AudioModel
internal import BarePeers

@testable internal import RenderCore

extension Comparison {
  /// Interleaved stereo to two buffers against memcpy of the same number of bytes, both in pieces of a period.
  static func channelMap(period: Int) -> Comparison {
    let work = ConversionWork()
    return Comparison(
      name: "map-\(period)", input: "stereo", operations: ConversionWork.frames,
      operation: "frame", baseline: Scenario("memcpy") { work.copy(piece: period) },
      subject: Scenario("channel map") { work.map(piece: period) })
  }

  /// The engine's resampler against a soxr loop: the same quality, the same pieces.
  static func resampler(
    from inputRate: Int, to outputRate: Int, period: Int
  ) throws(BenchmarkFailure) -> Comparison {
    let work = try ResamplerWork(inputRate: inputRate, outputRate: outputRate)
    return Comparison(
      name: "resample-\(period)", input: "\(inputRate) to \(outputRate) Hz, stereo",
      operations: ConversionWork.frames, operation: "input frame",
      baseline: Scenario("soxr in C") { work.runBare(piece: period) },
      subject: Scenario("resampler") { work.run(piece: period) })
  }
}

/// Samples that stay in the first-level cache, like a packet that was just decoded.
@safe
final class ConversionWork {
  static let frames = 1 << 20
  static let framesPerPacket = 1024

  let samples: UnsafeMutablePointer<Float>
  private let interleaved: UnsafeMutablePointer<Float>
  private let outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  private let mapping: UnsafeMutablePointer<ChannelMap>

  init() {
    let count = 2 * Self.framesPerPacket
    unsafe samples = .allocate(capacity: count)
    // A sawtooth of an odd length; the time does not depend on the sound.
    for index in 0..<count { unsafe samples[index] = Float(index % 101) / 101 - 0.5 }
    unsafe interleaved = .allocate(capacity: count)
    unsafe interleaved.initialize(repeating: 0, count: count)
    unsafe outputs = .allocate(capacity: 2)
    for channel in 0..<2 {
      let buffer = UnsafeMutablePointer<Float>.allocate(capacity: Self.framesPerPacket)
      unsafe buffer.initialize(repeating: 0, count: Self.framesPerPacket)
      unsafe outputs.initializeElement(at: channel, to: buffer)
    }
    unsafe mapping = .allocate(capacity: 1)
    unsafe mapping.initialize(to: ChannelMap(inputs: 2, outputs: 2, layout: nil))
  }

  deinit {
    unsafe samples.deallocate()
    unsafe interleaved.deallocate()
    for channel in 0..<2 { unsafe outputs[channel].deallocate() }
    unsafe outputs.deallocate()
    unsafe mapping.deinitialize(count: 1)
    unsafe mapping.deallocate()
  }

  func copy(piece: Int) -> Timing {
    let time = Timing.of {
      unsafe bare_copy(
        interleaved, samples, 2 * Self.framesPerPacket, 2 * piece,
        Self.frames / Self.framesPerPacket)
    }
    return Timing(nanoseconds: time)
  }

  func map(piece: Int) -> Timing {
    let (samples, outputs, mapping) = unsafe (self.samples, self.outputs, self.mapping)
    let time = Timing.of {
      for _ in 0..<Self.frames / Self.framesPerPacket {
        for first in stride(from: 0, to: Self.framesPerPacket, by: piece) {
          unsafe mapping.pointee.write(samples + 2 * first, frames: piece, to: outputs, at: first)
        }
      }
    }
    return Timing(nanoseconds: time)
  }
}

@safe
private final class ResamplerWork {
  private let work = ConversionWork()
  private let resampler: UnsafeMutablePointer<Resampler>
  private let bare: OpaquePointer
  private let output: UnsafeMutablePointer<Float>

  init(inputRate: Int, outputRate: Int) throws(BenchmarkFailure) {
    guard let bare = unsafe bare_resampler_make(Int32(inputRate), Int32(outputRate)) else {
      throw BenchmarkFailure("soxr cannot go from \(inputRate) Hz to \(outputRate) Hz")
    }
    unsafe self.bare = bare
    unsafe resampler = .allocate(capacity: 1)
    do throws(AudioConverterError) {
      unsafe resampler.initialize(
        to: try Resampler(
          inputRate: inputRate, outputRate: outputRate, channels: 2, quality: .good))
    } catch {
      throw BenchmarkFailure("\(error)")
    }
    let count = 2 * Resampler.maximumFramesPerCall
    unsafe output = .allocate(capacity: count)
    unsafe output.initialize(repeating: 0, count: count)
  }

  deinit {
    unsafe resampler.deinitialize(count: 1)
    unsafe resampler.deallocate()
    unsafe bare_resampler_free(bare)
    unsafe output.deallocate()
  }

  func runBare(piece: Int) -> Timing {
    let time = Timing.of {
      for _ in 0..<ConversionWork.frames / ConversionWork.framesPerPacket {
        _ = unsafe bare_resampler_run(bare, work.samples, ConversionWork.framesPerPacket, piece)
      }
    }
    return Timing(nanoseconds: time)
  }

  func run(piece: Int) -> Timing {
    let (resampler, output, samples) = unsafe (self.resampler, self.output, work.samples)
    let time = Timing.of {
      for _ in 0..<ConversionWork.frames / ConversionWork.framesPerPacket {
        var taken = 0
        while taken < ConversionWork.framesPerPacket {
          taken += unsafe resampler.pointee.process(
            samples + 2 * taken, inputCount: ConversionWork.framesPerPacket - taken, into: output,
            outputCount: piece
          ).taken
        }
      }
    }
    return Timing(nanoseconds: time)
  }
}
