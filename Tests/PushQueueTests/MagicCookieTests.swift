// SPDX-License-Identifier: MIT

import AudioModel
import Glibc
import PacketDecoders
import TestKit
import Testing

@testable import PushQueue

@Suite("4.3 AudioQueue functions: when a magic cookie can be set")
struct AudioQueueMagicCookieStateTests {
  @Test("Once packets are decoded it is refused, whatever their state, until they are gone")
  func decoded() throws {
    let file = try QueuedFile("mp3-cbr128-44100-2.mp3")
    let queue = try SteppedQueue(file.stream.format, outputRate: 44_100).queue
    func status() -> AudioQueueError.Code? {
      code { () throws(AudioQueueError) in try queue.setMagicCookie([1]) }
    }
    // The ring holds packets: first of a stream that may continue, then of one that has ended.
    for isFlushed in [false, true] {
      try queue.prime()
      #expect(status() == nil, "nothing was enqueued")
      try queue.reset()
      try queue.enqueue(try file.buffer(0..<20, of: queue))
      #expect(status() == .invalidRunState)
      if isFlushed { try queue.flush() }
      #expect(try queue.prime() == 20 * 1152)
      #expect(status() == .invalidRunState)
      try queue.reset()
      #expect(status() == nil)
    }
  }

  @Test("It does not change speed, pitch, algorithm and bypass", .enabled(if: canStretch))
  func timePitch() throws {
    let queue = try SteppedQueue(
      AudioStreamBasicDescription(sampleRate: 44_100, formatID: .mpegLayer3, channelsPerFrame: 2)
    ).queue
    try queue.setTimePitchEnabled(true)
    try queue.setTimePitchAlgorithm(.varispeed)
    try queue.set(.playRate, to: 1.5)
    try queue.set(.pitch, to: 300)
    queue.isTimePitchBypassed = true
    try queue.setMagicCookie([1])
    #expect(queue.isTimePitchEnabled && queue.isTimePitchBypassed)
    #expect(queue.value(of: .playRate) == 1.5 && queue.value(of: .pitch) == 300)
    #expect(queue.timePitchAlgorithm == .varispeed)
    try queue.setTimePitchEnabled(false)
    try queue.setMagicCookie([])
    #expect(queue.timePitchAlgorithm == .varispeed)
  }
}

@Suite(
  "4.3 AudioQueue functions: magic cookie",
  .enabled(if: AheadCodec.library(for: .mpeg4AAC) != nil))
struct AudioQueueMagicCookieTests {
  /// Makes three seconds of noise and a tone, encoded by ffmpeg.
  private static func sound(_ codec: String) throws -> (workshop: Workshop, file: QueuedFile) {
    let workshop = Workshop()
    try workshop.run(
      "sox -R -D -n -r 44100 -c 2 -b 16 source.wav synth 3 pinknoise sine 997 gain -3 && "
        + "ffmpeg -v error -i source.wav \(codec) -movflags +faststart a.m4a")
    return (workshop, try QueuedFile(path: workshop.path("a.m4a")))
  }

  /// Plays all packets in several buffers to the end, without the priming and padding that the file states.
  private func play(_ file: QueuedFile, cookie: [UInt8]) throws -> SteppedQueue {
    let format = file.stream.format
    let player = try SteppedQueue(format, outputRate: format.sampleRate)
    try player.queue.setMagicCookie(cookie)
    #expect(player.queue.magicCookie == cookie)
    let table = try #require(file.table)
    // The last packet of Apple Lossless is as short as its sound, whatever padding the table states for it.
    let decodedFrames = try file.decoded().count / 2
    let padding = decodedFrames - Int(table.primingFrames) - Int(table.numberValidFrames)
    for start in stride(from: 0, to: file.packets.count, by: 20) {
      let range = start..<min(start + 20, file.packets.count)
      try player.queue.enqueue(
        try file.buffer(range, of: player.queue),
        trimStartFrames: start == 0 ? Int(table.primingFrames) : 0,
        trimEndFrames: range.upperBound == file.packets.count ? padding : 0,
        parameters: [])
    }
    try player.queue.start()
    try player.queue.stop(immediately: false)
    var cycles = 0
    while cycles == 0 || player.queue.isRunning, cycles < 1000 {
      player.crank(1024)
      cycles += 1
    }
    return player
  }

  @Test(
    "An .m4a file's packets and cookie, pushed, yield the file's decode, and ffmpeg's",
    arguments: ["-c:a aac -b:a 128k -aac_pns 0", "-c:a alac"])
  func file(_ codec: String) throws {
    let (workshop, file) = try Self.sound(codec)
    let cookie = file.stream.magicCookie
    #expect(!cookie.isEmpty)
    let player = try play(file, cookie: cookie)
    #expect(player.queue.converterError == 0 && !player.queue.isRunning)

    let table = try #require(file.table)
    let frames = Int(table.numberValidFrames)
    #expect(frames == 3 * 44_100)
    let whole = try file.decoded()
    let expected = Array(whole.dropFirst(Int(table.primingFrames) * 2).prefix(frames * 2))
    try #require(player.heard.count >= expected.count)
    let isEqual = Array(player.heard[..<expected.count]) == expected
    #expect(isEqual)
    #expect(player.heard[expected.count...].allSatisfy { $0 == 0 })
    let reference = ReferenceDecoder.ffmpeg(workshop.path("a.m4a"))
    try #require(reference.count >= expected.count)
    let worst = zip(expected, reference).map { abs($0 - $1) }.max() ?? 1
    #expect(worst < 0x1p-15)
  }

  @Test("The cookie configures the decoder: with another file's, the sound differs")
  func otherCookie() throws {
    let (_, file) = try Self.sound("-c:a aac -b:a 128k -aac_pns 0")
    let expected = try file.decoded()
    // Low complexity at 8 kHz, one channel.
    let player = try play(file, cookie: [0x15, 0x88])
    let isEqual = Array(player.heard.prefix(expected.count)) == expected
    #expect(!isEqual)
    let queue = try SteppedQueue(file.stream.format).queue
    #expect(
      code { () throws(AudioQueueError) in try queue.setMagicCookie([0xFF, 0xFF, 0xFF]) }
        == .invalidPropertyValue)
  }
}
