// SPDX-License-Identifier: MIT

import AudioModel
import Equalizers
import Glibc
import RenderCore

/// The nodes of an equaliser: for each stage a filter bank, and a delay and a mixer if it needs them.
struct EqualizerNodes {
  private struct Stage {
    let channelCount: Int
    let bank: FilterBankControl
    let delay: DelayControl?
    let mixer: GraphNode?
  }

  private let stages: [Stage]
  /// The gains of each stage's mixer.
  private let gains: [[[Float]]?]

  /// Adds the nodes. They lead nowhere.
  ///
  /// - Throws: `EqualizerFileError` for sections that the bank refuses.
  init(
    of equalizer: Equalizer, _ known: [EqualizerStage], preampDecibels: Double,
    in renderer: Renderer
  ) throws(EqualizerFileError) {
    let (graph, rate) = (renderer.graph, renderer.sampleRate)
    gains = known.map(\.gains)
    stages = known.map { stage in
      let channels = stage.sections.count
      let longest = Double(stage.delayFrames.max() ?? 0) / rate
      // With room for a longer delay, at the highest rate of a server.
      let seconds = min(max(2 * longest, 0.05), EqualizerStage.maximumDelaySeconds)
      return Stage(
        channelCount: channels, bank: graph.addFilterBank(channelCount: channels),
        delay: longest > 0
          ? graph.addDelay(channelCount: channels, maximumFrames: Int(seconds * 768_000)) : nil,
        mixer: stage.gains.map { _ in graph.addMixer(channelCount: channels) })
    }
    try set(equalizer, known, preampDecibels: preampDecibels, sampleRate: rate)
  }

  /// Returns true if the nodes, and the gains between them, are those of other stages.
  func suit(_ others: [EqualizerStage], sampleRate: Double) -> Bool {
    others.map(\.gains) == gains
      && zip(stages, others).allSatisfy { stage, other in
        let longest = Double(other.delayFrames.max() ?? 0) * 768_000 / sampleRate
        return stage.channelCount == other.sections.count
          && longest <= Double(stage.delay?.maximumFrames ?? 0)
      }
  }

  /// Fades to the filters and delays of an equaliser that the nodes suit.
  ///
  /// - Parameters:
  ///   - known: the stages at the present sample rate.
  ///   - preampDecibels: the preamp at that rate, which applies where another rate makes the filters impossible:
  ///     without it the sound could become louder.
  func set(
    _ equalizer: Equalizer, _ known: [EqualizerStage], preampDecibels: Double, sampleRate: Double
  ) throws(EqualizerFileError) {
    let preamp = BiquadCoefficients(b0: pow(10, preampDecibels / 20), b1: 0, b2: 0, a1: 0, a2: 0)
    for (index, stage) in stages.enumerated() {
      do throws(FilterBankError) {
        try stage.bank.set { rate in
          if rate == sampleRate { return known[index].sections }
          let others = try? equalizer.stages(sampleRate: rate).stages
          return others?[index].sections ?? (index == 0 ? [[preamp]] : [[]])
        }
      } catch {
        throw EqualizerFileError(path: equalizer.file.name, reason: .bank(error))
      }
      stage.delay?.set { channel, rate in
        if rate == sampleRate { return known[index].delayFrames[channel] }
        let others = try? equalizer.stagesWithoutPreamp(sampleRate: rate)
        return others?[index].delayFrames[channel] ?? 0
      }
    }
  }

  /// Connects the nodes between two others, whose channels are the first ones of the equaliser.
  func connect(
    from source: GraphNode, to target: GraphNode, in edit: inout GraphEdit
  ) throws(ProcessingGraphError) {
    var last = source
    for (stage, gains) in zip(stages, gains) {
      try edit.connect(last, to: stage.bank.node)
      last = stage.bank.node
      if let delay = stage.delay {
        try edit.connect(last, to: delay.node)
        last = delay.node
      }
      guard let mixer = stage.mixer, let gains else { continue }
      for (target, row) in gains.enumerated() {
        for (source, gain) in row.enumerated() where gain != 0 {
          try edit.connect(
            last, channel: source, to: mixer, targetChannel: target, channelCount: 1, gain: gain)
        }
      }
      last = mixer
    }
    try edit.connect(last, to: target)
  }

  /// Removes the nodes, whose sound fades out.
  func remove(in edit: inout GraphEdit) throws(ProcessingGraphError) {
    for stage in stages {
      for node in [stage.bank.node, stage.delay?.node, stage.mixer].compactMap(\.self) {
        try edit.remove(node)
      }
    }
  }
}
