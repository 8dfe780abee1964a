// SPDX-License-Identifier: MIT

import AudioModel

/// The number of channels and their speakers as text.
enum ChannelWords {
  /// Returns a text such as `6 (L R C LFE Ls Rs)`.
  static func text(count: UInt32, layout: AudioChannelLayout?) -> String {
    let labels = layout.map(\.labels) ?? []
    switch (count, labels) {
    case (1, []), (1, [42]), (1, [3]): return "1 (mono)"
    case (2, []), (2, [1, 2]): return "2 (stereo)"
    case (_, []): return "\(count)"
    default: return "\(count) (\(labels.map(name).joined(separator: " ")))"
    }
  }

  /// Returns a speaker's short name, by Core Audio's labels (CoreAudioBaseTypes.h).
  private static func name(_ label: UInt32) -> String {
    switch label {
    case 1: "L"
    case 2: "R"
    case 3: "C"
    case 4: "LFE"
    case 5: "Ls"
    case 6: "Rs"
    case 7: "Lc"
    case 8: "Rc"
    case 9: "Cs"
    case 10: "Lsd"
    case 11: "Rsd"
    case 12: "Ts"
    case 13: "Vhl"
    case 14: "Vhc"
    case 15: "Vhr"
    case 16: "Tbl"
    case 17: "Tbc"
    case 18: "Tbr"
    case 33: "Rls"
    case 34: "Rrs"
    case 35: "Lw"
    case 36: "Rw"
    case 37: "LFE2"
    case 38: "Lt"
    case 39: "Rt"
    case 42: "M"
    default: "?"
    }
  }
}
