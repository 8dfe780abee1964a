// SPDX-License-Identifier: MIT

import PlayerEngine

extension PlayerConfiguration {
  /// For a player that is listened to: local files are decoded ahead, so that the callback has the least to do.
  static var listening: Self {
    var configuration = Self()
    configuration.decodesLocalSourcesAhead = true
    return configuration
  }
}
