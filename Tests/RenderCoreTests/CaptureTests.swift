// SPDX-License-Identifier: MIT

import OfflineOutput
import RenderCore
import TestKit
import Testing

@Suite("A capture")
struct CaptureTests {
  /// Returns a cycle of inputs whose samples encode their channel and frame.
  private static func samples(from frame: Int, count: Int, channels: Int) -> [[Float]] {
    (0..<channels).map { channel in
      (frame..<frame + count).map { Float($0 + 1) * (channel == 0 ? 1 : -1) }
    }
  }

  /// Reads all captured items, and returns them with the samples of each channel.
  private static func readAll(
    _ reader: inout CaptureReader, atMost limit: Int = .max
  ) -> (items: [CaptureItem], samples: [[Float]]) {
    var items: [CaptureItem] = []
    var samples = [[Float]](repeating: [], count: reader.channelCount)
    while true {
      let item = reader.read(atMost: limit) { _, channel, span in
        for index in span.indices { samples[channel].append(span[index]) }
      }
      if item == .empty { return (items, samples) }
      items.append(item)
    }
  }

  @Test("delivers each cycle's frames with the cycle's times")
  func frames() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 0, inputChannels: 2)
    var reader = renderer.addCapture(capacityFrames: 1024)
    #expect(reader.channelCount == 2 && reader.capacityFrames == 1024)
    var output = OfflineOutput(renderer: renderer)
    output.render(inputs: Self.samples(from: 0, count: 480, channels: 2))
    output.render(inputs: Self.samples(from: 480, count: 96, channels: 2))
    #expect(reader.availableFrames == 576)
    let read = Self.readAll(&reader)
    #expect(
      read.items == [
        .frames(
          CapturedFrames(
            position: 0, frameCount: 480, deviceFrame: 0, frameTime: 0, cycleNanoseconds: 0,
            offsetInCycle: 0)),
        .frames(
          CapturedFrames(
            position: 480, frameCount: 96, deviceFrame: 480, frameTime: 480,
            cycleNanoseconds: 10_000_000,
            offsetInCycle: 0)),
      ])
    #expect(read.samples == Self.samples(from: 0, count: 576, channels: 2))
    #expect(reader.counters == CaptureCounters(capturedFrames: 576))
    #expect(reader.availableFrames == 0)
  }

  @Test("delivers a cycle in pieces, each with its own time")
  func pieces() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1, inputChannels: 1)
    var reader = renderer.addCapture(capacityFrames: 64)
    var output = OfflineOutput(renderer: renderer)
    output.skip(frameCount: 1000)
    output.render(inputs: Self.samples(from: 0, count: 10, channels: 1))
    let pieces = Self.readAll(&reader, atMost: 4).items.compactMap { item in
      if case .frames(let frames) = item { frames } else { nil }
    }
    #expect(pieces.map(\.position) == [0, 4, 8])
    #expect(pieces.map(\.frameCount) == [4, 4, 2])
    #expect(pieces.map(\.frameTime) == [1000, 1004, 1008])
    #expect(pieces.map(\.offsetInCycle) == [0, 4, 8])
    // Frames before the capture's first cycle do not count as missed.
    #expect(reader.counters.missedFrames == 0)
  }

  @Test("is exact at every ring offset, for every cycle length and read size")
  func layouts() {
    for cycle in 1...33 {
      for limit in [1, 5, 16, 40] {
        let renderer = Renderer(sampleRate: 48000, outputChannels: 0, inputChannels: 2)
        // A power of two that holds two cycles, and as many records as short cycles need.
        var reader = renderer.addCapture(capacityFrames: cycle < 16 ? 64 : 128)
        var output = OfflineOutput(renderer: renderer)
        var frame = 0
        while frame < 300 {
          for _ in 0..<2 {
            output.render(inputs: Self.samples(from: frame, count: cycle, channels: 2))
            frame += cycle
          }
          let read = Self.readAll(&reader, atMost: limit)
          let expected = Self.samples(from: frame - 2 * cycle, count: 2 * cycle, channels: 2)
          let isExact = read.samples == expected
          #expect(isExact, "cycles of \(cycle), up to frame \(frame)")
        }
        #expect(reader.counters == CaptureCounters(capturedFrames: UInt64(frame)))
      }
    }
  }

  @Test("drops and counts frames that do not fit, and reports them before the next frames")
  func overrun() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 0, inputChannels: 1)
    var reader = renderer.addCapture(capacityFrames: 64)
    var output = OfflineOutput(renderer: renderer)
    for cycle in 0..<4 {
      output.render(inputs: Self.samples(from: cycle * 24, count: 24, channels: 1))
    }
    // 64 of 96 frames fit: all of two cycles, 16 frames of the third, none of the fourth.
    #expect(
      reader.counters
        == CaptureCounters(capturedFrames: 64, overrunFrames: 32, overruns: 2))
    let kept = Self.readAll(&reader)
    #expect(kept.samples == Self.samples(from: 0, count: 64, channels: 1))
    #expect(kept.items.count == 3)

    output.render(inputs: Self.samples(from: 96, count: 24, channels: 1))
    let next = Self.readAll(&reader)
    #expect(next.items.first == .discontinuity(.overrun(frames: 32)))
    guard case .frames(let frames) = next.items.last else {
      Issue.record("no frames after the overrun")
      return
    }
    #expect(frames.position == 96 && frames.frameTime == 96)
    #expect(next.samples == Self.samples(from: 96, count: 24, channels: 1))
    #expect(reader.counters.missedFrames == 0)
  }

  @Test("drops cycles that are too short and too many for its records")
  func manyShortCycles() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 0, inputChannels: 1)
    var reader = renderer.addCapture(capacityFrames: 64)
    var output = OfflineOutput(renderer: renderer)
    for frame in 0..<6 { output.render(inputs: Self.samples(from: frame, count: 1, channels: 1)) }
    #expect(
      reader.counters == CaptureCounters(capturedFrames: 4, overrunFrames: 2, overruns: 2))
    _ = Self.readAll(&reader)
    output.render(inputs: Self.samples(from: 6, count: 1, channels: 1))
    #expect(Self.readAll(&reader).items.first == .discontinuity(.overrun(frames: 2)))
  }

  @Test("reports the frames of missed cycles apart from frames that did not fit")
  func missed() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 0, inputChannels: 1)
    var reader = renderer.addCapture(capacityFrames: 64)
    var output = OfflineOutput(renderer: renderer)
    for cycle in 0..<3 {
      output.render(inputs: Self.samples(from: cycle * 32, count: 32, channels: 1))
      output.skip(frameCount: 100)
    }
    _ = Self.readAll(&reader)
    output.render(inputs: Self.samples(from: 96, count: 32, channels: 1))
    let read = Self.readAll(&reader)
    #expect(
      read.items == [
        .discontinuity(.overrun(frames: 32)), .discontinuity(.missed(frames: 200)),
        .frames(
          CapturedFrames(
            position: 396, frameCount: 32, deviceFrame: 96, frameTime: 396,
            cycleNanoseconds: 8_250_000,
            offsetInCycle: 0)),
      ])
    #expect(
      reader.counters
        == CaptureCounters(
          capturedFrames: 96, overrunFrames: 32, overruns: 1, missedFrames: 300))
  }

  @Test("receives every frame while it exists, beside other captures")
  func several() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1, inputChannels: 1)
    var output = OfflineOutput(renderer: renderer)
    var first = renderer.addCapture(capacityFrames: 256)
    output.render(inputs: Self.samples(from: 0, count: 32, channels: 1))
    var second = renderer.addCapture(capacityFrames: 256)
    output.render(inputs: Self.samples(from: 32, count: 32, channels: 1))
    renderer.remove(first)
    output.render(inputs: Self.samples(from: 64, count: 32, channels: 1))
    #expect(Self.readAll(&first).samples == Self.samples(from: 0, count: 64, channels: 1))
    #expect(Self.readAll(&second).samples == Self.samples(from: 32, count: 64, channels: 1))
    renderer.remove(second)
    output.render(inputs: Self.samples(from: 96, count: 32, channels: 1))
    #expect(second.availableFrames == 0)
  }

  @Test("delivers silence when the output provides no inputs")
  func silence() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1, inputChannels: 1)
    var reader = renderer.addCapture(capacityFrames: 64)
    var output = OfflineOutput(renderer: renderer)
    output.render(inputs: [[1, 1]])
    output.render(frameCount: 3) { _, _ in }
    #expect(Self.readAll(&reader).samples == [[1, 1, 0, 0, 0]])
  }

  @Test("loses nothing and mixes nothing up between two threads")
  func threads() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 0, inputChannels: 2)
    var reader = renderer.addCapture(capacityFrames: 512)
    let cycles = 4000
    let hasEnded = OneTimeEvent()
    startThread {
      var output = OfflineOutput(renderer: renderer)
      var random = SplitMix(state: 7)
      var frame = 0
      for _ in 0..<cycles {
        let count = Int.random(in: 1...200, using: &random)
        output.render(inputs: Self.samples(from: frame, count: count, channels: 2))
        frame += count
      }
      hasEnded.signal()
    }
    var captured: UInt64 = 0
    var overrun: UInt64 = 0
    var next: UInt64 = 0
    var wrong = 0
    var isLast = false
    while true {
      let item = reader.read(atMost: 64) { frames, channel, samples in
        for index in samples.indices {
          let expected = Float(frames.position) + Float(index + 1)
          if samples[index] != (channel == 0 ? expected : -expected) { wrong += 1 }
        }
      }
      switch item {
      case .frames(let frames):
        if frames.position != next { wrong += 1 }
        next = frames.position + UInt64(frames.frameCount)
        captured += UInt64(frames.frameCount)
      case .discontinuity(.overrun(let frames)):
        overrun += frames
        next += frames
      case .discontinuity: wrong += 1
      case .empty:
        if isLast {
          let counters = reader.counters
          #expect(wrong == 0)
          #expect(counters.capturedFrames == captured)
          // No later cycle reports the frames that were dropped at the very end.
          #expect(counters.overrunFrames >= overrun)
          #expect(renderer.telemetry.frames == captured + counters.overrunFrames)
          return
        }
        isLast = hasEnded.wait(seconds: 0)
      }
    }
  }

  @Test("that is full makes an output without deadlines wait, as long as a reader reads it")
  func waited() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1, inputChannels: 1)
    var input = renderer.addCapture(capacityFrames: 64)
    var heard = renderer.addOutputCapture(capacityFrames: 256)
    var output = OfflineOutput(renderer: renderer)
    let context = renderer.context
    #expect(context.isReady(frameCount: 64))
    output.render(inputs: Self.samples(from: 0, count: 64, channels: 1))
    #expect(!context.isReady(frameCount: 64))
    _ = Self.readAll(&input)
    #expect(context.isReady(frameCount: 64))
    // The output stopped waiting, and frames are lost: the capture may have no reader any more.
    for cycle in 1...2 {
      output.render(inputs: Self.samples(from: 64 * cycle, count: 64, channels: 1))
    }
    #expect(input.counters.overruns == 1)
    #expect(context.isReady(frameCount: 64))
    _ = input.read(atMost: 1) { _, _, _ in }
    #expect(!context.isReady(frameCount: 64))
    _ = Self.readAll(&input)
    output.render(inputs: Self.samples(from: 192, count: 64, channels: 1))
    _ = Self.readAll(&input)
    // The capture of the outputs is full now.
    #expect(!context.isReady(frameCount: 64))
    _ = Self.readAll(&heard)
    #expect(context.isReady(frameCount: 64))
    renderer.remove(input)
    renderer.remove(heard)
    #expect(context.isReady(frameCount: 4096))
  }
}
