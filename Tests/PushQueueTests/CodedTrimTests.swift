// SPDX-License-Identifier: MIT

import AudioModel
import TestKit
import Testing

@testable import PushQueue

@Suite("4.3 AudioQueue functions: enqueue with parameters, packets of a codec")
struct AudioQueueCodedTrimTests {
  /// Packets of one buffer, and the frames trimmed from it.
  private struct Part {
    var packets: Range<Int>
    var trimStart = 0
    var trimEnd = 0
  }

  private static let framesPerPacket = 1152

  /// The trims at a buffer's end cover whole packets, part of a packet, and a whole buffer.
  private static let parts = [
    Part(packets: 0..<20, trimStart: 1105, trimEnd: 3 * framesPerPacket + 100),
    Part(packets: 20..<40, trimStart: 2 * framesPerPacket + 7, trimEnd: 1),
    Part(packets: 40..<43, trimEnd: 3 * framesPerPacket),
    Part(packets: 43..<60, trimEnd: framesPerPacket),
    Part(packets: 60..<80),
  ]

  @Test(
    "The decoder decodes trimmed frames, too, so that the sound behind them is unchanged",
    arguments: [4410, 44_100])
  func trim(_ decodeBufferFrames: Int) throws {
    let file = try QueuedFile("mp3-cbr128-44100-2.mp3")
    let whole = try file.decoded()
    var expected: [Float] = []
    let player = try SteppedQueue(file.stream.format, outputRate: 44_100)
    player.queue.decodeBufferSizeFrames = decodeBufferFrames
    for part in Self.parts {
      let first = part.packets.lowerBound * Self.framesPerPacket + part.trimStart
      let end = part.packets.upperBound * Self.framesPerPacket - part.trimEnd
      expected += whole[first * 2..<end * 2]
      try player.queue.enqueue(
        try file.buffer(part.packets, of: player.queue), trimStartFrames: part.trimStart,
        trimEndFrames: part.trimEnd, parameters: [])
    }
    try player.queue.start()
    player.crank(expected.count / 2 + 500, period: 100)
    let isEqual = Array(player.heard[..<expected.count]) == expected
    #expect(isEqual)
    #expect(player.heard[expected.count...].allSatisfy { $0 == 0 })
    #expect(player.returned.count == Self.parts.count && player.queue.converterError == 0)
  }

  @Test("Padding at the end of one file is left out, and the next one follows without a gap")
  func filesInARow() throws {
    let file = try QueuedFile("mp3-cbr128-44100-2.mp3")
    let sound = try file.decoded()
    let padding = 2 * Self.framesPerPacket + 400
    let player = try SteppedQueue(file.stream.format, outputRate: 44_100)
    let one = Array(sound[1105 * 2..<sound.count - padding * 2])
    for _ in 0..<3 {
      try player.queue.enqueue(
        try file.buffer(0..<file.packets.count, of: player.queue), trimStartFrames: 1105,
        trimEndFrames: padding, parameters: [])
      // The flush keeps the next file's first packets independent of this one's last.
      try player.queue.flush()
    }
    try player.queue.start()
    player.crank(one.count / 2 * 3, period: 1000)
    let isEqual = player.heard == one + one + one
    #expect(isEqual && player.queue.underrunCount == 0)
  }
}
