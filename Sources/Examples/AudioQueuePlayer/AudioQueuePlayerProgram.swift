// SPDX-License-Identifier: MIT

import PlayerProgram

/// `audio-queue-player FILE-OR-URL`.
@main
enum AudioQueuePlayerProgram {
  static func main() {
    PlayerProgram.run(
      "audio-queue-player",
      about: """
        Plays a file or an http(s) stream through an AudioQueue: parses it, keeps the packets, starts
        when three seconds are there, and enqueues five seconds at a time.
        """
    ) { location, signals in
      try AudioQueuePlayer().play(location, until: signals)
    }
  }
}
