// SPDX-License-Identifier: MIT

import AudioModel
import RenderCore
import Testing

@testable import PushQueue

@Suite("4.3 AudioQueue functions: buffers")
struct AudioQueueEnqueueTests {
  @Test(
    "A queue accepts interleaved PCM and decodable formats, and refuses all others with 'fmt?'")
  func formats() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
    func make(_ format: AudioStreamBasicDescription) -> AudioQueueError.Code? {
      code { () throws(AudioQueueError) in
        _ = try AudioQueue(playing: format, into: renderer) { _, _ in }
      }
    }
    #expect(make(SteppedQueue.stereo) == nil)
    #expect(
      make(
        AudioStreamBasicDescription(
          sampleRate: 44100, formatID: .mpegLayer3, framesPerPacket: 1152, channelsPerFrame: 2))
        == nil)
    var planar = SteppedQueue.stereo
    planar.formatFlags.insert(.nonInterleaved)
    (planar.bytesPerFrame, planar.bytesPerPacket) = (4, 4)
    #expect(make(planar) == .formatNotSupported)
    var unknown = SteppedQueue.stereo
    unknown.formatID = AudioFormatID(rawValue: "zzzz")
    #expect(make(unknown) == .formatNotSupported)
    var none = SteppedQueue.stereo
    none.channelsPerFrame = 0
    #expect(make(none) == .formatNotSupported)
  }

  @Test("A buffer of no bytes can be allocated, and is too empty to be enqueued")
  func emptyBuffer() throws {
    let queue = try SteppedQueue().queue
    let buffer = try queue.allocateBuffer(byteCapacity: 0)
    #expect(code { () throws(AudioQueueError) in try queue.enqueue(buffer) } == .bufferEmpty)
    #expect(
      code { () throws(AudioQueueError) in _ = try queue.allocateBuffer(byteCapacity: -1) }
        == .parameterError)
  }

  @Test("A buffer of another queue, a freed one and an enqueued one are refused with their codes")
  func ownership() throws {
    let (one, other) = (try SteppedQueue(), try SteppedQueue())
    let foreign = try other.rampBuffer(0..<10)
    #expect(code { () throws(AudioQueueError) in try one.queue.enqueue(foreign) } == .invalidBuffer)
    #expect(code { () throws(AudioQueueError) in try one.queue.free(foreign) } == .invalidBuffer)
    let enqueued = try one.enqueueRamp(0..<10)
    #expect(
      code { () throws(AudioQueueError) in try one.queue.enqueue(enqueued) } == .bufferInQueue)
    #expect(code { () throws(AudioQueueError) in try one.queue.free(enqueued) } == .bufferInQueue)
    try one.queue.reset()
    try one.queue.free(enqueued)
    #expect(code { () throws(AudioQueueError) in try one.queue.free(enqueued) } == .invalidBuffer)
    #expect(
      code { () throws(AudioQueueError) in try one.queue.enqueue(enqueued) } == .invalidBuffer)
  }

  @Test("A buffer can be freed in the callback that returns it, while the queue runs")
  func freeInCallback() throws {
    let player = try SteppedQueue()
    var freed = 0
    player.log.onReturn = { queue, buffer in
      if code({ () throws(AudioQueueError) in try queue.free(buffer) }) == nil { freed += 1 }
    }
    for index in 0..<3 { try player.enqueueRamp(index * 1000..<(index + 1) * 1000) }
    try player.queue.start()
    player.crank(4000)
    #expect(freed == 3 && player.queue.isRunning)
  }

  @Test("Packets of differing size need descriptions: the caller's, or else the buffer's own")
  func descriptions() throws {
    let format = AudioStreamBasicDescription(
      sampleRate: 44100, formatID: .mpegLayer3, framesPerPacket: 1152, channelsPerFrame: 2)
    let queue = try SteppedQueue(format, outputRate: 44100).queue
    func buffer(_ packets: Int) throws -> AudioQueueBuffer {
      let buffer = try queue.allocateBuffer(byteCapacity: 1000, packetDescriptionCapacity: 2)
      for _ in 0..<packets { buffer.append(packet: [UInt8](repeating: 0, count: 100).span) }
      buffer.byteCount = 300
      return buffer
    }
    let bare = try buffer(0)
    #expect(code { () throws(AudioQueueError) in try queue.enqueue(bare) } == .parameterError)
    try queue.enqueue(try buffer(2))
    let packet = AudioStreamPacketDescription(
      startOffset: 0, variableFramesInPacket: 0, dataByteSize: 300)
    try queue.enqueue(bare, descriptions: [packet])
    for (offset, size) in [(-1, 10), (0, 301), (300, 1), (Int.max, 10)] {
      let wrong = AudioStreamPacketDescription(
        startOffset: Int64(offset), variableFramesInPacket: 0, dataByteSize: UInt32(size))
      let other = try buffer(0)
      #expect(
        code { () throws(AudioQueueError) in try queue.enqueue(other, descriptions: [wrong]) }
          == .parameterError)
    }
  }

  @Test("Descriptions are copied: later changes of the buffer's own have no effect")
  func descriptionsAreCopied() throws {
    let file = try QueuedFile("mp3-cbr128-44100-2.mp3")
    let player = try SteppedQueue(file.stream.format, outputRate: 44_100)
    let buffer = try file.buffer(0..<20, of: player.queue)
    try player.queue.enqueue(buffer)
    buffer.packetDescriptions = []
    buffer.byteCount = 0
    try player.queue.start()
    player.crank(20 * 1152, period: 1152)
    let isEqual = try player.heard == Array(file.decoded()[..<(20 * 1152 * 2)])
    #expect(isEqual)
  }

  @Test("Buffers are accepted in every state: before the start, running, paused, and stopped again")
  func everyState() throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(0..<1000)
    try player.queue.start()
    player.crank(500, period: 500)
    try player.enqueueRamp(1000..<2000)
    player.crank(500, period: 500)
    try player.queue.pause()
    try player.enqueueRamp(2000..<3000)
    try player.queue.start()
    player.crank(2000, period: 500)
    #expect(player.heardRamp == Array(0..<3000))
    try player.queue.stop(immediately: true)
    player.crank(500)
    try player.enqueueRamp(3000..<4000)
    try player.queue.start()
    player.crank(1000)
    #expect(player.heardRamp.suffix(1000) == Array(3000..<4000)[...])
  }

  @Test("Packets of one size ignore descriptions, and bytes that are not a whole packet")
  func constantSize() throws {
    let player = try SteppedQueue()
    let buffer = try player.rampBuffer(0..<100)
    buffer.byteCount -= 3
    let wrong = AudioStreamPacketDescription(
      startOffset: 900, variableFramesInPacket: 9, dataByteSize: 9)
    try player.queue.enqueue(buffer, descriptions: [wrong])
    try player.queue.start()
    player.crank(128)
    #expect(player.heardRamp == Array(0..<99) + Array(repeating: -1, count: 29))
  }

  @Test("Frames are trimmed at either end, also across buffers, and all frames of a buffer")
  func trim() throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(0..<3000, trimStart: 1500, trimEnd: 1300)
    try player.enqueueRamp(3000..<3100, trimStart: 60, trimEnd: 60)
    try player.enqueueRamp(3100..<3200, trimStart: 1)
    try player.enqueueRamp(3200..<6000, trimEnd: 1)
    try player.queue.start()
    player.crank(3200)
    let expected = Array(1500..<1700) + Array(3101..<3200) + Array(3200..<5999)
    #expect(player.heardRamp == expected + Array(repeating: -1, count: 3200 - expected.count))
    #expect(player.returned.count == 4)
    let buffer = try player.rampBuffer(0..<10)
    #expect(
      code { () throws(AudioQueueError) in
        try player.queue.enqueue(buffer, trimStartFrames: -1, parameters: [])
      } == .parameterError)
  }

  @Test(
    "A buffer sounds at its start time to the frame, at any period", arguments: [1, 64, 100, 512])
  func startTime(_ period: Int) throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(0..<100, startFrame: 50)
    try player.enqueueRamp(100..<200, startFrame: 1000)
    try player.enqueueRamp(200..<300)
    // This time has passed, so the buffer sounds as soon as possible.
    try player.enqueueRamp(300..<400, startFrame: 1001)
    try player.queue.start()
    player.crank(1500, period: period)
    var expected = Array(repeating: -1, count: 1500)
    expected.replaceSubrange(50..<150, with: 0..<100)
    expected.replaceSubrange(1000..<1300, with: 100..<400)
    #expect(player.heardRamp == expected)
    #expect(player.queue.underrunCount <= 1, "the end alone may be one")
  }

  @Test("A start time is exact also after starvation, and after a pause")
  func startTimeAfterStarvation() throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(0..<100)
    try player.queue.start()
    player.crank(777, period: 100)
    try player.enqueueRamp(100..<200)
    player.crank(1000, period: 100)
    try player.enqueueRamp(200..<300, startFrame: 2345)
    try player.queue.pause()
    player.crank(500, period: 100)
    try player.queue.start()
    player.crank(1000, period: 100)
    let place = try #require(player.heardRamp.firstIndex(of: 200))
    // A pause in silence has nothing to fade, so the queue's time does not count its frames.
    let paused = player.heardRamp.count - Int(try player.queue.currentTime().sampleTime)
    #expect(paused == 500 && place == 2345 + paused)
    #expect(Array(player.heardRamp[place..<place + 100]) == Array(200..<300))
  }

  @Test("Start times must ascend, and be times")
  func ascending() throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(0..<10, startFrame: 100)
    for frame in [99, -1, .nan, .infinity] as [Double] {
      let buffer = try player.rampBuffer(0..<10)
      #expect(
        code { () throws(AudioQueueError) in
          try player.queue.enqueue(buffer, parameters: [], startFrame: frame)
        } == .parameterError)
    }
    try player.enqueueRamp(0..<10, startFrame: 100)
    try player.queue.stop(immediately: true)
    try player.enqueueRamp(0..<10, startFrame: 0)
  }

  @Test("At another rate a start time is exact to the output's frame")
  func startTimeResampled() throws {
    let format = AudioStreamBasicDescription.linearPCM(
      sampleRate: 24000, channels: 2, bitsPerChannel: 32, flags: [.float, .packed])
    let player = try SteppedQueue(format)
    try player.enqueueRamp(100_000..<100_100)
    try player.enqueueRamp(200_000..<201_000, startFrame: 3000)
    try player.queue.flush()
    try player.queue.start()
    player.crank(8000, period: 480)
    // A linear-phase filter begins a little before and after; its middle is the time of the step.
    let left = player.channel(0)
    let step = try #require(left.indices.first { $0 > 1000 && left[$0] > 0.012 })
    #expect(abs(step - 6000) <= 1)
  }

  @Test("Parameters take effect with the buffer's first frame")
  func parameters() throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(100_000..<101_000)
    try player.enqueueRamp(
      101_000..<102_000, parameters: [.init(.volumeRampTime, 0.01), .init(.volume, 0.5)])
    try player.enqueueRamp(
      102_000..<103_000, parameters: [.init(.volumeRampTime, 0), .init(.pan, 1)])
    try player.queue.start()
    player.crank(3000, period: 333)
    let (left, right) = (player.channel(0), player.channel(1))
    let full = (100_000..<103_000).map { SteppedQueue.ramp($0) }
    #expect(Array(left[..<1000]) == Array(full[..<1000]))
    #expect(left[1000] < full[1000] && left[1000] > full[1000] * 0.99)
    #expect(left[1478] > full[1478] * 0.5 && left[1479] == full[1479] * 0.5)
    #expect(left[1999] == full[1999] * 0.5 && left[2000] < full[2000] * 0.5)
    #expect(left[2300...].allSatisfy { $0 == 0 } && right[2999] == -full[2999] * 0.5)
    #expect(player.queue.value(of: .volume) == 0.5 && player.queue.value(of: .pan) == 1)
  }
}
