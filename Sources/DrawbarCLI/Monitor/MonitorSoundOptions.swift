// SPDX-License-Identifier: MIT

import ArgumentParser
import RenderCore

/// The options for the path from the inputs to the outputs.
struct MonitorSoundOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Pass an input to an output, at a gain in dB (default: 0); repeatable. Other inputs are then not \
      passed on. (default: each input to the output of its number; a single input to all outputs)
      """, valueName: "in:out[:dB]"))
  var route: [MonitorRoute] = []

  @Option(parsing: .unconditional, help: "Gain of the inputs in dB, -100 to 40.")
  var gain = 0.0

  @Flag(help: "Begin muted.")
  var mute = false

  @Option(
    parsing: .unconditional,
    help: "Balance of the inputs between the first two outputs, -100 (the first alone) to 100.")
  var pan = 0.0

  @Option(help: "Invert the polarity of this input; repeatable.")
  var invert: [Int] = []

  @Option(help: "Corner of a high-pass on every input (12 dB an octave), in Hz, 1 to 20000.")
  var highPass: Double?

  @Option(
    parsing: .unconditional,
    help: """
      Limit the outputs, with files played along, to this level, -60 to 0. The limiter has no look-ahead \
      and adds no latency.
      """)
  var limit: Double?

  func validate() throws {
    guard (-100...40).contains(gain) else { throw ValidationError("--gain must be -100 to 40.") }
    guard (-100...100).contains(pan) else { throw ValidationError("--pan must be -100 to 100.") }
    guard (1...20000).contains(highPass ?? 1) else {
      throw ValidationError("--high-pass must be 1 to 20000.")
    }
    guard (-60...0).contains(limit ?? 0) else { throw ValidationError("--limit must be -60 to 0.") }
  }

  /// Returns the settings for these options.
  func settings(inputs: Int, outputs: Int) throws -> MonitorSettings {
    var settings = MonitorSettings(inputs: inputs, outputs: outputs)
    if !route.isEmpty {
      settings.crosspoints = .init(repeating: .init(repeating: 0, count: inputs), count: outputs)
    }
    for route in route {
      guard (1...inputs).contains(route.input) else {
        throw ValidationError("--route \(route.text): there are inputs 1 to \(inputs).")
      }
      guard (1...outputs).contains(route.output) else {
        throw ValidationError("--route \(route.text): there are outputs 1 to \(outputs).")
      }
      settings.crosspoints[route.output - 1][route.input - 1] = Decibels.factor(route.decibels)
    }
    guard invert.allSatisfy({ (1...inputs).contains($0) }) else {
      throw ValidationError("--invert: there are inputs 1 to \(inputs).")
    }
    settings.invertedInputs = Set(invert.map { $0 - 1 })
    settings.gain = Decibels.factor(gain)
    settings.isMuted = mute
    settings.pan = Float(pan / 100)
    settings.highPassHertz = highPass
    settings.limit = limit.map(Decibels.factor)
    return settings
  }
}

/// `IN:OUT[:DB]`: one crosspoint, both counted from 1.
struct MonitorRoute: ExpressibleByArgument {
  let text: String
  let input: Int
  let output: Int
  let decibels: Double

  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let input = Int(parts[0]), let output = Int(parts[1]),
      let decibels = parts.count == 3 ? Double(parts[2]) : 0, (-100...40).contains(decibels)
    else { return nil }
    text = argument
    self.input = input
    self.output = output
    self.decibels = decibels
  }
}
