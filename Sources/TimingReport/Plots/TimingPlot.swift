// SPDX-License-Identifier: MIT

/// A picture of measured runs, as SVG: 760 pixels wide, on white, in colours that colour-blind people can distinguish,
/// and without external resources.
///
/// A plot without values states that nothing was measured.
public struct TimingPlot: Sendable, Equatable {
  /// The title, which is also in the picture.
  public let title: String
  /// An explanation in a sentence or two. In the picture it is the description for readers who do not see it.
  public let explanation: String
  /// The picture: an `svg` element, usable as a document or as a part of a page.
  public let svg: String

  /// Returns the name of a quantity in titles.
  static func name(of quantity: TimingStatistics.Quantity) -> String {
    switch quantity {
    case .lateness: "Lateness"
    case .wake: "Wake-up time"
    case .duration: "Duration of the callback"
    case .sources: "Duration of the sources"
    case .headroom: "Headroom"
    case .interval: "Interval between callbacks"
    }
  }

  /// Returns the name of a cause in plots and tables.
  static func name(of cause: CycleCause) -> String {
    switch cause {
    case .wokenLate: "woken\u{A0}late"
    case .overBudget: "over\u{A0}budget"
    case .preempted: "preempted"
    case .starved: "starved"
    case .stopped: "stopped"
    case .server: "server\u{A0}late"
    }
  }
}

/// The colours of Okabe and Ito, which colour-blind people can distinguish; not the yellow, faint on white.
enum PlotColour {
  static let blue = "#0072B2"
  static let vermilion = "#D55E00"
  static let green = "#009E73"
  static let purple = "#CC79A7"
  static let orange = "#E69F00"
  static let sky = "#56B4E9"
  static let black = "#000000"

  static let text = "#222222"
  static let faintText = "#555555"
  static let axis = "#666666"
  static let grid = "#DDDDDD"
  static let faintGrid = "#F0F0F0"

  /// The colours of adjacent lines or bars, in this order.
  static let series = [blue, vermilion, green, purple, orange, sky, black]
}
