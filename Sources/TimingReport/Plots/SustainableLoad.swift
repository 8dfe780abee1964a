// SPDX-License-Identifier: MIT

/// The greatest share of the period that a callback can take with at most one bad cycle in a thousand.
public struct SustainableLoad: Sendable, Equatable, Codable {
  /// Frames per cycle.
  public var periodFrames: Int
  /// The share of the period: 0 to 1.
  public var share: Double

  /// Creates a share at a period.
  public init(periodFrames: Int, share: Double) {
    self.periodFrames = periodFrames
    self.share = share
  }
}

extension TimingPlot {
  /// Returns a plot of the greatest share of each period that a callback can take, as bars from 0 to 100 %.
  ///
  /// - Parameter loads: drawn in the order of their periods. A share that is not a number has no bar.
  public static func sustainableLoad(_ loads: [SustainableLoad]) -> TimingPlot {
    let loads = loads.sorted { $0.periodFrames < $1.periodFrames }
    let x = AxisScale.linear(from: -0.5, to: Double(loads.count) - 0.5)
    let y = AxisScale.linear(from: 0, to: 100)
    var canvas = PlotCanvas(
      title: "Sustainable load", subtitle: "",
      explanation: """
        The greatest share of the period that a callback can take without a bad cycle, at each period.
        """, legend: [], x: x, y: y)
    canvas.axes(
      xTitle: "Period [frames]", yTitle: "Callback [% of the period]",
      xLabels: loads.enumerated().map {
        .init(value: Double($0.offset), text: String($0.element.periodFrames))
      }, yLabels: numberLabels(y))
    if loads.isEmpty { canvas.sayNothingMeasured() }
    let slot = PlotCanvas.areaWidth / Double(loads.count)
    let width = slot * 0.6 > 70 ? 70 : slot * 0.6
    for (place, load) in loads.enumerated() {
      let middle = canvas.pixel(x: Double(place))
      let top = canvas.pixel(y: load.share * 100)
      if load.share.isFinite {
        canvas.box(
          x: middle - width / 2, y: top, width: width, height: canvas.bottom - top,
          colour: PlotColour.blue)
      }
      let text = NumberText.percent(load.share, digits: 0)
      if PlotCanvas.textWidth(text) < slot {
        canvas.valueLabel(text, x: middle, top: load.share.isFinite ? top : canvas.bottom)
      }
    }
    return canvas.finish()
  }
}

extension PlotCanvas {
  /// Draws a value above its bar, or inside of the bar if there is no room above.
  fileprivate mutating func valueLabel(_ value: String, x: Double, top barTop: Double) {
    let isInside = barTop - top < 18
    text(
      value, x: x, y: isInside ? barTop + 15 : barTop - 5, anchor: "middle",
      colour: isInside ? "#FFFFFF" : PlotColour.text)
  }
}
