// SPDX-License-Identifier: MIT

import AudioModel
import CRealtimeScope
import Glibc
import OfflineOutput
import PlayerEngine
import RenderCore
import TestKit
import Testing

/// Allocates in an effect, which is forbidden.
private func allocatingEffect(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  unsafe free(malloc(64))
  return 0
}

/// In a build with RealtimeSanitizer every allocation, lock and blocking system call between the
/// render entry's first and last line ends the process. In any other build these only run the path.
@Suite("Real-time render path", .serialized)
struct RenderPathTests {
  @Test("A requested sanitized build is one")
  func isChecked() {
    let isAsked = unsafe getenv("DRAWBAR_RTSAN") != nil
    #expect((drawbar_realtime_is_checked() == 1) == isAsked)
  }

  @Test("The sanitizer ends a process that allocates in the render scope")
  func catchesAllocation() async {
    guard drawbar_realtime_is_checked() == 1 else { return }
    await #expect(processExitsWith: .failure) {
      drawbar_realtime_enter()
      let memory = unsafe malloc(64)
      drawbar_realtime_exit()
      unsafe free(memory)
    }
  }

  @Test("The sanitizer ends a process whose effect allocates, and names the effect")
  func namesEffect() async {
    guard drawbar_realtime_is_checked() == 1 else { return }
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let renderer = Renderer(sampleRate: 48000, outputChannels: 1, inputChannels: 1)
      let graph = renderer.graph
      let effect = unsafe graph.addEffect(allocatingEffect, context: nil, channelCount: 1)
      try graph.edit { (edit) throws(ProcessingGraphError) in
        try edit.connect(graph.input, to: effect.node)
        try edit.connect(effect.node, to: graph.output)
      }
      var output = OfflineOutput(renderer: renderer)
      output.render(inputs: [[0.5, 0.25]])
    }
    let report = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(report.contains("malloc") && report.contains("allocatingEffect"))
  }

  @Test(
    "Real music runs clean from the first packet to the end",
    arguments: [
      "mp1-384-44100-2.mp1", "mp2-192-44100-2.mp2", "mp3-cbr320-44100-2.mp3",
      "mp3-vbr2-44100-2.mp3", "mp3-free-44100-2.mp3", "mp3-garbage.mp3", "mp3-cbr-8000-1.mp3",
      "wav-u8-44100-2.wav", "wav-s16-44100-2.wav", "wav-s24-44100-2.wav", "wav-s32-44100-2.wav",
      "wav-f32-44100-2.wav", "wav-f64-44100-2.wav", "wav-ext-s24-96000-6.wav",
    ], [44100.0, 48000.0])
  func music(_ name: String, _ rate: Double) {
    for period in [16, 64, 1000, 8192] {
      let playback = OfflinePlayback([Fixtures.path(name)], rate: rate, channels: 2)
      playback.run(period: period)
      #expect(playback.states.last == .ended)
    }
  }

  @Test("Pause, resume, skip, changes of either rate, underruns and the end run clean")
  func everyTurn() {
    var configuration = PlayerConfiguration()
    configuration.startThresholdNanoseconds = 50_000_000
    configuration.ringBytes = 16 << 10
    let tracks = [
      "mp3-cbr128-44100-2.mp3", "mp3-cbr-22050-1.mp3", "wav-s16-48000-1.wav", "gapless-1.mp3",
      "gapless-2.mp3",
    ].map(Fixtures.path)
    let playback = OfflinePlayback(
      tracks, rate: 48000, channels: 2, configuration: configuration)
    var cycles = 0
    // Two cycles per step outrun the feeder, so the ring runs empty repeatedly.
    while playback.player.step(mayWait: false) != .finished {
      cycles += 1
      if cycles % 701 == 400 { playback.player.apply(.pause) }
      if cycles % 701 == 500 { playback.player.apply(.resume) }
      if cycles == 1500 { playback.player.apply(.next) }
      if cycles % 400 == 350 { playback.renderer.sampleRate = cycles % 800 < 400 ? 44100 : 48000 }
      playback.player.control.volume = cycles % 300 < 150 ? 1 : 0.5
      playback.crank(512)
      playback.crank(1024)
    }
    #expect(playback.player.control.counters.underruns > 0)
    #expect(playback.states.last == .ended)
  }

  @Test(
    "A packet that cannot be decoded is silence of its length, counted, and the next one sounds")
  func damagedPacket() throws {
    let frames = Self.frames(of: "mp3-notag-44100-2.mp3", count: 8)
    let renderer = Renderer(sampleRate: 44100, outputChannels: 2)
    let source = renderer.addSource()
    var feed = source.feed
    for (index, frame) in frames.enumerated() {
      // The fourth packet has a good size and no header.
      let packet = index == 3 ? [UInt8](repeating: 0x55, count: frame.count) : frame
      let metadata = PacketMetadata(
        flushSerial: 0, packetIndex: Int64(index), firstFrame: Int64(index) * 1152,
        frameCount: 1152,
        trimStartFrames: 0, trimEndFrames: 0, byteOffset: 0, durationNanoseconds: 26_122_448)
      let isTaken = try unsafe packet.withUnsafeBytes { bytes in
        if index == 0 {
          let format = AudioStreamBasicDescription(
            sampleRate: 44100, formatID: .mpegLayer3, framesPerPacket: 1152, channelsPerFrame: 2)
          _ = try unsafe feed.beginStream(
            CodedStreamDescription(format: format), firstPacket: bytes, joinsPrevious: false)
        }
        return unsafe feed.write(packet: bytes, metadata: metadata)
      }
      #expect(isTaken)
    }
    let isEnded = feed.endStream()
    #expect(isEnded)
    source.control.mode = .play
    var output = OfflineOutput(renderer: renderer)
    var samples: [Float] = []
    var packets: [[Float]] = []
    for _ in frames {
      output.render(frameCount: 1152, interleavedInto: &samples)
      packets.append(samples)
    }
    #expect(source.control.counters.failedPackets == 1)
    #expect(source.control.counters.underruns == 0)
    #expect(source.control.position.outputFrames == 8 * 1152)
    #expect(packets[3].allSatisfy { $0 == 0 })
    #expect(packets[2].contains { $0 != 0 } && packets[7].contains { $0 != 0 })
  }

  /// Returns the first frames of an untagged layer III file at 44.1 kHz.
  private static func frames(of name: String, count: Int) -> [[UInt8]] {
    let bytes = contents(ofFile: Fixtures.path(name))
    let kilobits = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    var start = 0
    return (0..<count).map { _ in
      let size =
        144_000 * kilobits[Int(bytes[start + 2] >> 4)] / 44100 + Int(bytes[start + 2] >> 1 & 1)
      defer { start += size }
      return Array(bytes[start..<start + size])
    }
  }
}
