// SPDX-License-Identifier: MIT

internal import BarePeers

/// A resampler's cost in stereo, pulled in blocks as by an output.
struct ResamplerTimeFigures {
  /// Output frames of a block.
  static let blockFrames = 256

  /// Nanoseconds per output frame: the median of the rounds.
  private(set) var nanosecondsPerFrame = 0.0
  /// Time over that of soxr at the same quality, each within a round: the median.
  private(set) var ratioToSoxr = 0.0
  /// Nanoseconds of the slowest block, and of the median one. A block does the same work in every round,
  /// so its time is the least of all rounds, which excludes disturbances by other programs.
  private(set) var worstBlock = 0.0
  private(set) var medianBlock = 0.0
  /// The largest number of input frames consumed in one block.
  private(set) var mostInputFrames = 0

  /// The figures of all contenders, which run one after another within each round.
  static func all(
    _ contenders: [ResamplerContender], _ rates: ResamplerRates, rounds: Int
  ) throws(BenchmarkFailure) -> [ResamplerTimeFigures] {
    let input = PulledInput()
    var totals = [[Double]](repeating: [], count: contenders.count)
    var blocks = [[UInt64]](repeating: [], count: contenders.count)
    var figures = [ResamplerTimeFigures](repeating: ResamplerTimeFigures(), count: contenders.count)
    // One unrecorded round warms caches, branch predictors and pages.
    for round in -1..<rounds {
      let order = Array(contenders.indices)
      for index in round % 2 == 0 ? order : order.reversed() {
        let pull = BlockPull(try contenders[index].make(rates, 2), input)
        pull.settle()
        let times = pull.eachBlock()
        let total = pull.allBlocks()
        guard round >= 0 else { continue }
        totals[index].append(Double(total))
        blocks[index] = round == 0 ? times : zip(blocks[index], times).map { min($0, $1) }
        figures[index].mostInputFrames = max(figures[index].mostInputFrames, pull.mostInputFrames)
      }
    }
    for index in contenders.indices {
      let soxr = contenders.firstIndex {
        $0.isBareSoxr && $0.quality == contenders[index].quality
      }!
      let least = Samples(blocks[index].map { Double($0) })
      let frames = Double(BlockPull.blocks * blockFrames)
      figures[index].nanosecondsPerFrame = Samples(totals[index]).median / frames
      figures[index].ratioToSoxr =
        Samples(zip(totals[index], totals[soxr]).map { $0 / $1 }).median
      figures[index].worstBlock = least.maximum
      figures[index].medianBlock = least.median
    }
    return figures
  }
}

/// Two channels of sound that stay in the first-level cache, like a packet that was just decoded.
@safe
private final class PulledInput {
  static let frames = 1024
  let samples: UnsafeMutablePointer<Float>

  init() {
    unsafe samples = .allocate(capacity: 2 * Self.frames)
    for index in 0..<2 * Self.frames { unsafe samples[index] = Float(index % 101) / 101 - 0.5 }
  }

  deinit {
    unsafe samples.deallocate()
  }
}

/// Consecutive output blocks of one fresh resampler.
@safe
private final class BlockPull {
  /// The number of timed blocks.
  static let blocks = 300
  /// The largest number of input frames passed in one call.
  private static let inputPiece = 512

  private let resampler: any StreamResampler
  private let input: PulledInput
  private let output: UnsafeMutablePointer<Float>
  private var position = 0
  private(set) var mostInputFrames = 0

  init(_ resampler: any StreamResampler, _ input: PulledInput) {
    self.resampler = resampler
    self.input = input
    unsafe output = .allocate(capacity: 2 * ResamplerTimeFigures.blockFrames)
    unsafe output.initialize(repeating: 0, count: 2 * ResamplerTimeFigures.blockFrames)
  }

  deinit {
    unsafe output.deallocate()
  }

  /// Runs the first blocks, in which filters fill and memory grows.
  func settle() {
    for _ in 0..<100 { pull() }
    mostInputFrames = 0
  }

  /// Times each block, in nanoseconds.
  func eachBlock() -> [UInt64] {
    (0..<Self.blocks).map { _ in Timing.of { pull() } }
  }

  /// Times the same number of blocks together in nanoseconds, without reading the clock between them.
  func allBlocks() -> UInt64 {
    Timing.of { for _ in 0..<Self.blocks { pull() } }
  }

  private func pull() {
    var (taken, given) = (0, 0)
    while given < ResamplerTimeFigures.blockFrames {
      let step = unsafe resampler.process(
        input.samples + 2 * position,
        inputCount: min(Self.inputPiece, PulledInput.frames - position),
        into: output + 2 * given, outputCount: ResamplerTimeFigures.blockFrames - given)
      precondition(step.taken + step.given > 0, "a resampler goes on as long as it has input")
      position = (position + step.taken) % PulledInput.frames
      taken += step.taken
      given += step.given
    }
    mostInputFrames = max(mostInputFrames, taken)
  }
}
