// SPDX-License-Identifier: MIT

import PlayerEngine

extension PlayerConfiguration {
  /// The same with less memory if only files are played. 1024 packets last for seconds even if they are of 2.5 ms,
  /// and each uses a hundred bytes of the ring's memory.
  func suited(onlyFiles: Bool) -> Self {
    var suited = self
    if onlyFiles { suited.ringPackets = 1024 }
    return suited
  }
}
