// SPDX-License-Identifier: MIT

import PlayerEngine

extension PlayerConfiguration {
  /// For a player that is listened to: local files are decoded ahead, so that the callback has the least to do.
  ///
  /// - Parameters:
  ///   - place: where all formats are decoded instead, if that is asked for.
  ///   - onlyFiles: whether nothing else is played, as far as is known. Of files that are decoded ahead a second
  ///     is held, for which a thousand packets are enough even where they are of 2.5 ms; each takes a hundred
  ///     bytes of the ring's memory.
  mutating func suitListening(decoding place: DecodePlace?, onlyFiles: Bool) {
    decodePlace = place
    decodesLocalSourcesAhead = true
    if onlyFiles, place != .callback { ringPackets = 1024 }
  }

  /// For a player that is listened to; see ``suitListening(decoding:onlyFiles:)``.
  static func listening(decoding place: DecodePlace? = nil, onlyFiles: Bool) -> Self {
    var configuration = Self()
    configuration.suitListening(decoding: place, onlyFiles: onlyFiles)
    return configuration
  }
}

extension String {
  /// Whether this location is a server's.
  var isWebLocation: Bool {
    ["http://", "https://"].contains { lowercased().hasPrefix($0) }
  }
}
