// SPDX-License-Identifier: MIT

internal import AudioModel

/// A mix from any speakers to any others, after ITU-R BS.775: each speaker goes to the same one; if the output
/// lacks it, to the nearest one; the low-frequency channel then to none. Every sum is divided by the largest
/// sum of gains, so that it cannot clip.
struct SpeakerMix {
  /// A row for each input: `gains[input * outputs + output]`.
  let gains: [Float]

  /// - Parameter source: the speakers of the inputs; nil for the usual ones of this many channels.
  /// - Returns: nil unless each input and each output has a speaker of its own.
  init?(from source: AudioChannelLayout?, channels: Int, to target: AudioChannelLayout) {
    var labels = AudioChannelLayout(.standard(channels: UInt32(channels))).labels
    if let source, source.labels.count == channels { labels = source.labels }
    guard labels.count == channels, let inputs = Self.speakers(labels),
      let outputs = Self.speakers(target.labels)
    else { return nil }
    var gains: [Float] = []
    for input in inputs {
      var row = [Float](repeating: 0, count: outputs.count)
      for part in Self.parts(of: input, in: outputs) { row[part.output] += part.gain }
      gains += row
    }
    let sums = outputs.indices.map { output in
      inputs.indices.reduce(Float(0)) { $0 + gains[$1 * outputs.count + output] }
    }
    let largest = sums.max() ?? 1
    self.gains = largest > 1 ? gains.map { $0 / largest } : gains
  }

  private enum Speaker: Hashable {
    case center, lowFrequencies, rearCenter
    case front(isLeft: Bool)
    /// Between a front speaker and the centre.
    case near(isLeft: Bool)
    case side(isLeft: Bool)
    case back(isLeft: Bool)
  }

  private static func speakers(_ labels: [UInt32]) -> [Speaker]? {
    // A lone pair of surround speakers is at the sides, whatever its name.
    let hasBack = !Set<UInt32>([10, 11, 33, 34]).isDisjoint(with: labels)
    let isWave = !Set<UInt32>([10, 11]).isDisjoint(with: labels)
    let speakers = labels.compactMap { label -> Speaker? in
      switch label {
      case 1, 2: .front(isLeft: label == 1)
      case 3, 42: .center
      case 4: .lowFrequencies
      // WAVE's backs, if 10 and 11 are its sides; MPEG's sides, if 33 and 34 are its backs.
      case 5, 6: hasBack && isWave ? .back(isLeft: label == 5) : .side(isLeft: label == 5)
      case 7, 8: .near(isLeft: label == 7)
      case 9: .rearCenter
      case 10, 11: .side(isLeft: label == 10)
      case 33, 34: .back(isLeft: label == 33)
      default: nil
      }
    }
    guard speakers.count == labels.count, Set(speakers).count == labels.count else { return nil }
    return speakers
  }

  /// Returns the outputs in which a speaker sounds, with their gains.
  private static func parts(
    of speaker: Speaker, in outputs: [Speaker]
  ) -> [(output: Int, gain: Float)] {
    func place(_ gain: Float, _ speakers: [Speaker]) -> [(output: Int, gain: Float)]? {
      let places = speakers.compactMap { outputs.firstIndex(of: $0) }
      return places.count == speakers.count ? places.map { ($0, gain) } : nil
    }
    if let same = place(1, [speaker]) { return same }
    // To mono with the same gain.
    if outputs == [.center] { return speaker == .lowFrequencies ? [] : [(0, 1)] }
    let halfPower = Float(0.5).squareRoot()
    let fronts = [Speaker.front(isLeft: true), .front(isLeft: false)]
    let nearest: [(output: Int, gain: Float)]? =
      switch speaker {
      case .center: place(halfPower, fronts)
      case .lowFrequencies: []
      case .front: place(halfPower, [.center])
      case .near(let isLeft): place(halfPower, [.front(isLeft: isLeft)])
      case .side(let isLeft):
        place(1, [.back(isLeft: isLeft)]) ?? place(halfPower, [.front(isLeft: isLeft)])
      case .back(let isLeft):
        place(1, [.side(isLeft: isLeft)]) ?? place(halfPower, [.front(isLeft: isLeft)])
      case .rearCenter:
        place(halfPower, [.back(isLeft: true), .back(isLeft: false)])
          ?? place(halfPower, [.side(isLeft: true), .side(isLeft: false)]) ?? place(0.5, fronts)
      }
    return nearest ?? []
  }
}
