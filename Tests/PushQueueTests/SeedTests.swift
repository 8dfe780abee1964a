// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import PacketParser
import RenderCore
import TestKit
import Testing

@testable import PushQueue

/// The tutorials' player: parses, keeps all packets, and enqueues five seconds at a time.
private final class SimplePlayer: AudioFileStreamListener {
  let renderer: Renderer
  private let log = SteppedQueue.Log()
  private(set) var queue: AudioQueue?
  private var packets: [[UInt8]] = []
  private var readHead = 0
  private(set) var isLoaded = false
  private(set) var isStopped = false
  private(set) var starvedCodes: [AudioQueueError.Code?] = []
  private(set) var buffers = 0
  private var packetsPerSecond = 44_100 / 1152.0

  init(renderer: Renderer) {
    self.renderer = renderer
  }

  func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {
    guard property == .dataFormat, queue == nil, let format = try? stream.dataFormat else { return }
    packetsPerSecond = format.sampleRate / Double(format.framesPerPacket)
    log.onReturn = { [weak self] queue, buffer in
      #expect(code { () throws(AudioQueueError) in try queue.free(buffer) } == nil)
      self?.enqueue(seconds: 5)
    }
    let log = log
    queue = try? AudioQueue(
      engine: QueueEngine(format, renderer: renderer), executor: { $0() }, hasProducer: false
    ) { log.onReturn?($0, $1) }
    log.onRunning = { [weak self] queue in
      if !queue.isRunning { self?.isStopped = true }
    }
    queue?.addPropertyListener(.isRunning) { queue, _ in log.onRunning?(queue) }
    #expect((try? queue?.prime()) == 0)
    #expect(code { () throws(AudioQueueError) in try queue?.start() } == nil)
  }

  func audioFileStream(
    _ stream: borrowing AudioFileStream, produced run: AudioFileStreamPackets, bytes: Span<UInt8>,
    descriptions: Span<AudioStreamPacketDescription>
  ) {
    for index in 0..<run.packetCount {
      let start = Int(descriptions[index].startOffset)
      packets.append(
        (start..<start + Int(descriptions[index].dataByteSize)).map { bytes[$0] })
    }
    if readHead == 0, Double(packets.count) > packetsPerSecond * 3 {
      #expect(code { () throws(AudioQueueError) in try queue?.start() } == nil)
      enqueue(seconds: 3)
    }
  }

  func finishLoading() { isLoaded = true }

  private func enqueue(seconds: Double) {
    guard let queue else { return }
    if readHead == packets.count, isLoaded {
      #expect(code { () throws(AudioQueueError) in try queue.stop(immediately: false) } == nil)
      return
    }
    let range = readHead..<min(packets.count, readHead + Int(packetsPerSecond * seconds))
    guard
      let buffer = try? queue.allocateBuffer(
        byteCapacity: packets[range].reduce(0) { $0 + $1.count })
    else { return }
    var descriptions: [AudioStreamPacketDescription] = []
    for packet in packets[range] {
      descriptions.append(
        AudioStreamPacketDescription(
          startOffset: Int64(buffer.byteCount), variableFramesInPacket: 0,
          dataByteSize: UInt32(packet.count)))
      buffer.append(packet.span)
    }
    let result = code { () throws(AudioQueueError) in
      try queue.enqueue(buffer, descriptions: descriptions)
    }
    if range.isEmpty { starvedCodes.append(result) } else { #expect(result == nil) }
    buffers += 1
    readHead = range.upperBound
  }
}

@Suite("4.9 AudioQueue as the tutorials use it")
struct AudioQueueSeedTests {
  @Test("Their player plays all of a file without a gap, and is notified of its end")
  func player() throws {
    let file = try QueuedFile("mp3-id3-big.mp3")
    let expected = try file.decoded()
    let rate = file.stream.format.sampleRate
    let renderer = Renderer(
      sampleRate: rate, outputChannels: Int(file.stream.format.channelsPerFrame))
    let player = SimplePlayer(renderer: renderer)
    var stream = AudioFileStream()
    let bytes = contents(ofFile: Fixtures.path("mp3-id3-big.mp3"))
    var listener = player
    for start in stride(from: 0, to: bytes.count, by: 16_384) {
      try stream.parse(
        bytes.span.extracting(start..<min(bytes.count, start + 16_384)), listener: &listener)
    }
    try stream.finish(listener: &listener)
    player.finishLoading()
    let queue = try #require(player.queue)
    var output = OfflineOutput(renderer: renderer)
    var (heard, cycle): ([Float], [Float]) = ([], [])
    while !player.isStopped, heard.count < expected.count * 2 {
      while queue.step() {}
      output.render(frameCount: 1024, interleavedInto: &cycle)
      heard += cycle
    }
    #expect(player.isStopped)
    let isWhole = Array(heard[..<expected.count]) == expected
    #expect(isWhole && queue.underrunCount == 0)
    // The tutorials' players reset the queue in the end, and never dispose of it.
    try queue.reset()
  }

  @Test("With no buffer enqueued it is primed and started, runs, and counts the silence")
  func nothing() throws {
    let player = try SteppedQueue()
    #expect(try player.queue.prime() == 0)
    try player.queue.start()
    player.crank(48_000)
    try player.queue.start()
    #expect(player.queue.isRunning && player.heardRamp.allSatisfy { $0 < 0 })
    #expect(try player.queue.currentTime().sampleTime == 48_000)
  }

  @Test("Starved, its callback enqueues an empty buffer, and is not called again before a real one")
  func starved() throws {
    let player = try SteppedQueue()
    var codes: [AudioQueueError.Code?] = []
    player.log.onReturn = { queue, buffer in
      guard let empty = try? queue.allocateBuffer(byteCapacity: 0) else { return }
      codes.append(code { () throws(AudioQueueError) in try queue.enqueue(empty) })
    }
    try player.enqueueRamp(0..<100)
    try player.queue.start()
    player.crank(2000)
    #expect(codes == [.bufferEmpty])
    try player.enqueueRamp(100..<200)
    player.crank(2000)
    #expect(codes == [.bufferEmpty, .bufferEmpty])
  }
}
