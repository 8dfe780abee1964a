// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import TestKit
import Testing

@testable import RenderCore

/// A renderer whose sources all play one file, begun at once.
private struct ManyStreams: ~Copyable {
  private let renderer: Renderer
  private let period: Int
  private let controls: [SourceControl]
  private var output: OfflineOutput

  /// - Parameter volumes: one for each source.
  init(_ parsed: ParsedStream, volumes: [Float], outputRate: Int, period: Int) throws {
    self.period = period
    renderer = Renderer(sampleRate: Double(outputRate), outputChannels: 2)
    var controls: [SourceControl] = []
    for volume in volumes {
      let source = renderer.addSource(ringBytes: 1 << 20)
      let control = source.control
      control.volume = volume
      controls.append(control)
      var feed = source.feed
      for (index, packet) in parsed.packets.enumerated() {
        try unsafe packet.bytes.withUnsafeBytes { bytes in
          if index == 0 {
            _ = try unsafe feed.beginStream(
              parsed.stream, firstPacket: bytes, joinsPrevious: false)
          }
          let isWritten = unsafe feed.write(
            packet: bytes,
            metadata: PacketMetadata(
              flushSerial: 0, packetIndex: Int64(index), firstFrame: 0,
              frameCount: Int32(packet.frames), trimStartFrames: 0, trimEndFrames: 0,
              byteOffset: 0, durationNanoseconds: 26_122_449))
          #expect(isWritten)
        }
      }
      let isEnded = feed.endStream()
      #expect(isEnded)
      control.mode = .play
    }
    self.controls = controls
    output = OfflineOutput(renderer: renderer)
  }

  /// Renders a cycle and returns its samples and its number of decoded packets.
  mutating func render() -> (samples: [Float], packets: Int) {
    var samples: [Float] = []
    output.render(frameCount: period, interleavedInto: &samples)
    var facts = CycleFacts()
    facts.takeWork(of: renderer.context)
    return (samples, Int(facts.work.packets))
  }

  var underruns: UInt64 { controls.reduce(0) { $0 + $1.counters.underruns } }
}

@Suite("Work ahead")
struct WorkAheadTests {
  private let stream = ParsedStream(Fixtures.path("mp3-cbr128-44100-2.mp3"))

  @Test(
    "Streams that began together do not all decode in one cycle", arguments: [64, 128, 256])
  func level(_ period: Int) throws {
    let count = 32
    var streams = try ManyStreams(
      stream, volumes: Array(repeating: 1, count: count), outputRate: 48000, period: period)
    let mean = Double(period * count) / (1152 * 480 / 441)
    var most = 0
    for cycle in 0..<100 * 1254 / period {
      let packets = streams.render().packets
      // The first cycles need several packets of each stream at once; within half a second the load is level.
      if cycle > 32768 / period { most = max(most, packets) }
    }
    #expect(streams.underruns == 0)
    #expect(most <= Int(mean * 17 / 16 + 2))
    #expect(most < count)
  }

  @Test("It changes no sample", arguments: [64, 256, 1024])
  func same(_ period: Int) throws {
    let volumes = (2..<10).map { 1 / Float($0) }
    let cycles = stream.packets.count * 1254 / period + 8
    var together = try ManyStreams(stream, volumes: volumes, outputRate: 48000, period: period)
    // Each stream alone, added up as the renderer does it.
    var sums = Array(repeating: [Float](), count: cycles)
    for volume in volumes {
      var one = try ManyStreams(stream, volumes: [volume], outputRate: 48000, period: period)
      for cycle in 0..<cycles {
        let alone = one.render().samples
        if sums[cycle].isEmpty { sums[cycle] = alone } else { sums[cycle].mix(alone) }
      }
    }
    for sum in sums {
      let isSame = together.render().samples == sum
      #expect(isSame)
    }
  }

  @Test("Streams that need their work in the same cycles are distinguished from others")
  func uneven() {
    let (count, block, period) = (200, 800, 256)
    var mean = WorkRate()
    for _ in 0..<count {
      mean.add(WorkRate(decodes: 1 / 1254, blocks: 1 / Double(block)), frameCount: period)
    }
    var generator = SeededGenerator(seed: 1)
    let apart = (0..<count).map { _ in Int.random(in: 0..<block, using: &generator) }
    for (starts, isUneven) in [(apart, false), (Array(repeating: 0, count: count), true)] {
      var pace = WorkPace()
      for cycle in 1..<2000 {
        let blocks = starts.map {
          (cycle * period + $0) / block - ((cycle - 1) * period + $0) / block
        }
        var pieces = WorkPieces()
        pieces.playedBlocks = blocks.reduce(0, +)
        let found = pace.isUneven(after: pieces, mean: mean)
        // The first cycles have too little data for a decision.
        if cycle > 3 { #expect(found == isUneven) }
      }
    }
  }

  @Test("The work per frame is known after the first packets", arguments: [64, 256])
  func rate(_ period: Int) throws {
    var pulled = try PulledStream(stream, outputRate: 48000, period: period)
    var made = WorkPieces()
    var frames = 0
    var early = WorkRate()
    while true {
      let count = pulled.pull().count
      // The last packets and blocks are short.
      if count < period { break }
      frames += count
      made.add(pulled.takePieces())
      if made.decodes <= 4 { early = pulled.workRate }
    }
    #expect(abs(early.decodes * Double(frames) / Double(made.decodes) - 1) < 0.05)
    #expect(abs(early.blocks * Double(frames) / Double(made.blocks) - 1) < 0.05)
    #expect(made.blocks - made.playedBlocks == 1)
  }

  @Test("A block may be made at once behind the packet that it needs, and no sample changes")
  func both() throws {
    var ahead = try PulledStream(stream, outputRate: 48000, period: 128)
    var late = try PulledStream(stream, outputRate: 48000, period: 128)
    var pairs = 0
    var cycle = 0
    while true {
      let samples = late.pull()
      let isSame = ahead.pull() == samples
      #expect(isSame)
      if samples.count < 128 { break }
      cycle += 1
      // Often enough to stay ahead, seldom enough to leave room for the block.
      if cycle % 6 != 0 { continue }
      _ = ahead.takePieces()
      let pieces = ahead.workAhead(both: true)
      #expect(pieces.decodes <= 1 && pieces.blocks <= 1)
      if pieces.total == 2 { pairs += 1 }
    }
    #expect(pairs > stream.packets.count / 4)
    #expect(ahead.packetCount == late.packetCount)
  }

  @Test("A block may be made beyond the pending output, and only one", arguments: [1, 7, 64])
  func ahead(_ every: Int) throws {
    var ahead = try PulledStream(stream, outputRate: 48000, period: 128)
    var late = try PulledStream(stream, outputRate: 48000, period: 128)
    var cycle = 0
    while true {
      let samples = late.pull()
      let isSame = ahead.pull() == samples
      #expect(isSame)
      if samples.count < 128 { break }
      cycle += 1
      if cycle % every != 0 { continue }
      let wanted = ahead.takePieces()
      // No work could be done ahead of the first cycle.
      if every == 1, cycle > 1 { #expect(wanted.total == 0) }
      var blocks = 0
      while true {
        let pieces = ahead.workAhead()
        if pieces.total == 0 { break }
        #expect(pieces.total == 1)
        blocks += pieces.blocks
      }
      // One block if there is no output, and one behind it.
      #expect(blocks <= 2)
      #expect(ahead.packetCount <= late.packetCount + 3)
    }
    #expect(ahead.packetCount == late.packetCount)
  }
}
