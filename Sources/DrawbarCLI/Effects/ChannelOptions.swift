// SPDX-License-Identifier: MIT

import ArgumentParser
import RenderCore
import TimingReport

/// The channel options: exchange, mono and balance.
struct ChannelOptions: ParsableArguments {
  @Flag(help: "Exchange the first two channels.")
  var swap = false

  @Flag(help: "Give each output the mean of all channels.")
  var mono = false

  @Option(
    parsing: .unconditional,
    help: "Balance between the first two outputs, -100 (the first alone) to 100.")
  var balance = 0.0

  func validate() throws {
    guard (-100...100).contains(balance) else {
      throw ValidationError("--balance must be -100 to 100.")
    }
  }

  var summary: String? {
    var words: [String] = []
    if swap { words.append("swapped") }
    if mono { words.append("mono") }
    if balance != 0 { words.append("balance \(NumberText.shortDecimal(balance, digits: 1))") }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  /// Returns the balance gain of an output; the nearer side keeps its gain.
  private func gain(ofOutput output: Int) -> Float {
    switch output {
    case 0: Float(1 - max(0, balance) / 100)
    case 1: Float(1 + min(0, balance) / 100)
    default: 1
    }
  }

  func append(to chain: inout EffectChain) throws {
    guard summary != nil else { return }
    let count = chain.channelCount
    if mono {
      let sum = chain.renderer.graph.addMixer(channelCount: 1)
      try chain.appendMixer { (edit, source, mixer) throws(ProcessingGraphError) in
        for channel in 0..<count {
          try edit.connect(source, channel: channel, to: sum, gain: 1 / Float(count))
        }
        for output in 0..<count {
          try edit.connect(sum, to: mixer, targetChannel: output, gain: gain(ofOutput: output))
        }
      }
    } else {
      try chain.appendMixer { (edit, source, mixer) throws(ProcessingGraphError) in
        for output in 0..<2 {
          try edit.connect(
            source, channel: swap ? 1 - output : output, to: mixer, targetChannel: output,
            channelCount: 1, gain: gain(ofOutput: output))
        }
        if count > 2 { try edit.connect(source, channel: 2, to: mixer, targetChannel: 2) }
      }
    }
  }
}
