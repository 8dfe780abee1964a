// SPDX-License-Identifier: MIT

import AudioModel
import Equalizers
import RenderCore

/// An equaliser before the outputs of a renderer.
struct EqualizerInsert {
  private(set) var equalizer: Equalizer
  private let renderer: Renderer
  private let bank: FilterBankControl
  /// The curve at the renderer's rate, which takes time to compute.
  private var curve: (sampleRate: Double, curve: EqualizerCurve)

  /// Inserts the equaliser.
  ///
  /// - Throws: the lines that cannot be played, `EqualizerFileError`; too many filters, `EqualizerBankError`.
  init(_ equalizer: Equalizer, in renderer: Renderer) throws {
    self.equalizer = equalizer
    self.renderer = renderer
    let graph = renderer.graph
    let bank = graph.addFilterBank(channelCount: renderer.outputChannels)
    self.bank = bank
    curve = try Self.setFilters(of: equalizer, in: bank, sampleRate: renderer.sampleRate)
    try graph.edit { (edit) throws(ProcessingGraphError) in
      try edit.insert(bank.node, from: graph.mix, to: graph.output)
    }
  }

  /// Fades to the filters of another file.
  ///
  /// - Throws: the same errors. The old filters stay then.
  mutating func replaceFile(by file: EqualizerFile) throws {
    let other = equalizer.with(file)
    curve = try Self.setFilters(of: other, in: bank, sampleRate: renderer.sampleRate)
    equalizer = other
  }

  /// One line for people.
  var summary: String {
    let rate = renderer.sampleRate
    let curve = curve.sampleRate == rate ? curve.curve : try? equalizer.curve(rate)
    let count = curve?.filterCount ?? 0
    let preamp = Decibels.text(decibels: curve?.preampDecibels ?? 0)
      .trimmingPrefix { $0 == " " }
    return "equaliser \(equalizer.file.name): \(count) \(count == 1 ? "filter" : "filters"), "
      + "preamp \(preamp) dB"
  }

  /// Lines of the file that have no effect, a warning each.
  var warnings: [String] { equalizer.warnings(sampleRate: renderer.sampleRate) }

  /// Sets the filters of a bank.
  ///
  /// - Returns: the curve at the rate.
  private static func setFilters(
    of equalizer: Equalizer, in bank: FilterBankControl, sampleRate: Double
  ) throws -> (sampleRate: Double, curve: EqualizerCurve) {
    let (file, layout) = (equalizer.file, equalizer.layout)
    do {
      // A line may be for a channel that only this output has. Without a preamp, which takes time to find.
      let limited = file.curve.limited(toSampleRate: sampleRate)
      let sections = try limited.sections(sampleRate: sampleRate, layout: layout)
      let longest = sections.map { $0.count { !$0.changesNothing } }.max() ?? 0
      guard longest <= FilterBankControl.maximumSections else {
        throw FilterBankError.tooManySections(longest)
      }
      let curve = try equalizer.curve(sampleRate)
      let known = try curve.sections(sampleRate: sampleRate, layout: layout)
      try bank.set { rate in
        if rate == sampleRate { return known }
        return (try? equalizer.curve(rate).sections(sampleRate: rate, layout: layout)) ?? [[]]
      }
      return (sampleRate, curve)
    } catch let error as EqualizerError {
      throw EqualizerFileError(path: file.name, error: error)
    } catch let error as FilterBankError {
      throw EqualizerBankError(path: file.name, error: error)
    }
  }
}

/// An equaliser file with more filters than a filter bank can have.
struct EqualizerBankError: Error, CustomStringConvertible {
  let path: String
  let error: FilterBankError

  var description: String { "\(path): \(error); use fewer filters" }
}
