// SPDX-License-Identifier: MIT

/// A picture of measured runs, as SVG: 760 pixels wide, on white, in colours that colour-blind people can
/// tell apart, and without anything from outside.
///
/// A plot of nothing says that there is nothing.
public struct TimingPlot: Sendable, Equatable {
  /// What it shows, in some words. Also in the picture.
  public let title: String
  /// How it is to be read, in a sentence or two. In the picture it is the description for those who do not
  /// see it.
  public let explanation: String
  /// The picture: an `svg` element, a document of its own as well as a part of a page.
  public let svg: String

  /// The name that a quantity has in titles.
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

  /// The words that a cause has in plots and tables.
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

/// Colours of Okabe and Ito, whom colour-blind people can tell apart, without the yellow that white swallows.
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

  /// Of things that are next to each other, in this order.
  static let series = [blue, vermilion, green, purple, orange, sky, black]
}
