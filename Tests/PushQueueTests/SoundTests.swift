// SPDX-License-Identifier: MIT

import AudioModel
import PacketDecoders
import TestKit
import Testing

@testable import PushQueue

@Suite("An AudioQueue's sound")
struct AudioQueueSoundTests {
  @Test(
    "is the decode of the enqueued packets, to the sample, for any number and length of buffers",
    arguments: [1, 2, 3, 16], [0.02, 0.3, 5])
  func exact(_ count: Int, _ seconds: Double) throws {
    let file = try QueuedFile("mp3-vbr2-44100-2.mp3")
    let expected = try file.decoded()
    let player = try SteppedQueue(file.stream.format, outputRate: 44_100)
    let packetsPerBuffer = max(1, Int(seconds * 44_100 / 1152))
    var next = 0
    func enqueueNext(_ queue: AudioQueue) {
      guard next < file.packets.count else { return }
      let range = next..<min(file.packets.count, next + packetsPerBuffer)
      next = range.upperBound
      guard let buffer = try? file.buffer(range, of: queue) else { return }
      #expect(code { () throws(AudioQueueError) in try queue.enqueue(buffer) } == nil)
    }
    player.log.onReturn = { queue, buffer in
      #expect(code { () throws(AudioQueueError) in try queue.free(buffer) } == nil)
      enqueueNext(queue)
      if next == file.packets.count { try? queue.stop(immediately: false) }
    }
    for _ in 0..<count { enqueueNext(player.queue) }
    try player.queue.start()
    var cycles = 0
    while cycles == 0 || player.queue.isRunning {
      player.crank(1000, period: 1000)
      cycles += 1
    }
    let heard = Array(player.heard[..<expected.count])
    #expect(heard == expected)
    #expect(player.heard[expected.count...].allSatisfy { $0 == 0 })
    #expect(player.queue.underrunCount == 0 && player.queue.converterError == 0)
  }

  @Test(
    "of any format that a queue accepts equals the converter's output",
    arguments: [
      "wav-s16-44100-2.wav", "wav-u8-48000-1.wav", "wav-s24-44100-2.wav", "mp2-192-44100-2.mp2",
      "mp3-mono-44100-1.mp3", "wav-ext-s24-96000-6.wav",
    ])
  func formats(_ name: String) throws {
    let file = try QueuedFile(name)
    let format = file.stream.format
    let channels = Int(format.channelsPerFrame)
    let player = try SteppedQueue(
      format, outputRate: format.sampleRate, outputChannels: max(1, channels))
    if let layout = file.stream.layout { try player.queue.setChannelLayout(layout) }
    let expected = try file.decoded()
    let perBuffer = format.framesPerPacket == 1 ? 20_000 : 50
    for start in stride(from: 0, to: file.packets.count, by: perBuffer) {
      let range = start..<min(start + perBuffer, file.packets.count)
      try player.queue.enqueue(try file.buffer(range, of: player.queue))
    }
    try player.queue.start()
    try player.queue.stop(immediately: false)
    player.crank(expected.count / channels + 1000, period: 1024)
    let isEqual = Array(player.heard[..<expected.count]) == expected
    #expect(isEqual && !player.queue.isRunning)
  }

  @Test(
    "of Vorbis equals ffmpeg's, whether or not its packets come with their stated frames",
    .enabled(if: AheadCodec.library(for: .vorbis) != nil), arguments: [true, false])
  func vorbis(_ isStated: Bool) throws {
    let workshop = Workshop()
    try workshop.run(
      "sox -R -D -n -r 44100 -c 2 -b 16 source.wav synth 1 pinknoise sine 997 gain -3 && "
        + "ffmpeg -v error -i source.wav -c:a libvorbis a.ogg")
    let file = try PacketFile(path: workshop.path("a.ogg"))
    let player = try SteppedQueue(file.format, outputRate: 44_100)
    try player.queue.setMagicCookie(file.stream.magicCookie)
    let buffer = try player.queue.allocateBuffer(
      byteCapacity: file.bytes.count, packetDescriptionCapacity: file.count)
    for (packet, description) in zip(file.packets, file.descriptions) {
      buffer.append(
        packet: packet.span, frameCount: isStated ? description.variableFramesInPacket : 0)
    }
    try player.queue.enqueue(buffer)
    try player.queue.start()
    try player.queue.stop(immediately: false)
    player.crank(50_000, period: 1000)
    let expected = ReferenceDecoder.ffmpeg(workshop.path("a.ogg"))
    #expect(expected.count == 2 * 44_100)
    #expect(zip(player.heard, expected).allSatisfy { abs($0 - $1) < 1e-3 })
    #expect(!player.queue.isRunning && player.queue.converterError == 0)
  }

  @Test("after a stop equals that of a new start: the decoder begins afresh")
  func again() throws {
    let file = try QueuedFile("mp3-cbr128-44100-2.mp3")
    let expected = try file.decoded()
    let player = try SteppedQueue(file.stream.format, outputRate: 44_100)
    for _ in 0..<2 {
      try player.queue.enqueue(try file.buffer(0..<40, of: player.queue))
      try player.queue.start()
      player.crank(5000)
      try player.queue.stop(immediately: true)
      player.crank(1000)
    }
    #expect(Array(player.heard[..<10_000]) == Array(expected[..<10_000]))
    #expect(Array(player.heard[12_000..<22_000]) == Array(expected[..<10_000]))
  }
}

@Suite("4.7 AudioQueue decoder errors")
struct AudioQueueDecoderErrorTests {
  @Test(
    "A bad packet is silence of its length, its error is kept and reported, and the queue continues"
  )
  func badPacket() throws {
    var file = try QueuedFile("mp3-notag-44100-2.mp3")
    file.packets[10] = Array(repeating: 0x55, count: file.packets[10].count)
    let player = try SteppedQueue(file.stream.format, outputRate: 44_100)
    try player.queue.enqueue(try file.buffer(0..<30, of: player.queue))
    try player.queue.start()
    try player.queue.stop(immediately: false)
    player.crank(40_000)
    #expect(player.queue.converterError == 0x6261_6461)
    #expect(player.log.calls.contains(.converterError(0x6261_6461)))
    let left = player.channel(0)
    #expect(left[10 * 1152..<11 * 1152].allSatisfy { $0 == 0 })
    #expect(left[15 * 1152..<29 * 1152].contains { $0 != 0 })
    #expect(left[30 * 1152..<40_000].allSatisfy { $0 == 0 })
    #expect(player.returned.count == 1 && !player.queue.isRunning)
  }

  @Test("Rubbish is silence, and every buffer is returned")
  func rubbish() throws {
    let format = AudioStreamBasicDescription(
      sampleRate: 44100, formatID: .mpegLayer3, framesPerPacket: 1152, channelsPerFrame: 2)
    let player = try SteppedQueue(format, outputRate: 44_100)
    var random = SplitMix(state: 5)
    for _ in 0..<20 {
      let buffer = try player.queue.allocateBuffer(
        byteCapacity: 4000, packetDescriptionCapacity: 10)
      for _ in 0..<10 {
        let packet = (0..<Int.random(in: 0..<400, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
        buffer.append(packet: packet.span)
      }
      if buffer.byteCount > 0 { try player.queue.enqueue(buffer) }
    }
    try player.queue.start()
    player.crank(300_000, period: 4096)
    #expect(player.returned.count == 20 && player.queue.converterError != 0)
  }
}
