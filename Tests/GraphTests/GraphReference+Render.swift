// SPDX-License-Identifier: MIT

import TestKit

@testable import RenderCore

extension GraphReference {
  /// An edge as a node reads it.
  private struct Input {
    let edge: Int
    let source: Int
    let isDry: Bool
  }

  /// A node, and the edges into it in the order of summation.
  private struct Step {
    let node: Int
    /// The kind of the node; a sum for a bypassed effect, which does not render.
    let kind: Node
    let inputs: [Input]
  }

  /// Computes a cycle's samples.
  mutating func render(_ frames: Int) -> [Float] {
    dropFaded()
    hasRendered = true
    for index in edges.indices {
      edges[index].gain.go(to: edges[index].wanted, frames: 240, after: warmUpFrames)
    }
    warmUpFrames = 0
    let heard = heard()
    let active = edges.indices.filter { heard.contains(edges[$0].target) }
    let steps = steps(heard, active)
    let delays = steps.filter { isDelay($0.node) }
    let others = steps.filter { !isDelay($0.node) }
    let looped = Set(delays.map(\.node).filter(isInLoop))
    for delay in delays where lines[delay.node]?.end != frame { lines[delay.node] = (frame, []) }
    var sums = [Float](repeating: 0, count: nodes.count)
    var values = sums
    let samples = (0..<frames).map { _ in
      for index in active { edges[index].gain.advance() }
      for delay in delays { values[delay.node] = delayed(delay) }
      for step in others {
        sums[step.node] = sum(step.inputs, sums, values)
        values[step.node] = value(of: step, sums[step.node])
      }
      for delay in delays {
        let sum = sum(delay.inputs, sums, values)
        // A loop drops samples before they become denormal.
        let isKept = !looped.contains(delay.node) || sum.magnitude > 1e-30
        lines[delay.node]?.samples.append(isKept ? sum : 0)
      }
      frame += 1
      return values[Self.output]
    }
    for delay in delays { forget(delay) }
    noteSilence(of: active)
    return samples
  }

  /// Returns the nodes of `heard`, each after the nodes that lead into it without a delay.
  private func steps(_ heard: Set<Int>, _ active: [Int]) -> [Step] {
    func rank(_ node: Int) -> Int { isGenerator(node) ? 2 : 1 }
    let order = active.sorted {
      (rank(edges[$0].source), edges[$0].id) < (rank(edges[$1].source), edges[$1].id)
    }
    let rendered = Set(active.filter { !edges[$0].isDry }.map { edges[$0].source })
    var steps: [Step] = []
    var visited: Set<Int> = []
    func visit(_ node: Int) {
      guard visited.insert(node).inserted, let kind = nodes[node] else { return }
      let inputs = order.filter { edges[$0].target == node }.map {
        Input(edge: $0, source: edges[$0].source, isDry: edges[$0].isDry)
      }
      for input in inputs where !isDelay(input.source) { visit(input.source) }
      let renders = rendered.contains(node)
      steps.append(Step(node: node, kind: renders ? kind : .sum, inputs: inputs))
    }
    for node in heard.sorted() { visit(node) }
    return steps
  }

  private func sum(_ inputs: [Input], _ sums: [Float], _ values: [Float]) -> Float {
    var sum: Float = 0
    for input in inputs {
      let gain = edges[input.edge].gain.value
      if gain != 0 { sum += gain * (input.isDry ? sums[input.source] : values[input.source]) }
    }
    return sum
  }

  private func value(of step: Step, _ sum: Float) -> Float {
    switch step.kind {
    case .sum, .delay: return sum
    case .generator(let length): return generated(length, age(step.node))
    case .effect(let factor, let limit): return max(-limit, min(limit, sum * factor))
    case .builtIn(let effect):
      var sample = sum
      unsafe withUnsafeMutablePointer(to: &sample) { sample in
        var channel = unsafe sample
        unsafe withUnsafeMutablePointer(to: &channel) { channel in
          _ = unsafe effect.operation.render(
            UnsafeMutableBufferPointer(start: channel, count: 1), frameCount: 1,
            deviceFrame: frame)
        }
      }
      return sample
    }
  }

  private func delayed(_ step: Step) -> Float {
    guard case .delay(let frames) = step.kind, let samples = lines[step.node]?.samples,
      samples.count >= frames
    else { return 0 }
    return samples[samples.count - frames]
  }

  /// Drops the samples that a delay no longer needs.
  private mutating func forget(_ step: Step) {
    guard case .delay(let frames) = step.kind, let line = lines[step.node] else { return }
    let isLong = line.samples.count > 65536
    lines[step.node] = (frame, isLong ? Array(line.samples.suffix(frames)) : line.samples)
  }
}
