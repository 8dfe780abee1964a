// SPDX-License-Identifier: MIT

/// The picture of a plot: its title, legend and axes, and the area between them.
///
/// From top to bottom: title, subtitle, rows of the legend, the area, the labels of its x axis.
package struct PlotCanvas {
  /// An entry of the legend.
  package struct Entry {
    package enum Shape { case line, box }

    var text: String
    var colour: String
    var shape: Shape
    var dashes: String

    package init(text: String, colour: String, shape: Shape = .line, dashes: String = "") {
      self.text = text
      self.colour = colour
      self.shape = shape
      self.dashes = dashes
    }
  }

  /// A marked value on an axis.
  package struct Label {
    var value: Double
    var text: String

    package init(value: Double, text: String) {
      self.value = value
      self.text = text
    }
  }

  static let width = 760.0
  static let left = 84.0
  static let right = 22.0
  private static let fontSize = 12.0
  /// The width of an average character of a sans-serif font, with a margin.
  private static let characterWidth = 6.6

  let x: AxisScale
  let y: AxisScale
  /// The area's edges.
  let top: Double
  let bottom: Double
  private let title: String
  private let explanation: String
  private var writer = MarkupWriter()

  /// Starts a plot.
  ///
  /// - Parameters:
  ///   - lanes: the free height above the area.
  package init(
    title: String, subtitle: String, explanation: String, legend: [Entry], x: AxisScale,
    y: AxisScale, lanes: Double = 0, height: Double = 260
  ) {
    self.title = title
    self.explanation = explanation
    self.x = x
    self.y = y
    var place = 22.0
    writer.element(
      "text",
      ["x": "12", "y": "22", "font-size": "15", "font-weight": "bold", "fill": PlotColour.text],
      text: Self.shortened(title, width: Self.width - 24, characterWidth: 9.2))
    if !subtitle.isEmpty {
      place += 18
      writer.element(
        "text", ["x": "12", "y": Self.number(place), "fill": PlotColour.faintText],
        text: Self.shortened(subtitle, width: Self.width - 24))
    }
    place = Self.draw(legend, below: place, with: &writer)
    top = place + 14 + lanes
    bottom = top + height
  }

  // MARK: - Coordinates

  /// The area's width.
  static var areaWidth: Double { width - left - right }

  package func pixel(x value: Double) -> Double { Self.left + x.position(value) * Self.areaWidth }

  package func pixel(y value: Double) -> Double { bottom - y.position(value) * (bottom - top) }

  /// Returns a number for an attribute, to a tenth of a pixel.
  static func number(_ value: Double) -> String { NumberText.shortDecimal(value, digits: 1) }

  // MARK: - Axes

  /// Draws the axes and the lines of their grids. Call it first.
  ///
  /// - Parameters:
  ///   - xLabels: in rising order; a label that would overlap the one before is left out.
  package mutating func axes(
    xTitle: String, yTitle: String, xLabels: [Label], yLabels: [Label], xLines: [Double] = [],
    yLines: [Double] = []
  ) {
    for value in xLines { line(x: pixel(x: value), colour: PlotColour.faintGrid) }
    for value in yLines { line(y: pixel(y: value), colour: PlotColour.faintGrid) }
    var freeFrom = -Double.infinity
    for label in xLabels {
      let place = pixel(x: label.value)
      line(x: place, colour: PlotColour.grid)
      let half = Self.textWidth(label.text) / 2
      guard place - half >= freeFrom else { continue }
      freeFrom = place + half + 6
      text(label.text, x: place, y: bottom + 17, anchor: "middle")
    }
    for label in yLabels {
      let place = pixel(y: label.value)
      line(y: place, colour: PlotColour.grid)
      text(label.text, x: Self.left - 7, y: place + 4, anchor: "end")
    }
    writer.empty(
      "rect",
      [
        "x": Self.number(Self.left), "y": Self.number(top), "width": Self.number(Self.areaWidth),
        "height": Self.number(bottom - top), "fill": "none", "stroke": PlotColour.axis,
      ])
    text(xTitle, x: Self.left + Self.areaWidth / 2, y: bottom + 38, anchor: "middle")
    let middle = Self.number((top + bottom) / 2)
    writer.element(
      "text",
      [
        "x": "16", "y": middle, "text-anchor": "middle", "fill": PlotColour.text,
        "transform": "rotate(-90 16 \(middle))",
      ], text: yTitle)
  }

  private mutating func line(x place: Double, colour: String) {
    path("M\(Self.number(place)) \(Self.number(top))V\(Self.number(bottom))", colour: colour)
  }

  private mutating func line(y place: Double, colour: String) {
    path(
      "M\(Self.number(Self.left)) \(Self.number(place))H\(Self.number(Self.width - Self.right))",
      colour: colour)
  }

  // MARK: - Shapes

  /// Draws a line through points, in pixels.
  package mutating func polyline(
    _ places: [(x: Double, y: Double)], colour: String, width: Double = 1.5, dashes: String = ""
  ) {
    guard places.count > 1 else { return }
    var text = ""
    var last = places[0]
    for (index, place) in places.enumerated() {
      // Invisible steps would make large files.
      let isSeen = (place.x - last.x).magnitude >= 0.5 || (place.y - last.y).magnitude >= 0.5
      guard index == 0 || index == places.count - 1 || isSeen else { continue }
      text += text.isEmpty ? "M" : "L"
      text += "\(Self.number(place.x)) \(Self.number(place.y))"
      last = place
    }
    path(text, colour: colour, width: width, dashes: dashes)
  }

  /// Draws lines from a path's attribute `d`.
  mutating func path(
    _ text: String, colour: String, width: Double = 1, dashes: String = "", fill: String = "none",
    fillOpacity: Double = 1
  ) {
    writer.empty(
      "path",
      [
        "d": text, "fill": fill, "fill-opacity": NumberText.shortDecimal(fillOpacity, digits: 2),
        "stroke": colour, "stroke-width": Self.number(width), "stroke-linejoin": "round",
        "stroke-dasharray": dashes.isEmpty ? "none" : dashes,
      ])
  }

  /// Draws a filled rectangle, in pixels.
  mutating func box(
    x: Double, y: Double, width: Double, height: Double, colour: String, opacity: Double = 1
  ) {
    writer.empty(
      "rect",
      [
        "x": Self.number(x), "y": Self.number(y), "width": Self.number(width),
        "height": Self.number(height), "fill": colour,
        "fill-opacity": NumberText.shortDecimal(opacity, digits: 2),
      ])
  }

  /// Draws a text beside or above a point, in pixels.
  ///
  /// - Parameter anchor: `start`, `middle` or `end`.
  mutating func text(
    _ text: String, x: Double, y: Double, anchor: String, colour: String = PlotColour.text
  ) {
    writer.element(
      "text",
      ["x": Self.number(x), "y": Self.number(y), "text-anchor": anchor, "fill": colour], text: text)
  }

  /// Writes into the middle of the area that nothing was measured.
  mutating func sayNothingMeasured() {
    let message = "Nothing was measured."
    let width = Self.textWidth(message) + 20
    let x = Self.left + Self.areaWidth / 2
    let y = (top + bottom) / 2
    box(x: x - width / 2, y: y - 16, width: width, height: 24, colour: "#FFFFFF")
    text(message, x: x, y: y, anchor: "middle", colour: PlotColour.faintText)
  }

  /// Returns the finished plot.
  func finish() -> TimingPlot {
    TimingPlot(title: title, explanation: explanation, svg: svg)
  }

  /// The picture: an `svg` element that is a document of its own.
  package var svg: String {
    let height = Self.number(bottom + 50)
    let width = Self.number(Self.width)
    var picture = MarkupWriter()
    picture.element(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 \(width) \(height)",
        "width": width, "height": height, "role": "img", "font-family": "sans-serif",
        "font-size": Self.number(Self.fontSize),
      ]
    ) { svg in
      svg.element("title", text: title)
      svg.element("desc", text: explanation)
      svg.empty("rect", ["width": width, "height": height, "fill": "#FFFFFF"])
      svg.add(markup: writer.markup)
    }
    return picture.markup
  }

  // MARK: - Texts

  /// Returns the approximate width of a text, in pixels.
  static func textWidth(_ text: String) -> Double {
    Double(text.unicodeScalars.count) * characterWidth
  }

  /// Returns a text, cut if it would be wider than this.
  static func shortened(
    _ text: String, width: Double, characterWidth: Double = characterWidth
  ) -> String {
    let limit = Int(width / characterWidth)
    let scalars = text.unicodeScalars
    guard scalars.count > limit else { return text }
    return String(String.UnicodeScalarView(scalars.prefix(limit - 1))) + "…"
  }

  /// Draws the legend in columns.
  ///
  /// - Returns: the last row's base line.
  private static func draw(
    _ legend: [Entry], below start: Double, with writer: inout MarkupWriter
  ) -> Double {
    guard !legend.isEmpty else { return start }
    let texts = legend.map { shortened($0.text, width: width - 60) }
    let columnWidth = (texts.map(textWidth).max() ?? 0) + 44
    let columns = [1, Int((width - 12) / columnWidth)].max() ?? 1
    var y = start
    for (place, entry) in legend.enumerated() {
      let text = texts[place]
      let x = 12 + columnWidth * Double(place % columns)
      if place.isMultiple(of: columns) { y += place == 0 ? 20 : 18 }
      switch entry.shape {
      case .line:
        writer.empty(
          "path",
          [
            "d": "M\(number(x)) \(number(y - 4))h22", "stroke": entry.colour, "stroke-width": "2.5",
            "stroke-dasharray": entry.dashes.isEmpty ? "none" : entry.dashes,
          ])
      case .box:
        writer.empty(
          "rect",
          [
            "x": number(x + 5), "y": number(y - 10), "width": "12", "height": "12",
            "fill": entry.colour,
          ])
      }
      writer.element(
        "text", ["x": number(x + 28), "y": number(y), "fill": PlotColour.text], text: text)
    }
    return y
  }
}
