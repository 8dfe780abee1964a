// SPDX-License-Identifier: MIT

import AudioModel

/// Conversion between the stream's and the decoder's names for the same speakers.
extension AudioChannelLayout {
  /// The same speakers in the order of their bits, as decoders deliver them; nil if two channels share a
  /// speaker, or one has none.
  var sorted: AudioChannelLayout? {
    guard let bitmap else { return nil }
    return AudioChannelLayout(labels: AudioChannelLayout(bitmap).labels).named(as: self)
  }

  /// Returns these channels by the names that another layout has for them. A lone pair of surround speakers is
  /// at the sides in some layouts and at the back in others; and mono has a name besides centre.
  func named(as other: AudioChannelLayout?) -> AudioChannelLayout {
    guard let other, other.labels.count == labels.count else { return self }
    var result = self
    if other.labels == [42], labels == [3] { result.labels = [42] }
    let sides: Set<UInt32> = [10, 11]
    let backs: Set<UInt32> = [5, 6]
    for (mine, theirs) in [(sides, backs), (backs, sides)]
    where mine.isSubset(of: labels) && theirs.isDisjoint(with: labels)
      && theirs.isSubset(of: other.labels) && mine.isDisjoint(with: other.labels)
    {
      let names = Dictionary(uniqueKeysWithValues: zip(mine.sorted(), theirs.sorted()))
      result.labels = labels.map { names[$0] ?? $0 }
    }
    return result
  }
}
