// SPDX-License-Identifier: MIT

import Synchronization
import TestKit
import Testing

@testable import RenderCore

@Suite("A graph that is edited while another thread renders it")
struct ConcurrentGraphEditTests {
  @Test("Has no step, and calls no effect after its removal")
  func stress() throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let generator = rig.addGenerator(step: 0)
    let effects = (0..<6).map { _ in rig.addEffect(factor: 0.25) }
    rig.render(64, cycles: [64])
    let hasEnded = Atomic(false)
    let rendered = Atomic(0)
    let thread = JoinableThread {
      while !hasEnded.load(ordering: .acquiring) {
        rig.render(1024, cycles: [64, 1, 7, 256])
        rendered.add(1, ordering: .releasing)
      }
    }
    var chance = SplitMix(state: 1)
    var connected: Set<Int> = []
    var edits = 0
    while edits < 1000 || rendered.load(ordering: .acquiring) < 50 {
      let index = Int.random(in: effects.indices, using: &chance)
      let node = effects[index].node
      try graph.edit { (edit) throws(ProcessingGraphError) in
        if connected.contains(index) {
          try edit.disconnect(generator.node, from: node)
          try edit.disconnect(node, from: graph.output)
        } else {
          try edit.connect(generator.node, to: node)
          try edit.connect(node, to: graph.output)
        }
      }
      connected.formSymmetricDifference([index])
      edits += 1
    }
    for effect in effects { #expect(rig.renderer.remove(effect)) }
    let calls = (1...effects.count).map(rig.callCount)
    let before = rendered.load(ordering: .acquiring)
    #expect(eventually { rendered.load(ordering: .acquiring) > before + 2 })
    hasEnded.store(true, ordering: .releasing)
    thread.join()
    #expect(Array(rig.calls.dropFirst()) == calls)
    // Six effects, each with two edges of at most four steps at a time. A hard edge would step by 0.125, as the
    // removals at the end do.
    let edge: Float = 4 * 1.875 / 240 * 0.125
    let steps = zip(rig.samples, rig.samples.dropFirst()).map { ($0 - $1).magnitude }
    #expect(steps.count { $0 > 12 * edge } <= effects.count)
  }
}
