// SPDX-License-Identifier: MIT

import ArgumentParser
import PlayerEngine

/// The values of `--decode`.
enum DecodeOption: String, ExpressibleByArgument, CaseIterable {
  case auto, callback, ahead

  /// The required decoding thread; nil for `auto`.
  var thread: DecoderThread? {
    switch self {
    case .auto: nil
    case .callback: .callback
    case .ahead: .ahead
    }
  }
}

extension DecoderChoice {
  /// The decoding thread and the reason for it, in a few words.
  var words: String {
    let text = thread == .callback ? "in the callback" : "ahead"
    return switch reason {
    case .wanted: "\(text), as asked for"
    case .onlyThread: "\(text), the only thread for \(library)"
    case .noDeadline: "\(text), without deadlines"
    case .measured: "\(text), a packet takes \(packetShare)"
    }
  }

  /// A packet's share of the period; empty if it was not measured.
  private var packetShare: String {
    guard case .measured(let packet, let period) = reason, period > 0 else { return "" }
    let perMille = Int((Double(packet) / Double(period) * 1000).rounded())
    return "\(perMille / 10).\(perMille % 10) % of a period"
  }
}
