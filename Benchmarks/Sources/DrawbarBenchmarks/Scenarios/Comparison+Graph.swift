// SPDX-License-Identifier: MIT

internal import BarePeers
internal import Glibc

@testable internal import RenderCore

extension Comparison {
  /// A stereo signal through a chain of mixers, whose edges each have a gain, against the multiplications alone. The
  /// difference of the two times is the cost of an operation of the graph.
  static func graph(edges: Int, period: Int) -> Comparison {
    let work = ChainedEdges(count: edges, period: period)
    return Comparison(
      name: "graph-\(edges)", input: "stereo, \(period) frames",
      operations: ChainedEdges.cycles * edges, operation: "edge and cycle",
      baseline: Scenario("multiplications in C") { work.runBare() },
      subject: Scenario("graph of mixers") { work.run() }, objection: { work.objection })
  }

  /// An edit of a running graph, compiled and published to the render thread, against the longest time allowed:
  /// 50 µs for 64 nodes, 1 ms for 1000.
  static func graphEdit(nodes: Int) -> Comparison {
    let microseconds: UInt64 = nodes <= 64 ? 50 : 1000
    let work = ChainedEdges(count: nodes, period: 64)
    return Comparison(
      name: "graph-edit-\(nodes)", input: "\(nodes) mixers", operations: ChainedEdges.edits,
      operation: "edit",
      baseline: Scenario("\(microseconds) µs") {
        Timing(
          nanoseconds: Timing.of {
            for _ in 0..<ChainedEdges.edits {
              let end = bare_thread_nanoseconds() + microseconds * 1000
              while bare_thread_nanoseconds() < end {}
            }
          })
      },
      subject: Scenario("edit") { work.edit() })
  }
}

/// A callback of the graph whose sound goes through a chain of mixers to the output.
@safe
private final class ChainedEdges {
  static let cycles = 2000
  static let edits = 50

  private let period: Int
  private let renderer: Renderer
  private let mixers: [GraphNode]
  private let gains: [Float]
  private let output: PlanarOutput
  private let bareOutput: PlanarOutput
  private let input: UnsafeMutablePointer<Float>
  private var editCount = 0

  init(count: Int, period: Int) {
    self.period = period
    gains = (0..<count).map { $0 % 2 == 0 ? 0.5 : 2 }
    renderer = Renderer(sampleRate: 48000, outputChannels: 2)
    unsafe input = .allocate(capacity: period)
    for index in 0..<period { unsafe input[index] = Float(index % 37) / 74 - 0.25 }
    _ = unsafe renderer.addCallback(copyRamp, context: input)
    let graph = renderer.graph
    mixers = (0..<count).map { _ in graph.addMixer(channelCount: 2) }
    let nodes = [graph.mix] + mixers
    do throws(ProcessingGraphError) {
      try graph.edit { [gains] (edit) throws(ProcessingGraphError) in
        try edit.disconnect(graph.mix, from: graph.output)
        for index in 0..<count {
          try edit.connect(nodes[index], to: nodes[index + 1], gain: gains[index])
        }
        try edit.connect(nodes[count], to: graph.output)
      }
    } catch {
      preconditionFailure("a chain is a graph: \(error)")
    }
    output = PlanarOutput(channels: 2, frames: period)
    bareOutput = PlanarOutput(channels: 2, frames: period)
    // Run once to finish the edges' fades and to touch their memory.
    _ = run()
  }

  deinit { unsafe input.deallocate() }

  func run() -> Timing {
    let (context, buffers) = unsafe (renderer.context, output.buffers)
    return Timing(
      nanoseconds: Timing.of {
        for index in 0..<Self.cycles {
          unsafe context.render(
            RenderCycle(
              frameCount: period, frameTime: UInt32(truncatingIfNeeded: index &* period),
              hostNanoseconds: 1),
            into: buffers)
        }
      })
  }

  func runBare() -> Timing {
    let (buffers, input) = unsafe (bareOutput.buffers, self.input)
    return Timing(
      nanoseconds: Timing.of {
        for _ in 0..<Self.cycles {
          unsafe buffers[0].update(from: input, count: period)
          unsafe buffers[1].update(from: input, count: period)
          unsafe bare_gains_run(buffers[0], buffers[1], period, gains, gains.count)
        }
      })
  }

  func edit() -> Timing {
    let graph = renderer.graph
    var total: UInt64 = 0
    for _ in 0..<Self.edits {
      editCount += 1
      let gain: Float = editCount % 2 == 0 ? 0.5 : 0.25
      total += Timing.of {
        try? graph.edit { (edit) throws(ProcessingGraphError) in
          try edit.setGain(gain, from: graph.mix, to: mixers[0])
        }
      }
      // Adopt the plan, as a running output does.
      cycle()
    }
    return Timing(nanoseconds: total)
  }

  private func cycle() {
    unsafe renderer.context.render(
      RenderCycle(frameCount: period, frameTime: 0, hostNanoseconds: 1), into: output.buffers)
  }

  /// The reason if the two sides' sound differs.
  var objection: String? {
    for channel in 0..<2 {
      for frame in 0..<period {
        guard unsafe output.buffers[channel][frame] == bareOutput.buffers[channel][frame] else {
          return "the two sides give different sound"
        }
      }
    }
    return nil
  }
}

/// Copies the frames at `context` to each output.
private func copyRamp(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let frames = unsafe context?.assumingMemoryBound(to: Float.self) else { return -1 }
  for channel in unsafe 0..<call.pointee.outputCount {
    unsafe call.pointee.outputs[channel].update(from: frames, count: call.pointee.frameCount)
  }
  return 0
}
