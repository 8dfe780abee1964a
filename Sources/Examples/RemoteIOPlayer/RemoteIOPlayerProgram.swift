// SPDX-License-Identifier: MIT

import PlayerProgram

/// `remote-io-player FILE-OR-URL`.
@main
enum RemoteIOPlayerProgram {
  static func main() {
    PlayerProgram.run(
      "remote-io-player",
      about: """
        Plays a file or an http(s) stream through a Remote IO unit: parses it, keeps the packets, and
        decodes them in a render callback of its own, with a converter that asks a fill callback for
        each packet. Plays what is decoded in the callback: MPEG audio, linear PCM, FLAC, Opus, A-law,
        mu-law and ADPCM.
        """
    ) { location, signals in
      let player = try RemoteIOPlayer()
      defer { player.close() }
      try player.play(location, until: signals)
    }
  }
}
