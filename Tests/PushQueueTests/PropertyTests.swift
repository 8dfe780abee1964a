// SPDX-License-Identifier: MIT

import AudioModel
import RenderCore
import TestKit
import Testing

@testable import PushQueue

@Suite("4.3 AudioQueue functions: parameters and properties")
struct AudioQueuePropertyTests {
  @Test("Parameters are clamped to their ranges, and speed and pitch need time and pitch enabled")
  func clamp() throws {
    let queue = try SteppedQueue().queue
    for parameter in [AudioQueueParameter.volume, .pan, .volumeRampTime] {
      try queue.set(parameter, to: 1e9)
      #expect(queue.value(of: parameter) == parameter.range.upperBound)
      try queue.set(parameter, to: -1e9)
      #expect(queue.value(of: parameter) == parameter.range.lowerBound)
      try queue.set(parameter, to: .nan)
      #expect(queue.value(of: parameter) == parameter.defaultValue)
    }
    for parameter in [AudioQueueParameter.playRate, .pitch] {
      #expect(
        code { () throws(AudioQueueError) in try queue.set(parameter, to: 1) } == .invalidParameter)
      #expect(queue.value(of: parameter) == parameter.defaultValue)
    }
  }

  @Test("A new volume takes effect with the next cycle, in the ramp time, to the frame")
  func volumeRamp() throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(1_000_000..<1_100_000)
    try player.queue.start()
    player.crank(512)
    try player.queue.set(.volumeRampTime, to: 0.1)
    try player.queue.set(.volume, to: 0)
    #expect(player.queue.value(of: .volume) == 0)
    player.crank(9000)
    let left = player.channel(0)
    func gain(_ frame: Int) -> Float { left[frame] / SteppedQueue.ramp(1_000_000 + frame) }
    #expect(gain(511) == 1)
    #expect(abs(gain(512 + 2399) - 0.5) < 1e-4)
    #expect(gain(512 + 4798) > 0 && left[512 + 4799] == 0 && left[9000] == 0)
  }

  @Test(
    "A change of the volume begins at a volume set before the start, even with no cycle between",
    arguments: [false, true])
  func volumeAtStart(_ isRestart: Bool) throws {
    let player = try SteppedQueue()
    if isRestart {
      try player.enqueueRamp(1_000_000..<1_100_000)
      try player.queue.start()
      player.crank(512)
      try player.queue.stop(immediately: true)
    }
    // The old sound fades out over 240 frames, and the new sound follows.
    let start = player.heard.count / 2 + (isRestart ? 240 : 0)
    try player.enqueueRamp(1_000_000..<1_100_000)
    try player.queue.set(.volume, to: 0)
    try player.queue.start()
    try player.queue.set(.volumeRampTime, to: 0.1)
    try player.queue.set(.volume, to: 1)
    #expect(player.queue.value(of: .volume) == 1)
    player.crank(9000)
    let left = player.channel(0)
    func gain(_ frame: Int) -> Float { left[start + frame] / SteppedQueue.ramp(1_000_000 + frame) }
    #expect(gain(0) < 0.001)
    #expect(abs(gain(2399) - 0.5) < 1e-4)
    #expect(gain(4800) == 1)
    #expect(player.queue.value(of: .volume) == 1)
    guard isRestart else { return }
    // The old sound was faded out at its own volume.
    #expect(abs(left[512 + 119] / SteppedQueue.ramp(1_000_512 + 119) - 0.5) < 0.01)
  }

  @Test("The last setting applies: by a call, or by a buffer at its first frame")
  func effective() throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(0..<1000)
    try player.enqueueRamp(1000..<2000, parameters: [.init(.volume, 0.25)])
    try player.queue.set(.volume, to: 0.5)
    try player.queue.start()
    player.crank(900, period: 100)
    #expect(player.queue.value(of: .volume) == 0.5)
    player.crank(200, period: 100)
    #expect(player.queue.value(of: .volume) == 0.25)
    try player.queue.set(.volume, to: 0.5)
    #expect(player.queue.value(of: .volume) == 0.5, "though it was that before")
    player.crank(100, period: 100)
    #expect(player.queue.value(of: .volume) == 0.5)
  }

  @Test(
    "Pan attenuates the farther side and leaves the nearer one",
    arguments: [-1, -0.5, 0.5, 1] as [Float])
  func pan(_ pan: Float) throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(1_000_000..<1_010_000)
    try player.queue.set(.pan, to: pan)
    player.crank(10)
    try player.queue.start()
    player.crank(2000)
    let full = SteppedQueue.ramp(1_001_989)
    #expect(player.channel(0)[1999] == full * min(1, 1 - pan))
    #expect(player.channel(1)[1999] == -full * min(1, 1 + pan))
  }

  @Test("Levels are peak and root mean square of the output since the last reading, per output")
  func levels() throws {
    let player = try SteppedQueue()
    try player.queue.set(.pan, to: 0.5)
    try player.enqueueRamp(4_000_000..<4_100_000)
    player.crank(10)
    try player.queue.start()
    player.crank(1000)
    #expect(player.queue.currentLevels().allSatisfy { $0.peak == 0 }, "it is not measured")
    player.queue.isLevelMeteringEnabled = true
    player.crank(5000)
    let levels = player.queue.currentLevels()
    let last = SteppedQueue.ramp(4_005_999)
    #expect(levels.map(\.peak) == [last * 0.5, last])
    #expect(abs(levels[0].average - last * 0.5) < 0.001 && abs(levels[1].average - last) < 0.001)
    #expect(player.queue.currentLevels() == levels, "nothing new was heard")
    let decibels = player.queue.currentLevelsInDecibels()
    #expect(abs(decibels[0].peak + 12.44) < 0.1 && abs(decibels[1].peak + 6.42) < 0.1)
    try player.queue.stop(immediately: true)
    player.crank(1000)
    #expect(player.queue.currentLevels().allSatisfy { $0.peak == 0 && $0.average == 0 })
    #expect(player.queue.currentLevelsInDecibels().allSatisfy { $0.peak == -120 })
  }

  @Test("Levels are silence before any measurement, and a query of their size resets none")
  func levelData() throws {
    let player = try SteppedQueue()
    let queue = player.queue
    let properties = [AudioQueueProperty.currentLevelMeter, .currentLevelMeterDB]
    let silence = AudioQueueLevel(average: 0, peak: 0)
    #expect(queue.currentLevels() == [silence, silence])
    #expect(queue.currentLevelsInDecibels().map(\.peak) == [-120, -120])
    for property in properties {
      #expect(try queue.propertyByteCount(property) == 16)
      #expect(try bytes(property, of: queue, room: 16).count == 16)
    }
    queue.isLevelMeteringEnabled = true
    try player.enqueueRamp(4_000_000..<4_100_000)
    try queue.start()
    player.crank(5120)
    let loudest = SteppedQueue.ramp(4_005_119)
    for property in properties {
      _ = try queue.propertyByteCount(property)
      #expect(
        code { () throws(AudioQueueError) in _ = try bytes(property, of: queue, room: 15) }
          == .invalidPropertySize)
    }
    // The sound is softer now than the peak that has not been read yet.
    try queue.set(.volume, to: 0.25)
    player.crank(5120)
    for property in properties { _ = try queue.propertyByteCount(property) }
    let levels = try bytes(.currentLevelMeter, of: queue, room: 20)
    #expect(levels.count == 16)
    let peak = levels[4..<8].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    #expect(Float(bitPattern: peak) == loudest)
  }

  @Test("It reports its format, its device and its largest packet")
  func facts() throws {
    let queue = try SteppedQueue(outputRate: 96_000, outputChannels: 3).queue
    #expect(queue.streamDescription == SteppedQueue.stereo)
    #expect(queue.deviceSampleRate == 96_000 && queue.deviceChannelCount == 3)
    #expect(queue.maximumOutputPacketSize == 8 && queue.decodeBufferSizeFrames == 48_000)
    #expect(queue.magicCookie.isEmpty && queue.converterError == 0 && queue.channelLayout == nil)
  }

  @Test("A layout states the speakers of the channels, and must have as many")
  func layout() throws {
    var format = SteppedQueue.stereo
    (format.channelsPerFrame, format.bytesPerFrame, format.bytesPerPacket) = (3, 12, 12)
    let player = try SteppedQueue(format, outputChannels: 3)
    // The third channel is for the left speaker.
    let layout = AudioChannelLayout(labels: [2, 3, 1])
    try player.queue.setChannelLayout(layout)
    #expect(player.queue.channelLayout == layout)
    #expect(
      code { () throws(AudioQueueError) in
        try player.queue.setChannelLayout(AudioChannelLayout(labels: [1, 2]))
      } == .invalidPropertySize)
    let buffer = try player.queue.allocateBuffer(byteCapacity: 1200)
    let samples: [Float] = (0..<100).flatMap { _ -> [Float] in [0.1, 0.2, 0.3] }
    unsafe samples.withUnsafeBytes { unsafe buffer.bytes.copyMemory(from: $0) }
    buffer.byteCount = 1200
    try player.queue.enqueue(buffer)
    try player.queue.start()
    player.crank(100)
    #expect(Array(player.heard[..<3]) == [0.3, 0.1, 0.2])
  }

  @Test("A magic cookie can be set before the first buffer, and for formats that have one")
  func magicCookie() throws {
    let player = try SteppedQueue()
    #expect(
      code { () throws(AudioQueueError) in try player.queue.setMagicCookie([1]) }
        == .invalidPropertyValue)
    let format = AudioStreamBasicDescription(
      sampleRate: 44100, formatID: .mpegLayer3, framesPerPacket: 1152, channelsPerFrame: 2)
    let queue = try SteppedQueue(format).queue
    let buffer = try queue.allocateBuffer(byteCapacity: 10, packetDescriptionCapacity: 1)
    buffer.append(packet: [1, 2, 3].span)
    try queue.enqueue(buffer)
    #expect(
      code { () throws(AudioQueueError) in try queue.setMagicCookie([1]) } == .invalidRunState)
  }

  /// Returns a property's bytes.
  private func bytes(
    _ property: AudioQueueProperty, of queue: AudioQueue, room: Int
  ) throws(AudioQueueError) -> [UInt8] {
    var memory = [UInt8](repeating: 0xAA, count: room)
    var span = memory.mutableSpan
    let count = try queue.copyProperty(property, into: &span)
    return Array(memory.prefix(count))
  }

  @Test("Properties have Core Audio's bytes; a small buffer and an unknown property are refused")
  func propertyData() throws {
    let queue = try SteppedQueue().queue
    #expect(try queue.propertyByteCount(.isRunning) == 4)
    #expect(try bytes(.isRunning, of: queue, room: 9) == [0, 0, 0, 0])
    #expect(try queue.propertyByteCount(.streamDescription) == 40)
    #expect(
      try bytes(.streamDescription, of: queue, room: 40).suffix(8) == [32, 0, 0, 0, 0, 0, 0, 0])
    #expect(try bytes(.deviceNumberChannels, of: queue, room: 4) == [2, 0, 0, 0])
    #expect(try queue.propertyByteCount(.deviceSampleRate) == 8)
    try queue.setProperty(.decodeBufferSizeFrames, to: [0, 1, 0, 0])
    #expect(queue.decodeBufferSizeFrames == 256)
    try queue.setProperty(.enableLevelMetering, to: [1, 0, 0, 0])
    #expect(queue.isLevelMeteringEnabled)
    let unknown = AudioQueueProperty(rawValue: "zzzz")
    #expect(
      code { () throws(AudioQueueError) in _ = try bytes(.isRunning, of: queue, room: 3) }
        == .invalidPropertySize)
    #expect(
      code { () throws(AudioQueueError) in _ = try queue.propertyByteCount(unknown) }
        == .invalidProperty)
    #expect(
      code { () throws(AudioQueueError) in try queue.setProperty(unknown, to: []) }
        == .invalidProperty)
    #expect(
      code { () throws(AudioQueueError) in try queue.setProperty(.isRunning, to: [1, 0, 0, 0]) }
        == .invalidProperty)
    #expect(
      code { () throws(AudioQueueError) in try queue.setProperty(.enableTimePitch, to: [1]) }
        == .invalidPropertySize)
  }

  @Test("Several queues of one renderer are added, each with its own volume and time")
  func mixed() throws {
    let one = try SteppedQueue()
    let other = try SteppedQueue(renderer: one.renderer)
    try one.enqueueRamp(0..<10_000)
    try other.enqueueRamp(2_000_000..<2_010_000)
    try other.queue.set(.volume, to: 0.5)
    one.crank(10)
    try one.queue.start()
    other.settle()
    one.crank(500)
    try other.queue.start()
    one.crank(500)
    let expected = (0..<500).map {
      SteppedQueue.ramp(500 + $0) + SteppedQueue.ramp(2_000_000 + $0) * 0.5
    }
    #expect(Array(one.channel(0)[510...]) == expected)
    #expect(try one.queue.currentTime().sampleTime == 1000)
    #expect(try other.queue.currentTime().sampleTime == 500)
    try other.queue.dispose(immediately: true)
    one.crank(500)
    // The other queue's sound has faded out after 240 frames.
    #expect(Array(one.heardRamp[1250...]) == Array(1240..<1500))
  }
}
