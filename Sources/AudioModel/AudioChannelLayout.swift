// SPDX-License-Identifier: MIT

/// The speaker of each channel, in the channels' order. Core Audio's `AudioChannelLayout`
/// (CoreAudioBaseTypes.h), with the labels always spelled out.
public struct AudioChannelLayout: Hashable, Sendable {
  /// The layout tag as stated by the file; 0 (`UseChannelDescriptions`) and 0x10000
  /// (`UseChannelBitmap`) if the file states no tag.
  public var tag: UInt32
  /// One label a channel: n + 1 for the speaker of bit n of an ``AudioChannelBitmap``, 42 for mono,
  /// 0xFFFFFFFF for unknown, other values as in CoreAudioBaseTypes.h.
  public var labels: [UInt32]

  /// Creates a layout with these labels.
  public init(tag: UInt32 = 0, labels: [UInt32]) {
    self.tag = tag
    self.labels = labels
  }

  /// Creates the layout of a set of speakers, in the order of their bits.
  public init(_ bitmap: AudioChannelBitmap) {
    tag = 0x10000
    labels = (0..<32).filter { bitmap.rawValue >> $0 & 1 != 0 }.map { UInt32($0) + 1 }
  }

  /// Creates the layout of a tag (`kAudioChannelLayoutTag_…`); nil for a tag that states only the
  /// number of channels, and for an unknown tag.
  public init?(tag: UInt32) {
    guard let labels = Self.labels(tag: tag) else { return nil }
    self.init(tag: tag, labels: labels)
  }

  /// The set of speakers, if no two channels share a speaker.
  public var bitmap: AudioChannelBitmap? {
    var bits: UInt32 = 0
    for label in labels {
      // Mono has its own label; its speaker is the centre.
      let place = label == 42 ? 3 : label
      guard (1...32).contains(place), bits >> (place - 1) & 1 == 0 else { return nil }
      bits |= 1 << (place - 1)
    }
    return AudioChannelBitmap(rawValue: bits)
  }

  /// Whether the channels are in the order of their speakers' bits, as in WAVE.
  public var isInBitmapOrder: Bool {
    zip(labels, labels.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// Returns the labels of a tag: L 1, R 2, C 3, LFE 4, Ls 5, Rs 6, Lc 7, Rc 8, Cs 9, Lsd 10, Rsd 11,
  /// rear 33 and 34.
  private static func labels(tag: UInt32) -> [UInt32]? {
    switch tag >> 16 {
    case 100: [42]  // Mono
    case 101, 102, 103: [1, 2]  // Stereo, StereoHeadphones, MatrixStereo
    case 108: [1, 2, 5, 6]  // Quadraphonic
    case 113: [1, 2, 3]  // MPEG_3_0_A
    case 114: [3, 1, 2]  // MPEG_3_0_B
    case 115: [1, 2, 3, 9]  // MPEG_4_0_A
    case 116: [3, 1, 2, 9]  // MPEG_4_0_B
    case 117: [1, 2, 3, 5, 6]  // MPEG_5_0_A
    case 118: [1, 2, 5, 6, 3]  // MPEG_5_0_B
    case 119: [1, 3, 2, 5, 6]  // MPEG_5_0_C
    case 120: [3, 1, 2, 5, 6]  // MPEG_5_0_D
    case 121: [1, 2, 3, 4, 5, 6]  // MPEG_5_1_A
    case 122: [1, 2, 5, 6, 3, 4]  // MPEG_5_1_B
    case 123: [1, 3, 2, 5, 6, 4]  // MPEG_5_1_C
    case 124: [3, 1, 2, 5, 6, 4]  // MPEG_5_1_D
    case 125: [1, 2, 3, 4, 5, 6, 9]  // MPEG_6_1_A
    case 126: [1, 2, 3, 4, 5, 6, 7, 8]  // MPEG_7_1_A
    case 127: [3, 7, 8, 1, 2, 5, 6, 4]  // MPEG_7_1_B
    case 128: [1, 2, 3, 4, 5, 6, 33, 34]  // MPEG_7_1_C
    case 131: [1, 2, 9]  // ITU_2_1
    case 132: [1, 2, 5, 6]  // ITU_2_2
    case 141: [3, 1, 2, 5, 6, 9]  // AAC_6_0
    case 142: [3, 1, 2, 5, 6, 9, 4]  // AAC_6_1
    default: nil
    }
  }
}
