// SPDX-License-Identifier: MIT

import AudioModel
import Equalizers
import RenderCore

/// An equaliser before the outputs of a renderer.
struct EqualizerInsert {
  private(set) var equalizer: Equalizer
  private let renderer: Renderer
  /// The nodes before and after the equaliser.
  private let (source, target): (GraphNode, GraphNode)
  private var nodes: EqualizerNodes
  /// The curve at the renderer's rate, cached because it takes time to compute.
  private var curve: (sampleRate: Double, curve: EqualizerCurve)

  /// Appends the equaliser.
  ///
  /// - Throws: `EqualizerFileError` for lines that cannot be played, and for too many filters.
  init(_ equalizer: Equalizer, to chain: inout EffectChain) throws {
    self.equalizer = equalizer
    renderer = chain.renderer
    let rate = renderer.sampleRate
    let (stages, curve) = try equalizer.stages(sampleRate: rate)
    self.curve = (rate, curve)
    let nodes = try EqualizerNodes(
      of: equalizer, stages, preampDecibels: curve.preampDecibels ?? 0, in: renderer)
    self.nodes = nodes
    source = chain.last
    try chain.appendMixer { (edit, source, mixer) throws(ProcessingGraphError) in
      try nodes.connect(from: source, to: mixer, in: &edit)
    }
    target = chain.last
  }

  /// Fades to the filters, delays and mixes of another file.
  ///
  /// - Throws: `EqualizerFileError`, as the initialiser does. The current equaliser stays then.
  mutating func replaceFile(by file: EqualizerFile) throws {
    let other = equalizer.with(file)
    let rate = renderer.sampleRate
    let (stages, curve) = try other.stages(sampleRate: rate)
    let preamp = curve.preampDecibels ?? 0
    if nodes.suit(stages, of: file, sampleRate: rate) {
      try nodes.set(other, stages, preampDecibels: preamp, sampleRate: rate)
    } else {
      let (old, source, target) = (nodes, source, target)
      let new = try EqualizerNodes(of: other, stages, preampDecibels: preamp, in: renderer)
      try renderer.graph.edit { (edit) throws(ProcessingGraphError) in
        try new.connect(from: source, to: target, in: &edit)
        try old.remove(in: &edit)
      }
      nodes = new
    }
    equalizer = other
    self.curve = (rate, curve)
  }

  /// The filters and the preamp at the renderer's rate in one line of text, and warnings about lines without effect.
  var notes: (summary: String, warnings: [String]) {
    let (name, rate) = (equalizer.file.name, renderer.sampleRate)
    do throws(EqualizerFileError) {
      let curve =
        curve.sampleRate == rate ? curve.curve : try equalizer.stages(sampleRate: rate).curve
      let preamp = Self.text(curve.preampDecibels ?? 0)
      return (
        "equaliser \(name): \(contents(of: curve)), preamp \(preamp) dB",
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

  /// Returns the filters, graphic curves and convolutions in words, with their latency.
  private func contents(of curve: EqualizerCurve) -> String {
    let counts = [
      (curve.filterCount, "filter"), (curve.graphicCount, "graphic curve"),
      (curve.convolutionCount, "convolution"),
    ]
    var words = counts.filter { $0.0 > 0 }.map { count, name in
      "\(count) \(name)\(count == 1 ? "" : "s")"
    }
    if words.isEmpty { words.append("0 filters") }
    if nodes.latencyFrames > 0 { words.append("latency \(nodes.latencyFrames) frames") }
    return words.joined(separator: ", ")
  }

  private static func text(_ decibels: Double) -> Substring {
    Decibels.text(decibels: decibels).trimmingPrefix { $0 == " " }
  }
}
