// SPDX-License-Identifier: MIT

import PlayerEngine

extension PlayerConfiguration {
  /// Suits a player that is listened to: local files are decoded ahead, so that the callback has the least to do.
  ///
  /// - Parameter onlyFiles: whether nothing else is played, as far as is known. Of files that are decoded ahead a
  ///   second is held, for which a thousand packets are enough even where they are of 2.5 ms; each takes a hundred
  ///   bytes of the ring's memory.
  mutating func suitListening(onlyFiles: Bool) {
    decodesLocalSourcesAhead = true
    if onlyFiles, decodePlace != .callback { ringPackets = 1024 }
  }

  /// For a player that is listened to; see ``suitListening(onlyFiles:)``.
  static func listening(decoding place: DecodePlace? = nil, onlyFiles: Bool) -> Self {
    var configuration = Self()
    configuration.decodePlace = place
    configuration.suitListening(onlyFiles: onlyFiles)
    return configuration
  }
}
