// SPDX-License-Identifier: MIT

import AudioModel
import Equalizers
import Glibc
import RenderCore

/// An equaliser before the outputs of a renderer.
struct EqualizerInsert {
  private(set) var equalizer: Equalizer
  private let renderer: Renderer
  private let bank: FilterBankControl
  /// The curve at the renderer's rate, which takes time to compute.
  private var curve: (sampleRate: Double, curve: EqualizerCurve)

  /// Appends the equaliser.
  ///
  /// - Throws: `EqualizerFileError` for lines that cannot be played, and for too many filters.
  init(_ equalizer: Equalizer, to chain: inout EffectChain) throws {
    self.equalizer = equalizer
    renderer = chain.renderer
    bank = renderer.graph.addFilterBank(channelCount: chain.channelCount)
    curve = try Self.setFilters(of: equalizer, in: bank, sampleRate: renderer.sampleRate)
    try chain.append(bank.node)
  }

  /// Fades to the filters of another file.
  ///
  /// - Throws: the same errors. The old filters stay then.
  mutating func replaceFile(by file: EqualizerFile) throws {
    let other = equalizer.with(file)
    curve = try Self.setFilters(of: other, in: bank, sampleRate: renderer.sampleRate)
    equalizer = other
  }

  /// The filters and the preamp at the renderer's rate, in a line for people, and a warning for each line of the file
  /// that has no effect.
  var notes: (summary: String, warnings: [String]) {
    let (name, rate) = (equalizer.file.name, renderer.sampleRate)
    do throws(EqualizerFileError) {
      let curve =
        curve.sampleRate == rate ? curve.curve : try equalizer.sections(sampleRate: rate).curve
      let (count, preamp) = (curve.filterCount, Self.text(curve.preampDecibels ?? 0))
      return (
        "equaliser \(name): \(count) \(count == 1 ? "filter" : "filters"), preamp \(preamp) dB",
        equalizer.warnings(sampleRate: rate)
      )
    } catch {
      let preamp = Self.text(curve.curve.preampDecibels ?? 0)
      return (
        "equaliser \(name): no filters, preamp \(preamp) dB",
        ["\(error). Only the preamp applies at \(Int(rate)) Hz."]
      )
    }
  }

  private static func text(_ decibels: Double) -> Substring {
    Decibels.text(decibels: decibels).trimmingPrefix { $0 == " " }
  }

  /// Sets the filters of a bank.
  ///
  /// - Returns: the curve at the rate.
  private static func setFilters(
    of equalizer: Equalizer, in bank: FilterBankControl, sampleRate: Double
  ) throws(EqualizerFileError) -> (sampleRate: Double, curve: EqualizerCurve) {
    let known = try equalizer.sections(sampleRate: sampleRate)
    // At another rate the filters may be impossible. Without its preamp the sound could become louder.
    let preamp = BiquadCoefficients(
      b0: pow(10, (known.curve.preampDecibels ?? 0) / 20), b1: 0, b2: 0, a1: 0, a2: 0)
    do throws(FilterBankError) {
      try bank.set { rate in
        if rate == sampleRate { return known.sections }
        return (try? equalizer.sections(sampleRate: rate).sections) ?? [[preamp]]
      }
    } catch {
      throw EqualizerFileError(path: equalizer.file.name, reason: .bank(error))
    }
    return (sampleRate, known.curve)
  }
}
