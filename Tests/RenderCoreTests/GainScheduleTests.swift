// SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import TestKit
import Testing

@testable import RenderCore

@Suite("A scheduled gain")
struct GainScheduleTests {
  private static let cuts = GraphRig.cuts

  /// A constant of -0.5 that leads to the output.
  private struct Constant {
    let rig = GraphRig()
    let generator: RenderCallbackHandle

    init() {
      generator = rig.addGenerator(step: 0)
    }

    func schedule(_ gain: Float, at frame: UInt64, over frames: Int = 0) throws {
      let graph = rig.renderer.graph
      try graph.scheduleGain(
        gain, from: generator.node, to: graph.mix, atFrame: frame, rampFrames: frames)
    }

    /// The output's gain in each frame.
    var gains: [Float] { rig.samples.map { $0 / -0.5 } }
  }

  /// Returns a ramp's progress (0 to 1) at a frame, counted from its first.
  private func weight(_ frame: Int, of frames: Int) -> Double {
    let k = Double(frame + 1) / Double(frames)
    return k * k * k * (10 - k * (15 - 6 * k))
  }

  @Test("Begins with its frame, whatever the cycle length is", arguments: cuts)
  func exact(_ cycles: [Int]) throws {
    let constant = Constant()
    try constant.schedule(0.25, at: 1000)
    try constant.schedule(0.5, at: 1001)
    try constant.schedule(1, at: 3000, over: 500)
    try constant.schedule(0, at: 4000, over: 1)
    constant.rig.render(5000, cycles: cycles)
    let gains = constant.gains
    #expect(gains[..<1000].allSatisfy { $0 == 1 })
    #expect(gains[1000] == 0.25)
    #expect(gains[1001..<3000].allSatisfy { $0 == 0.5 })
    for frame in 3000..<3500 {
      #expect(abs(Double(gains[frame]) - 0.5 - 0.5 * weight(frame - 3000, of: 500)) < 1e-6)
    }
    #expect(gains[3500..<4000].allSatisfy { $0 == 1 })
    #expect(gains[4000...].allSatisfy { $0 == 0 })
  }

  @Test("Begins with the next cycle if its frame has passed")
  func late() throws {
    let constant = Constant()
    constant.rig.render(1000, cycles: [64])
    try constant.schedule(0.25, at: 10)
    constant.rig.render(100, cycles: [64])
    #expect(constant.gains[..<1000].allSatisfy { $0 == 1 })
    #expect(constant.gains[1000...].allSatisfy { $0 == 0.25 })
  }

  @Test("Can share a cycle with a full schedule of others, which refuses one more")
  func capacity() throws {
    let constant = Constant()
    for index in 0..<ProcessingGraph.scheduledGainCapacity {
      try constant.schedule(Float(index % 7) / 8, at: UInt64(100 + 3 * index))
    }
    #expect(throws: ProcessingGraphError.scheduleFull(from: "callback", to: "mix")) {
      try constant.schedule(1, at: 7000)
    }
    constant.rig.render(8192, cycles: [8192])
    for index in 0..<ProcessingGraph.scheduledGainCapacity {
      #expect(constant.gains[100 + 3 * index] == Float(index % 7) / 8)
    }
    // The schedule has room again, and frame 7000 has passed.
    try constant.schedule(1, at: 7000)
    constant.rig.render(100, cycles: [64])
    #expect(constant.gains.last == 1)
  }

  @Test(
    "Is cancelled by an edit of the gain, which begins from the last one that has begun",
    arguments: cuts)
  func cancelled(_ cycles: [Int]) throws {
    let constant = Constant()
    let graph = constant.rig.renderer.graph
    try constant.schedule(0.25, at: 500)
    try constant.schedule(0.75, at: 2000)
    constant.rig.render(1000, cycles: cycles)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.setGain(0.5, from: constant.generator.node, to: graph.mix)
    }
    constant.rig.render(2000, cycles: cycles)
    let gains = constant.gains
    #expect(gains[500..<1000].allSatisfy { $0 == 0.25 })
    for frame in 1000..<1240 {
      #expect(abs(Double(gains[frame]) - 0.25 - 0.25 * weight(frame - 1000, of: 240)) < 1e-6)
    }
    #expect(gains[1240...].allSatisfy { $0 == 0.5 })
  }

  @Test("Survives edits of other gains, and an exchange of its edge", arguments: cuts)
  func edits(_ cycles: [Int]) throws {
    let constant = Constant()
    let graph = constant.rig.renderer.graph
    try constant.schedule(0.25, at: 500)
    try constant.schedule(0.75, at: 5000)
    constant.rig.render(1000, cycles: cycles)
    // The other path is late, so the edge is replaced by one that is delayed by as much.
    let other = constant.rig.addGenerator(step: 0)
    let late = constant.rig.addEffect(factor: 0, delay: 100)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(late.node, from: other.node, to: graph.mix)
      try edit.setGain(0.5, from: late.node, to: graph.mix)
    }
    constant.rig.render(5000, cycles: cycles)
    let gains = constant.gains
    #expect(gains[500..<1000].allSatisfy { $0 == 0.25 })
    #expect(gains[1400..<5000].allSatisfy { abs($0 - 0.25) < 1e-6 })
    // Gains come behind the delay.
    #expect(gains[5000...].allSatisfy { abs($0 - 0.75) < 1e-6 })
  }

  @Test("Is refused for nodes that are not connected, and before a later one")
  func refusals() throws {
    let constant = Constant()
    let graph = constant.rig.renderer.graph
    #expect(throws: ProcessingGraphError.notConnected(from: "callback", to: "output")) {
      try graph.scheduleGain(1, from: constant.generator.node, to: graph.output, atFrame: 0)
    }
    let other = GraphRig().addEffect(factor: 1)
    #expect(throws: ProcessingGraphError.unknownNode("effect")) {
      try graph.scheduleGain(1, from: other.node, to: graph.output, atFrame: 0)
    }
    try constant.schedule(0.5, at: 1000)
    #expect(
      throws: ProcessingGraphError.notInOrder(
        from: "callback", to: "mix", frame: 999, lastFrame: 1000)
    ) {
      try constant.schedule(1, at: 999)
    }
    constant.rig.render(2000, cycles: [64])
    #expect(constant.gains.last == 0.5)
  }

  @Test("Can be scheduled while another thread renders")
  func concurrent() throws {
    let constant = Constant()
    constant.rig.render(64, cycles: [64])
    let lastFrame: UInt64 = 200_000
    let scheduled = Atomic<UInt64>(0)
    let thread = JoinableThread {
      // It renders further than the last scheduled ramp, so that a full schedule gets room again.
      var rendered: UInt64 = 0
      while rendered <= lastFrame {
        if rendered > scheduled.load(ordering: .acquiring) + 1000 {
          sched_yield()
          continue
        }
        constant.rig.render(365, cycles: [64, 1, 300])
        rendered += 365
      }
    }
    for frame in stride(from: 100, through: lastFrame, by: 100) {
      let gain: Float = frame % 200 == 0 ? 1 : 0
      while true {
        do throws(ProcessingGraphError) {
          try constant.rig.renderer.graph.scheduleGain(
            gain, from: constant.generator.node, to: constant.rig.renderer.graph.mix,
            atFrame: frame, rampFrames: 50)
          break
        } catch {
          guard case .scheduleFull = error else { throw error }
        }
      }
      scheduled.store(frame, ordering: .releasing)
    }
    thread.join()
    constant.rig.render(100, cycles: [64])
    #expect(constant.gains.last == 1)
    let steps = zip(constant.gains, constant.gains.dropFirst()).map { ($0 - $1).magnitude }
    #expect(steps.max()! < 4 * 1.875 / 50)
  }
}
