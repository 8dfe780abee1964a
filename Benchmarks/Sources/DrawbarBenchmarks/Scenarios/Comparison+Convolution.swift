// SPDX-License-Identifier: MIT

internal import BarePeers

@testable internal import RenderCore

extension Comparison {
  /// A stereo pair in cycles of 256 frames, each channel with its own response, against zita-convolver.
  static func convolver(taps: Int) throws(BenchmarkFailure) -> Comparison {
    let work = try ConvolverWork(taps: taps)
    return Comparison(
      name: "convolver-\(taps)", input: "stereo, \(ConvolverWork.period) frames",
      operations: ConvolverWork.cycles, operation: "cycle",
      baseline: Scenario("zita-convolver, all threads") { work.runBare() },
      subject: Scenario("convolver") { work.run() }, objection: { work.objection })
  }
}

@safe
private final class ConvolverWork {
  static let period = 256
  static let cycles = 300

  private let storage: ConvolverStorage
  private let bare: OpaquePointer
  private let input: UnsafeMutablePointer<Float>
  private let outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  private let bareOutputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  private var deviceFrame: UInt64 = 0

  init(taps count: Int) throws(BenchmarkFailure) {
    var state: UInt32 = 1
    func noise() -> Float {
      state = state &* 1_664_525 &+ 1_013_904_223
      return Float(state >> 8) / 0x1p23 - 1
    }
    let taps = (0..<2).map { _ in (0..<count).map { _ in noise() / 100 } }
    unsafe input = Self.buffer(Self.period)
    for frame in 0..<Self.period { unsafe input[frame] = noise() / 4 }
    unsafe outputs = Self.buffers()
    unsafe bareOutputs = Self.buffers()
    do {
      storage = try ConvolverStorage(channels: 2, maximumFrames: count, sampleRate: 48000)
      let response = try ImpulseResponse(channels: taps, sampleRate: 48000)
      try storage.set { _ in response }
    } catch {
      throw BenchmarkFailure("\(error)")
    }
    let bare = unsafe taps[0].withUnsafeBufferPointer { first in
      unsafe taps[1].withUnsafeBufferPointer { second in
        unsafe withUnsafeTemporaryAllocation(of: UnsafePointer<Float>?.self, capacity: 2) {
          places in
          unsafe places[0] = first.baseAddress
          unsafe places[1] = second.baseAddress
          return unsafe bare_convolver_make(places.baseAddress, count, Self.period)
        }
      }
    }
    guard let bare = unsafe bare else { throw BenchmarkFailure("zita-convolver refuses") }
    unsafe self.bare = unsafe bare
  }

  private static func buffer(_ count: Int) -> UnsafeMutablePointer<Float> {
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: count)
    unsafe samples.initialize(repeating: 0, count: count)
    return unsafe samples
  }

  private static func buffers() -> UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>> {
    let buffers = UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>.allocate(capacity: 2)
    for channel in 0..<2 { unsafe buffers.initializeElement(at: channel, to: buffer(period)) }
    return unsafe buffers
  }

  deinit {
    unsafe bare_convolver_free(bare)
    unsafe input.deallocate()
    for channel in 0..<2 {
      unsafe outputs[channel].deallocate()
      unsafe bareOutputs[channel].deallocate()
    }
    unsafe outputs.deallocate()
    unsafe bareOutputs.deallocate()
  }

  /// Both channels receive the input again in each cycle, like a port.
  func run() -> Timing {
    let (operation, outputs, input) = unsafe (storage.operation, self.outputs, self.input)
    var frame = deviceFrame
    let nanoseconds = Timing.of {
      for _ in 0..<Self.cycles {
        for channel in 0..<2 { unsafe outputs[channel].update(from: input, count: Self.period) }
        _ = unsafe operation.render(outputs, frameCount: Self.period, deviceFrame: frame)
        frame &+= UInt64(Self.period)
      }
    }
    deviceFrame = frame
    return Timing(nanoseconds: nanoseconds)
  }

  func runBare() -> Timing {
    let start = bare_process_nanoseconds()
    unsafe withUnsafeTemporaryAllocation(
      of: UnsafeMutablePointer<Float>?.self, capacity: 2
    ) { places in
      for channel in 0..<2 { unsafe places[channel] = bareOutputs[channel] }
      unsafe bare_convolver_run(bare, input, places.baseAddress, Self.cycles)
    }
    return Timing(nanoseconds: bare_process_nanoseconds() - start)
  }

  /// The reason if the outputs differ. The input repeats, so after the length of the response all cycles are equal.
  var objection: String? {
    for channel in 0..<2 {
      for frame in 0..<Self.period {
        let difference = unsafe outputs[channel][frame] - bareOutputs[channel][frame]
        if difference.magnitude > 1e-3 { return "the two sides convolve to different sound" }
      }
    }
    return nil
  }
}
