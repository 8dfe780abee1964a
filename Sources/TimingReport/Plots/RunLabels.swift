// SPDX-License-Identifier: MIT

/// Names runs beside each other by what distinguishes them.
struct RunLabels {
  /// What is the same in all of them, such as `drawbar, 48000 Hz, mp3 44100 Hz, no load`.
  let common: String
  /// Parts that are not the same in all.
  private let distinguishing: Set<Int>

  /// Names for these. What all have in common is left out of them, but when nothing else would be left.
  ///
  /// - Parameter isPeriodShown: the period is to be seen without being named.
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

  /// The name of one of them; empty when nothing distinguishes it.
  func label(of key: RunGroup.Key) -> String {
    Self.parts(key).enumerated()
      .filter { distinguishing.contains($0.offset) && !$0.element.isEmpty }.map(\.element)
      .joined(separator: ", ")
  }

  /// Everything of one.
  static func full(_ key: RunGroup.Key) -> String {
    parts(key).filter { !$0.isEmpty }.joined(separator: ", ")
  }

  private static let partCount = 6
  private static let periodPart = 1

  /// What has nothing to say is empty: a client without streams is silent, and says so.
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
