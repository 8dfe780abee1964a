// SPDX-License-Identifier: MIT

import ArgumentParser
import RenderCore
import TimingReport

/// The option for output delays.
struct DelayOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Delay an output by milliseconds, 0 to 1000, as 2:1.5; repeatable.", valueName: "output:ms"))
  var delay: [OutputDelay] = []

  func validate() throws {
    let outputs = delay.map(\.output)
    guard Set(outputs).count == outputs.count else {
      throw ValidationError("--delay names an output twice.")
    }
  }

  var summary: String? {
    if delay.isEmpty { return nil }
    return "delay "
      + delay.map { "\($0.output): \(NumberText.shortDecimal($0.milliseconds, digits: 3)) ms" }
      .joined(separator: " and ")
  }

  func append(to chain: inout EffectChain) throws {
    if delay.isEmpty { return }
    // The length at the highest rate that a server can have.
    let longest = delay.map { $0.frames(sampleRate: 768_000) }.max() ?? 0
    let control = chain.renderer.graph.addDelay(
      channelCount: chain.channelCount, maximumFrames: longest)
    control.set { [delay] channel, rate in
      delay.first { $0.output == channel + 1 }?.frames(sampleRate: rate) ?? 0
    }
    try chain.append(control.node)
  }
}

/// `OUTPUT:MS`: the delay of an output; outputs count from 1.
struct OutputDelay: ExpressibleByArgument {
  let output: Int
  let milliseconds: Double

  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let output = Int(parts[0]), (1...64).contains(output),
      let milliseconds = Double(parts[1]), (0...1000).contains(milliseconds)
    else { return nil }
    self.output = output
    self.milliseconds = milliseconds
  }

  func frames(sampleRate: Double) -> Int { Int((milliseconds * sampleRate / 1000).rounded()) }
}
