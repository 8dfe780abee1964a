// SPDX-License-Identifier: MIT

import ArgumentParser
import AudioModel
import Equalizers
import RenderCore
import TimingReport

/// The crossfeed's option.
struct CrossfeedOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Mix the first two channels for headphones: default, cmoy, jmeier, or a cutoff of 300 to 2000 Hz and \
      a level of 1 to 15 dB, as 700:4.5.
      """, valueName: "preset"))
  var crossfeed: CrossfeedPreset?

  var summary: String? {
    crossfeed.map(\.crossfeed).map {
      "crossfeed \(NumberText.shortDecimal($0.cutoffHertz, digits: 1)) Hz, \(NumberText.shortDecimal($0.levelDecibels, digits: 1)) dB"
    }
  }

  /// Appends the crossfeed on the first two channels. The others are unchanged.
  func append(to chain: inout EffectChain) throws {
    guard let crossfeed = crossfeed?.crossfeed else { return }
    let graph = chain.renderer.graph
    let direct = graph.addFilterBank(channelCount: 2)
    let crossed = graph.addFilterBank(channelCount: 2)
    try direct.set { [[crossfeed.sections(sampleRate: $0).direct]] }
    try crossed.set { [[crossfeed.sections(sampleRate: $0).crossed]] }
    let count = chain.channelCount
    try chain.appendMixer { (edit, source, mixer) throws(ProcessingGraphError) in
      for bank in [direct, crossed] { try edit.connect(source, to: bank.node) }
      try edit.connect(direct.node, to: mixer)
      for channel in 0..<2 {
        try edit.connect(
          crossed.node, channel: channel, to: mixer, targetChannel: 1 - channel, channelCount: 1)
      }
      if count > 2 { try edit.connect(source, channel: 2, to: mixer, targetChannel: 2) }
    }
  }
}

/// The argument of `--crossfeed`.
struct CrossfeedPreset: ExpressibleByArgument {
  let crossfeed: Crossfeed

  /// - Parameter argument: a name, or `HZ:DB`.
  init?(argument: String) {
    switch argument {
    case "default": crossfeed = .standard
    case "cmoy": crossfeed = .moy
    case "jmeier": crossfeed = .meier
    default:
      let numbers = argument.split(separator: ":", omittingEmptySubsequences: false).map {
        Double($0)
      }
      guard numbers.count == 2, let cutoff = numbers[0], let level = numbers[1],
        let crossfeed = Crossfeed(cutoffHertz: cutoff, levelDecibels: level)
      else { return nil }
      self.crossfeed = crossfeed
    }
  }
}
