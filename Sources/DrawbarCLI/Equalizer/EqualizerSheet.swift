// SPDX-License-Identifier: MIT

import Equalizers
import Glibc

/// The facts about an equaliser file at a sample rate, as the source of the text, the JSON and the plot.
struct EqualizerSheet {
  /// The response at a frequency.
  struct Point: Equatable {
    var hertz: Double
    /// Minus infinity if nothing passes. For a sum of channels, the sum of the magnitudes from all inputs.
    var decibels: Double
    /// nil if a step mixes channels or has no phase by itself.
    var phaseRadians: Double?
  }

  /// Output channels with the same response.
  struct Group {
    /// The indices of the channels.
    var channels: [Int]
    var peak: EqualizerDesign.Peak
    /// nil if a step mixes channels.
    var delayMilliseconds: Double?
    /// 80 points a decade, from 20 Hz.
    var response: [Point]
    /// The gains at `tableHertz`.
    var tableDecibels: [Double]
  }

  /// A reason why `play` refuses the file.
  struct Refusal {
    /// nil for a reason without a line.
    var problem: EqualizerProblem?
    var reason: String
  }

  /// The nominal frequencies of third-octaves, ISO 266.
  private static let thirdOctaves: [Double] = [
    20, 25, 31.5, 40, 50, 63, 80, 100, 125, 160, 200, 250, 315, 400, 500, 630, 800, 1000, 1250,
    1600, 2000, 2500, 3150, 4000, 5000, 6300, 8000, 10_000, 12_500, 16_000, 20_000,
  ]

  let file: EqualizerFile
  let sampleRate: Double
  let preamp: (decibels: Double, source: Equalizer.PreampSource)
  let automaticPreampDecibels: Double
  /// The filters that have an effect at this rate.
  let filterCount: Int
  /// The file's steps without the `Preamp:` lines for all channels.
  let steps: [EqualizerStep]
  let channelNames: [String]
  /// True if a step mixes channels.
  let isMixed: Bool
  let groups: [Group]
  let tableHertz: [Double]
  /// The reasons why `play` refuses the file; empty if it plays it.
  let refusals: [Refusal]
  let warnings: [String]

  /// - Throws: the lines that are impossible at this rate and with these channels.
  init(of equalizer: Equalizer, sampleRate: Double) throws(EqualizerFileError) {
    let file = equalizer.file
    let design: EqualizerDesign
    do throws(EqualizerError) {
      automaticPreampDecibels = try equalizer.automaticPreampDecibels(sampleRate: sampleRate)
      preamp = try equalizer.preamp(sampleRate: sampleRate, automatic: automaticPreampDecibels)
      let curve = file.curve.limited(toSampleRate: sampleRate)
        .replacingPreamp(withDecibels: preamp.decibels)
      design = try curve.design(sampleRate: sampleRate, layout: equalizer.layout)
      filterCount = curve.filterCount
    } catch {
      throw EqualizerFileError(path: file.name, reason: .problems(error))
    }
    self.file = file
    self.sampleRate = sampleRate
    steps = file.curve.steps.filter { step in
      if case .preamp = step.operation { step.selection != .all } else { true }
    }
    channelNames = equalizer.layout.positions.enumerated().map { index, position in
      position?.rawValue ?? "\(index + 1)"
    }
    isMixed = design.isMixed
    let tableHertz = Self.thirdOctaves.filter { $0 <= sampleRate / 2 }
    self.tableHertz = tableHertz
    groups = Self.groups(of: design, tableHertz: tableHertz)
    refusals = Self.refusals(of: equalizer, sampleRate: sampleRate)
    warnings = equalizer.warnings(sampleRate: sampleRate)
  }

  /// Returns true for a filter that is impossible at this rate.
  func isLeftOut(_ step: EqualizerStep) -> Bool {
    guard case .filter(let filter) = step.operation else { return false }
    return filter.isTooHigh(forSampleRate: sampleRate)
  }

  private static func groups(of design: EqualizerDesign, tableHertz: [Double]) -> [Group] {
    let curveHertz = (0...240).map { 20 * pow(10, Double($0) / 80) }
      .filter { $0 <= design.sampleRate / 2 }
    let curves = design.outputResponses(atHertz: curveHertz)
    let tables = design.outputResponses(atHertz: tableHertz)
    let peaks = design.outputPeaks()
    var groups: [Group] = []
    for output in 0..<design.outputCount {
      let group = Group(
        channels: [output], peak: peaks[output],
        delayMilliseconds: design.isMixed
          ? nil : design.delayFrames(of: output) / design.sampleRate * 1000,
        response: zip(curveHertz, curves).map { hertz, responses in
          Point(
            hertz: hertz, decibels: responses[output].gainDecibels,
            phaseRadians: design.hasPhase ? responses[output].phaseRadians : nil)
        }, tableDecibels: tables.map { $0[output].gainDecibels })
      let same = groups.firstIndex {
        $0.peak == group.peak && $0.delayMilliseconds == group.delayMilliseconds
          && $0.response == group.response
      }
      if let same { groups[same].channels.append(output) } else { groups.append(group) }
    }
    return groups
  }

  /// Returns the reasons why `play` refuses the equaliser.
  private static func refusals(of equalizer: Equalizer, sampleRate: Double) -> [Refusal] {
    do throws(EqualizerFileError) {
      _ = try equalizer.stages(sampleRate: sampleRate)
      return []
    } catch {
      switch error.reason {
      case .problems(let error):
        return error.problems.map { Refusal(problem: $0, reason: $0.reason.description) }
      case .bank(let error): return [Refusal(reason: "\(error)")]
      case .convolver(let error): return [Refusal(reason: "\(error)")]
      }
    }
  }
}

extension EqualizerDesign {
  /// True if the phase of each output is that of its own input.
  fileprivate var hasPhase: Bool {
    steps.allSatisfy { step in
      switch step.operation {
      case .mix, .graphic, .convolution: false
      case .preamp, .biquad, .transferFunction, .delay: true
      }
    }
  }

  /// Returns the sum of an output's delays in frames.
  fileprivate func delayFrames(of output: Int) -> Double {
    steps.reduce(0) { sum, step in
      guard case .delay(let frames) = step.operation, step.channels.contains(output) else {
        return sum
      }
      return sum + frames
    }
  }
}
