// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import Testing

@testable import RenderCore

@Suite("A packet that is marked or cannot be decoded")
struct PacketMarkTests {
  private static let packetFrames = 1024
  private static let packets = 60

  /// Plays the same packets from several sources of 44.1 kHz at 48 kHz, all marked and each fifth of them lost.
  ///
  /// - Returns: for each source the frames of its reported marks, those of its reported losses, and those at which its
  ///   sound got louder or softer. Each tenth packet changes the volume.
  private func play(
    sources count: Int, period: Int
  ) throws -> [(marked: [UInt64], lost: [UInt64], turns: [Int])] {
    let renderer = Renderer(sampleRate: 48000, outputChannels: count)
    let format = AudioStreamBasicDescription.linearPCM(
      sampleRate: 44100, channels: 1, bitsPerChannel: 32, flags: [.float, .packed])
    var output = OfflineOutput(renderer: renderer)
    // An array cannot hold feeds.
    let feeds = UnsafeMutablePointer<SourceFeed>.allocate(capacity: count)
    defer {
      unsafe feeds.deinitialize(count: count)
      unsafe feeds.deallocate()
    }
    for index in 0..<count {
      let source = renderer.addSource(outputs: index..<index + 1)
      source.control.mode = .play
      unsafe (feeds + index).initialize(to: source.feed)
      try unsafe feed(&feeds[index], format)
    }
    var heard = [[Float]](repeating: [], count: count)
    while heard[0].count < Self.packets * Self.packetFrames * 480 / 441 {
      output.render(frameCount: period) { channel, samples in
        for index in samples.indices { heard[channel].append(samples[index]) }
      }
    }
    return (0..<count).map { index in
      var (marked, lost) = ([UInt64](), [UInt64]())
      while let event = unsafe feeds[index].nextEvent() {
        switch event.kind {
        case .packetMarked: marked.append(event.outputFrame)
        case .packetFailed: lost.append(event.outputFrame)
        default: break
        }
      }
      // A change of volume takes 5 ms; this is its middle.
      let loud = heard[index].map { $0 > 0.375 }
      let inside = 500..<Self.packets * Self.packetFrames * 480 / 441 - 500
      let turns = inside.filter { loud[$0] != loud[$0 - 1] }
      return (marked, lost, turns)
    }
  }

  private func feed(
    _ feed: inout SourceFeed, _ format: AudioStreamBasicDescription
  ) throws {
    try unsafe [Float](repeating: 0.5, count: Self.packetFrames).withUnsafeBytes { bytes in
      _ = try unsafe feed.beginStream(
        CodedStreamDescription(format: format), firstPacket: bytes, joinsPrevious: false)
      for index in 0..<Self.packets {
        let settings =
          index % 10 == 9 ? SourceSettings(volume: index % 20 == 9 ? 0.5 : 1) : SourceSettings()
        let isWritten = unsafe feed.write(
          packet: bytes,
          metadata: PacketMetadata(
            flushSerial: 0, packetIndex: Int64(index), firstFrame: 0,
            frameCount: Int32(Self.packetFrames), trimStartFrames: 0, trimEndFrames: 0,
            byteOffset: 0, durationNanoseconds: 23_219_955, isConcealed: index % 5 == 2,
            mark: UInt32(index + 1)), settings: settings)
        #expect(isWritten)
      }
    }
    let isEnded = feed.endStream()
    #expect(isEnded)
  }

  @Test(
    "is reported and applies its settings at the frame of its first sound, whatever else plays",
    arguments: [1, 2, 4, 8], [128, 256, 1024])
  func firstSound(_ sources: Int, _ period: Int) throws {
    func frame(_ packet: Int) -> Int { (packet * Self.packetFrames * 480 + 220) / 441 }
    let packets = 0..<Self.packets
    for told in try play(sources: sources, period: period) {
      #expect(told.marked == packets.map { UInt64(frame($0)) })
      #expect(told.lost == packets.filter { $0 % 5 == 2 }.map { UInt64(frame($0)) })
      let turns = packets.filter { $0 % 10 == 9 }.map { frame($0) + 119 }
      #expect(told.turns.count == turns.count)
      #expect(zip(told.turns, turns).allSatisfy { abs($0 - $1) <= 1 }, "\(told.turns) \(turns)")
    }
  }
}
