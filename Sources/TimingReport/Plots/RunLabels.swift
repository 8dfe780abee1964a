// SPDX-License-Identifier: MIT

/// Labels for runs beside each other, made of their differences.
struct RunLabels {
  /// The properties that all runs share, such as `drawbar, 48000 Hz, mp3 44100 Hz, no load`.
  let common: String
  /// The indices of the parts that differ.
  private let distinguishing: Set<Int>

  /// Creates labels for runs, without the properties that all of them share.
  ///
  /// - Parameter isPeriodShown: whether the plot shows the period, so that labels leave it out.
  init(_ keys: [RunGroup.Key], isPeriodShown: Bool = false) {
    let parts = keys.map(Self.parts)
    var common: [String] = []
    var distinguishing: Set<Int> = []
    for place in 0..<Self.partCount where !(isPeriodShown && place == Self.periodPart) {
      let values = Set(parts.map { $0[place] })
      if values.count > 1 {
        distinguishing.insert(place)
      } else if let value = values.first, !value.isEmpty {
        common.append(value)
      }
    }
    self.common = common.joined(separator: ", ")
    self.distinguishing = distinguishing
  }

  /// Returns the label of a run; empty if nothing distinguishes it.
  func label(of key: RunGroup.Key) -> String {
    Self.parts(key).enumerated()
      .filter { distinguishing.contains($0.offset) && !$0.element.isEmpty }.map(\.element)
      .joined(separator: ", ")
  }

  /// Returns all properties of a run.
  static func full(_ key: RunGroup.Key) -> String {
    parts(key).filter { !$0.isEmpty }.joined(separator: ", ")
  }

  private static let partCount = 6
  private static let periodPart = 1

  /// Returns the properties of a run. Without streams their number is empty: the input is then silence.
  private static func parts(_ key: RunGroup.Key) -> [String] {
    let conditions = key.conditions
    let streams = conditions.streams
    return [
      key.subject, "\(conditions.periodFrames)\u{A0}frames",
      NumberText.rate(conditions.sampleRate), conditions.input,
      streams == 0 ? "" : streams == 1 ? "1\u{A0}stream" : "\(streams)\u{A0}streams",
      conditions.load == "none" ? "no load" : "load: \(conditions.load)",
    ]
  }
}
