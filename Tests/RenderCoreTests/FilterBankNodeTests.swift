// SPDX-License-Identifier: MIT

import AudioModel
import Equalizers
import TestKit
import Testing

@testable import RenderCore

@Suite("A filter bank in a graph")
struct FilterBankNodeTests {
  private static let cuts = GraphRig.cuts
  private static let fade = 240

  /// Returns a function that designs the filters for a rate, without those that are impossible at it.
  private func design(
    _ filters: [EqualizerFilter]
  ) -> @Sendable (Double) -> [[BiquadCoefficients]] {
    { rate in [filters.compactMap { try? $0.coefficients(sampleRate: rate) }] }
  }

  private func insert(_ bank: FilterBankControl, _ graph: ProcessingGraph) throws {
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(bank.node, from: graph.mix, to: graph.output)
    }
  }

  private func input(_ frames: Range<Int>) -> [Float] {
    frames.map { generated(0.01, UInt64($0)) }
  }

  @Test("filters from its insertion on, as the bank alone does", arguments: cuts)
  func insertion(_ cycles: [Int]) throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    _ = rig.addGenerator(step: 0.01)
    rig.render(100, cycles: cycles)
    let bank = graph.addFilterBank(channelCount: 1)
    try bank.set(design(EqualizerFilter.ten()))
    try insert(bank, graph)
    rig.render(3000, cycles: cycles)
    let alone = FilteredSound(channels: 1, deviceFrame: 100)
    try alone.set([EqualizerFilter.ten()], mixSeconds: 0)
    let expected = alone.hear([input(100..<3100)])[0]
    let isSame = Array(rig.samples[(100 + Self.fade)...]) == Array(expected[Self.fade...])
    #expect(isSame)
  }

  @Test("that is flat or bypassed changes no bit once its insertion has faded", arguments: cuts)
  func transparent(_ cycles: [Int]) throws {
    for isBypassed in [false, true] {
      let rig = GraphRig()
      _ = rig.addGenerator(step: 0.01)
      let bank = rig.renderer.graph.addFilterBank(channelCount: 1)
      if isBypassed { try bank.set(design(EqualizerFilter.ten())) }
      if isBypassed { try rig.renderer.graph.setBypassed(true, bank.node) }
      rig.render(64, cycles: cycles)
      try insert(bank, rig.renderer.graph)
      rig.render(2000, cycles: cycles)
      let isSame = Array(rig.samples[(64 + Self.fade)...]) == input(64 + Self.fade..<2064)
      #expect(isSame)
    }
  }

  @Test("is bypassed, and filters again", arguments: cuts)
  func bypass(_ cycles: [Int]) throws {
    let rig = GraphRig()
    _ = rig.addGenerator(step: 0.01)
    let bank = rig.renderer.graph.addFilterBank(channelCount: 1)
    try bank.set(design([section(.lowPass, 500)]))
    try insert(bank, rig.renderer.graph)
    rig.render(1000, cycles: cycles)
    try rig.renderer.graph.setBypassed(true, bank.node)
    rig.render(1000, cycles: cycles)
    let isDry = Array(rig.samples[1500..<2000]) == input(1500..<2000)
    try rig.renderer.graph.setBypassed(false, bank.node)
    rig.render(2000, cycles: cycles)
    let isWet = zip(rig.samples[3500..<4000], input(3500..<4000)).allSatisfy { $0 != $1 }
    #expect(isDry && isWet)
  }

  @Test("begins at rest when it is connected again")
  func reconnection() throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    let generator = rig.addGenerator(step: 0.01)
    let bank = graph.addFilterBank(channelCount: 1)
    try bank.set(design([section(.highPass, 20)]))
    let connect = { (edit: inout GraphEdit) throws(ProcessingGraphError) in
      try edit.disconnect(generator.node, from: graph.mix)
      try edit.connect(generator.node, to: bank.node)
      try edit.connect(bank.node, to: graph.mix)
    }
    try graph.edit(connect)
    rig.render(1000, cycles: [64])
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.disconnect(bank.node, from: graph.mix)
      try edit.disconnect(generator.node, from: bank.node)
      try edit.connect(generator.node, to: graph.mix)
    }
    rig.render(1000, cycles: [64])
    try graph.edit { _ in }
    rig.render(1000, cycles: [64])
    try graph.edit(connect)
    rig.render(1000, cycles: [64])
    let alone = FilteredSound(channels: 1, deviceFrame: 3000)
    try alone.set([[section(.highPass, 20)]], mixSeconds: 0)
    let expected = alone.hear([input(3000..<4000)])[0]
    let isSame = Array(rig.samples[3240...]) == Array(expected[240...])
    #expect(isSame)
  }

  @Test("designs its sections again for another rate")
  func rate() throws {
    let rig = GraphRig()
    _ = rig.addGenerator(step: 0.01)
    let bank = rig.renderer.graph.addFilterBank(channelCount: 1)
    try bank.set(design([section(.peaking, 1000, gain: 12)]))
    try insert(bank, rig.renderer.graph)
    rig.render(64, cycles: [64])
    rig.renderer.sampleRate = 96000
    rig.render(8000, cycles: [64])
    let alone = FilteredSound(channels: 1, rate: 96000)
    try alone.set([[section(.peaking, 1000, gain: 12)]], mixSeconds: 0)
    let expected = alone.hear([input(0..<8064)])[0]
    let error = zip(rig.samples[7000...], expected[7000...]).map { abs($0 - $1) }.max()!
    #expect(error < 1e-5)
  }

  @Test("refuses impossible sections, and keeps the previous ones")
  func refusals() throws {
    let graph = GraphRig(channels: 3).renderer.graph
    let bank = graph.addFilterBank(channelCount: 3)
    let flat = BiquadCoefficients.identity
    let half = BiquadCoefficients(b0: 0.5, b1: 0, b2: 0, a1: 0, a2: 0)
    #expect(throws: FilterBankError.tooManySections(65)) {
      try bank.set { _ in [[BiquadCoefficients](repeating: half, count: 65)] }
    }
    try bank.set { _ in [[BiquadCoefficients](repeating: flat, count: 65)] }
    #expect(throws: FilterBankError.wrongChannelCount(2, expected: 3)) {
      try bank.set { _ in [[flat], [flat]] }
    }
    for a2 in [1.5, .nan, .infinity] {
      #expect(throws: FilterBankError.unstableSection) {
        try bank.set { _ in [[BiquadCoefficients(b0: 1, b1: 0, b2: 0, a1: 0, a2: a2)]] }
      }
    }
    try bank.set { _ in [[flat], [], [flat]] }
  }

  @Test("is removed with a fade")
  func removal() throws {
    let rig = GraphRig()
    let graph = rig.renderer.graph
    _ = rig.addGenerator(step: 0.01)
    let bank = graph.addFilterBank(channelCount: 1)
    try insert(bank, graph)
    rig.render(500, cycles: [64])
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.remove(bank.node)
      try edit.connect(graph.mix, to: graph.output)
    }
    rig.render(500, cycles: [64])
    // The bank is flat, so both paths carry the input, and their fades add up to 1.
    let isContinuous = zip(rig.samples, input(0..<1000)).allSatisfy { abs($0 - $1) < 1e-6 }
    #expect(isContinuous)
    try graph.edit { _ in }
    #expect(throws: ProcessingGraphError.unknownNode("filter bank")) {
      try graph.edit { (edit) throws(ProcessingGraphError) in try edit.remove(bank.node) }
    }
  }
}
