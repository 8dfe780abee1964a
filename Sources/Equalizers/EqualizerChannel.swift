// SPDX-License-Identifier: MIT

internal import AudioModel

/// A channel as an equaliser file names it.
public enum EqualizerChannel: Hashable, Sendable {
  /// A loudspeaker position, with the abbreviation that Equalizer APO uses.
  public enum Position: String, Hashable, Sendable, CaseIterable {
    /// Front left.
    case left = "L"
    /// Front right.
    case right = "R"
    /// Front centre.
    case center = "C"
    /// Low-frequency effects; `SUB` in older files.
    case lowFrequency = "LFE"
    /// Rear left.
    case rearLeft = "RL"
    /// Rear right.
    case rearRight = "RR"
    /// Rear centre.
    case rearCenter = "RC"
    /// Side left.
    case sideLeft = "SL"
    /// Side right.
    case sideRight = "SR"

    /// The position that replaces this one in a layout without it.
    var alternative: Position? {
      switch self {
      case .sideLeft: .rearLeft
      case .sideRight: .rearRight
      case .rearLeft: .sideLeft
      case .rearRight: .sideRight
      default: nil
      }
    }
  }

  /// A loudspeaker position.
  case position(Position)
  /// An output channel's number, from 1.
  case number(Int)
  /// A virtual channel, in upper case. `Copy:` creates it, and it is not an output.
  case virtual(String)

  /// Creates the channel of this name: letters, digits and `_`, in any case; nil for anything else.
  init?(name: ArraySlice<UInt8>) {
    guard let first = name.first, name.count <= 32 else { return nil }
    let isWord = name.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
    guard isWord else { return nil }
    if first.isDigit {
      guard let number = Int(name.text), (1...1024).contains(number) else { return nil }
      self = .number(number)
      return
    }
    let upper = name.text.uppercased()
    if let position = Position(rawValue: upper == "SUB" ? "LFE" : upper) {
      self = .position(position)
    } else {
      self = .virtual(upper)
    }
  }
}

extension EqualizerChannel: CustomStringConvertible {
  /// The channel as a file names it.
  public var description: String {
    switch self {
    case .position(let position): position.rawValue
    case .number(let number): String(number)
    case .virtual(let name): name
    }
  }
}

/// The channels that a step applies to.
public struct EqualizerSelection: Hashable, Sendable {
  /// True if all output channels are selected.
  public var includesOutputs: Bool
  /// Channels that are selected by name, in the file's order.
  public var channels: [EqualizerChannel]

  /// Creates a selection with these fields.
  public init(includesOutputs: Bool, channels: [EqualizerChannel]) {
    self.includesOutputs = includesOutputs
    self.channels = channels
  }

  /// All output channels.
  public static let all = EqualizerSelection(includesOutputs: true, channels: [])
}

/// The positions of an output's channels, in their order.
public struct EqualizerLayout: Hashable, Sendable {
  /// Each channel's position; nil for a channel that has only a number.
  public var positions: [EqualizerChannel.Position?]

  /// Creates a layout of these positions.
  public init(_ positions: [EqualizerChannel.Position?]) {
    self.positions = positions
  }

  /// Creates the usual layout for a number of channels: mono is `C`; 2, 4, 6 and 8 channels are those
  /// of `L R C LFE RL RR SL SR` that are present. Channels of any other count have only numbers.
  ///
  /// - Parameter channelCount: The number of channels, 1 or more.
  public init(channelCount: Int) {
    positions =
      switch channelCount {
      case 1: [.center]
      case 2: [.left, .right]
      case 4: [.left, .right, .rearLeft, .rearRight]
      case 6: [.left, .right, .center, .lowFrequency, .rearLeft, .rearRight]
      case 8:
        [
          .left, .right, .center, .lowFrequency, .rearLeft, .rearRight, .sideLeft, .sideRight,
        ]
      default: Array(repeating: nil, count: max(1, channelCount))
      }
  }

  /// Left and right.
  public static let stereo = EqualizerLayout([.left, .right])

  /// Returns the index of a channel; nil if the layout has no such channel.
  func index(of channel: EqualizerChannel) -> Int? {
    switch channel {
    case .number(let number): number <= positions.count ? number - 1 : nil
    case .position(let position):
      positions.firstIndex(of: position)
        ?? position.alternative.flatMap { positions.firstIndex(of: $0) }
    case .virtual: nil
    }
  }
}
