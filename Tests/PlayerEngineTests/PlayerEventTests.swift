// SPDX-License-Identifier: MIT

import PlayerEngine
import RenderCore
import Synchronization
import Testing

@Suite("Events of a player")
struct PlayerEventTests {
  @Test("A listener and a stream receive the same events in one order", .timeLimit(.minutes(1)))
  func listenerAndStream() async {
    let renderer = Renderer(sampleRate: 48_000, outputChannels: 2)
    let player = Player(playing: ["/no/such/file.mp3", "/nor/this.wav"], into: renderer)
    let heard = Mutex<[String]>([])
    player.tellEvents { event in heard.withLock { $0.append("\(event)") } }
    let stream = player.events()
    player.start()
    var streamed: [String] = []
    for await event in stream { streamed.append("\(event)") }
    #expect(streamed.contains { $0.contains("/nor/this.wav") })
    #expect(heard.withLock { $0 } == streamed)
  }
}
