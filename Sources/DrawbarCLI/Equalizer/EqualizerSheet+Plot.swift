// SPDX-License-Identifier: MIT

import Equalizers
import TimingReport

extension EqualizerSheet {
  /// The maximum range of the plot below the highest gain, in dB.
  private static let plottedDecibels = 60.0

  /// The response with the preamp as an SVG picture: a curve for each group of channels.
  var plot: String {
    let shown = Array(groups.prefix(PlotStyle.maximum))
    let highestHertz = min(20_000, sampleRate / 2)
    let x = AxisScale.logarithmic(from: 20, to: highestHertz)
    let y = Self.gainScale(of: shown)
    let gain = NumberText.shortDecimal(preamp.decibels, digits: 2)
    var subtitle = "\(Int(sampleRate)) Hz, preamp \(gain) dB"
    if shown.count < groups.count { subtitle += " (not drawn: \(groups.count - shown.count) more)" }
    var canvas = PlotCanvas(
      title: "Response of \(file.name)", subtitle: subtitle,
      explanation: """
        The gain of each channel at each frequency, with the preamp. At a gain above 0 dB, the dashed line, \
        sound at full scale clips. Gains below the axis lie on its edge.
        """,
      legend: shown.enumerated().map { place, group in
        let style = PlotStyle(place)
        return PlotCanvas.Entry(
          text: name(of: group), colour: style.colour, dashes: style.dashes)
      }, x: x, y: y)
    canvas.axes(
      xTitle: "Frequency [Hz]", yTitle: "Gain [dB]",
      xLabels: Self.frequencyLabels(upTo: highestHertz),
      yLabels: y.ticks().map {
        PlotCanvas.Label(value: $0.value, text: NumberText.shortDecimal($0.value, digits: 1))
      }, xLines: x.ticks().map(\.value))
    canvas.horizontalLine(at: 0)
    for (place, group) in shown.enumerated() {
      let style = PlotStyle(place)
      let places = group.response.map {
        (x: canvas.pixel(x: $0.hertz), y: canvas.pixel(y: $0.decibels))
      }
      canvas.polyline(places, colour: style.colour, width: 1.8, dashes: style.dashes)
    }
    return canvas.svg
  }

  private static func frequencyLabels(upTo highest: Double) -> [PlotCanvas.Label] {
    let values: [Double] = [20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000]
    return values.filter { $0 <= highest }.map { hertz in
      let text =
        hertz < 1000
        ? NumberText.shortDecimal(hertz, digits: 0)
        : NumberText.shortDecimal(hertz / 1000, digits: 0) + "k"
      return PlotCanvas.Label(value: hertz, text: text)
    }
  }

  /// Returns a scale in multiples of 5 dB, for 0 dB and all gains that are not too low.
  private static func gainScale(of groups: [Group]) -> AxisScale {
    let gains = groups.flatMap { $0.response.map(\.decibels) }.filter(\.isFinite) + [0]
    let highest = gains.max() ?? 0
    let lowest = max(gains.min() ?? 0, highest - plottedDecibels)
    return .linear(
      from: ((lowest - 1) / 5).rounded(.down) * 5, to: ((highest + 1) / 5).rounded(.up) * 5)
  }
}
