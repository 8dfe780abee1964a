// SPDX-License-Identifier: MIT

import AudioModel
import Drawbar
import Equalizers
import RenderCore

/// An equaliser file for the channels of an output, with its preamp.
struct Equalizer {
  /// The origin of a preamp.
  enum PreampSource: String {
    /// The command line.
    case option
    /// The `Preamp:` lines for all channels.
    case file
    /// The peak of the curve.
    case automatic
  }

  private(set) var file: EqualizerFile
  let layout: EqualizerLayout
  private let requested: EqualizerPreamp?

  /// - Parameter preamp: nil for the file's own preamp, or an automatic one if the file has none.
  init(_ file: EqualizerFile, preamp: EqualizerPreamp?, channels: Int) {
    self.file = file
    requested = preamp
    layout = EqualizerLayout(channelCount: channels)
  }

  /// Returns the equaliser of another file, with the same preamp argument and channels.
  func with(_ file: EqualizerFile) -> Equalizer {
    var other = self
    other.file = file
    return other
  }

  /// Returns the gain in dB of all channels at a rate, and its origin.
  ///
  /// - Parameter automatic: the automatic preamp, if it is known.
  func preamp(
    sampleRate: Double, automatic: Double? = nil
  ) throws(EqualizerError) -> (decibels: Double, source: PreampSource) {
    switch requested {
    case .decibels(let decibels): return (decibels, .option)
    case .automatic: break
    case nil:
      if let decibels = file.curve.preampDecibels { return (decibels, .file) }
    }
    if let automatic { return (automatic, .automatic) }
    return (try automaticPreampDecibels(sampleRate: sampleRate), .automatic)
  }

  /// Returns the preamp that keeps the peak at or below 0 dB. It includes the preamps of single channels.
  func automaticPreampDecibels(sampleRate: Double) throws(EqualizerError) -> Double {
    try file.curve.limited(toSampleRate: sampleRate).replacingPreamp(withDecibels: 0)
      .automaticPreampDecibels(sampleRate: sampleRate, layout: layout, keepsPreamp: true)
  }

  /// Returns the curve with its preamp, without the filters that are impossible at a rate.
  func curve(_ sampleRate: Double) throws(EqualizerError) -> EqualizerCurve {
    let gain = try preamp(sampleRate: sampleRate).decibels
    return file.curve.limited(toSampleRate: sampleRate).replacingPreamp(withDecibels: gain)
  }

  /// Returns the stages at a rate, and the curve that they are made of.
  func stages(
    sampleRate: Double
  ) throws(EqualizerFileError) -> (stages: [EqualizerStage], curve: EqualizerCurve) {
    // Checks the lines first, since an automatic preamp takes time to find.
    _ = try stagesWithoutPreamp(sampleRate: sampleRate)
    let curve: EqualizerCurve
    do throws(EqualizerError) {
      curve = try self.curve(sampleRate)
    } catch {
      throw EqualizerFileError(path: file.name, reason: .problems(error))
    }
    return (try stages(of: curve, sampleRate: sampleRate), curve)
  }

  /// Returns the stages at a rate, without the preamp for all channels.
  func stagesWithoutPreamp(sampleRate: Double) throws(EqualizerFileError) -> [EqualizerStage] {
    try stages(of: file.curve.limited(toSampleRate: sampleRate), sampleRate: sampleRate)
  }

  private func stages(
    of curve: EqualizerCurve, sampleRate: Double
  ) throws(EqualizerFileError) -> [EqualizerStage] {
    let stages = try file.stages(of: curve, sampleRate: sampleRate, layout: layout)
    let longest = stages.flatMap(\.sections).map { $0.count { !$0.changesNothing } }.max() ?? 0
    guard longest <= FilterBankControl.maximumSections else {
      throw EqualizerFileError(path: file.name, reason: .bank(.tooManySections(longest)))
    }
    return stages
  }

  /// Returns a warning about filters that are left out at a rate, and one about missing channels.
  func warnings(sampleRate: Double) -> [String] {
    let limited = file.curve.limited(toSampleRate: sampleRate)
    let left = file.curve.filters.count - limited.filters.count
    var warnings: [String] = []
    if left > 0 {
      warnings.append(
        "\(file.name): \(left) \(left == 1 ? "filter is" : "filters are") left out: above half of "
          + "\(Int(sampleRate)) Hz")
    }
    let design = try? limited.design(sampleRate: sampleRate, layout: layout)
    let missing = design?.missingChannels ?? []
    if !missing.isEmpty {
      let channels = missing.map(\.description).joined(separator: ", ")
      warnings.append(
        "\(file.name): the output has no channel \(channels); lines for it have no effect")
    }
    return warnings
  }
}

extension EqualizerCurve {
  /// The number of filters, including those defined by coefficients.
  var filterCount: Int {
    steps.count { step in
      switch step.operation {
      case .filter, .transferFunction: true
      default: false
      }
    }
  }

  /// The number of graphic curves.
  var graphicCount: Int {
    steps.count { if case .graphic = $0.operation { true } else { false } }
  }

  /// The number of convolutions.
  var convolutionCount: Int {
    steps.count { if case .convolution = $0.operation { true } else { false } }
  }
}
