// SPDX-License-Identifier: MIT

import OfflineOutput
import TestKit
import Testing

@testable import RenderCore

@Suite("An inaudible packet")
struct StreamPreparationTests {
  private let file = ParsedStream(Fixtures.path("mp3-cbr128-44100-2.mp3"))
  private static let framesPerPacket: Int32 = 1152
  private let renderer = Renderer(sampleRate: 44100, outputChannels: 2)

  /// Begins a stream with the file's packets from `first` on.
  private func begin(_ feed: inout SourceFeed, from first: Int) throws {
    try unsafe file.packets[first].bytes.withUnsafeBytes { bytes in
      let id = try unsafe feed.beginStream(file.stream, firstPacket: bytes, joinsPrevious: false)
      #expect(id != nil)
    }
  }

  /// Writes a packet, or other bytes instead of its own.
  private func write(
    _ index: Int, isHeard: Bool, isPadding: Bool = false, bytes: [UInt8]? = nil,
    to feed: inout SourceFeed
  ) -> Bool {
    unsafe (bytes ?? file.packets[index].bytes).withUnsafeBytes { bytes in
      unsafe feed.write(
        packet: bytes,
        metadata: PacketMetadata(
          flushSerial: feed.flushSerial, packetIndex: Int64(index),
          firstFrame: Int64(index) * Int64(Self.framesPerPacket), frameCount: Self.framesPerPacket,
          trimStartFrames: isHeard || isPadding ? 0 : Self.framesPerPacket,
          trimEndFrames: isPadding ? Self.framesPerPacket : 0,
          byteOffset: Int64(1000 + index), durationNanoseconds: isHeard ? 26_122_449 : 0))
    }
  }

  private func events(of feed: inout SourceFeed) -> [SourceEvent.Kind] {
    var events: [SourceEvent.Kind] = []
    while let event = feed.nextEvent() { events.append(event.kind) }
    return events
  }

  @Test("at the beginning is decoded outside the ring, and the sound behind it is unchanged")
  func prepared() throws {
    let straight = try file.decoded().samples
    let source = renderer.addSource()
    var feed = source.feed
    var output = OfflineOutput(renderer: renderer)
    try begin(&feed, from: 40)
    for index in 40..<70 {
      let isTaken = write(index, isHeard: false, to: &feed)
      #expect(isTaken)
    }
    #expect(feed.entryCount == 0)
    for index in 70..<74 {
      let isTaken = write(index, isHeard: true, to: &feed)
      #expect(isTaken)
    }
    #expect(feed.entryCount == 5)
    source.control.mode = .play
    var samples: [Float] = []
    output.render(frameCount: 64, interleavedInto: &samples)
    let place = 70 * Int(Self.framesPerPacket) * 2
    let isSame = samples.elementsEqual(straight[place..<place + 128])
    #expect(isSame)
    // One packet was decoded in the cycle, and the others are counted with it.
    #expect(source.control.counters.packets == 31)
    #expect(source.control.counters.failedPackets == 0)
    #expect(events(of: &feed) == [.streamStarted(StreamOrigin(track: 0))])
  }

  @Test("before a stream causes no underrun while the ring holds only the stream's mark")
  func markAlone() throws {
    let source = renderer.addSource()
    var feed = source.feed
    var output = OfflineOutput(renderer: renderer)
    var samples: [Float] = []
    source.control.mode = .play
    try begin(&feed, from: 0)
    let isMarked = feed.endPreparation()
    #expect(isMarked && feed.entryCount == 1)
    output.render(frameCount: 64, interleavedInto: &samples)
    #expect(samples.allSatisfy { $0 == 0 })
    #expect(source.control.counters.underruns == 0)
    #expect(events(of: &feed) == [])
    for index in 0..<4 {
      let isTaken = write(index, isHeard: true, to: &feed)
      #expect(isTaken)
    }
    output.render(frameCount: 1152, interleavedInto: &samples)
    #expect(events(of: &feed) == [.streamStarted(StreamOrigin(track: 0))])
    #expect(source.control.counters.underruns == 0)
  }

  @Test("is reported if it cannot be decoded")
  func damaged() throws {
    let source = renderer.addSource()
    var feed = source.feed
    var output = OfflineOutput(renderer: renderer)
    try begin(&feed, from: 0)
    var isTaken = write(0, isHeard: false, to: &feed)
    isTaken = write(1, isHeard: false, bytes: Array(repeating: 0, count: 417), to: &feed) && isTaken
    isTaken = write(2, isHeard: true, to: &feed) && isTaken
    #expect(isTaken)
    #expect(events(of: &feed) == [.packetFailed(packetIndex: 1, byteOffset: 1001)])
    source.control.mode = .play
    output.render(frameCount: 64) { _, _ in }
    #expect(source.control.counters.failedPackets == 1)
    #expect(source.control.counters.packets == 3)
  }

  @Test("is discarded with its flush serial, and leaves no converter behind")
  func abandoned() throws {
    let source = renderer.addSource()
    var feed = source.feed
    var output = OfflineOutput(renderer: renderer)
    // More streams than there may be converters at a time.
    for flushSerial in 1...UInt32(2 * SourceUnit.maximumConverters) {
      feed.flushSerial = flushSerial
      try begin(&feed, from: 0)
      let isTaken = write(0, isHeard: false, to: &feed)
      #expect(isTaken)
    }
    #expect(feed.entryCount == 0)
    let isTaken = write(1, isHeard: true, to: &feed)
    #expect(isTaken && feed.entryCount == 2)
    source.control.flushSerial = feed.flushSerial
    source.control.mode = .play
    output.render(frameCount: 64) { _, _ in }
    #expect(source.control.counters.packets == 2)
  }

  @Test("is decoded also between sounds, as where files are joined")
  func paddingInside() throws {
    let straight = try file.decoded().samples
    let source = renderer.addSource()
    var feed = source.feed
    var output = OfflineOutput(renderer: renderer)
    try begin(&feed, from: 0)
    for index in 0..<6 {
      let isTaken = write(index, isHeard: index != 4, isPadding: index == 4, to: &feed)
      #expect(isTaken)
    }
    source.control.mode = .play
    var samples: [Float] = []
    let frames = Int(Self.framesPerPacket)
    output.render(frameCount: 5 * frames, interleavedInto: &samples)
    let isSame = samples.suffix(2 * frames).elementsEqual(straight[2 * 5 * frames..<2 * 6 * frames])
    #expect(isSame)
  }

  @Test("is not decoded at the stream's end; of those before more sound, eight are decoded")
  func endlessPadding() throws {
    let source = renderer.addSource()
    var feed = source.feed
    var output = OfflineOutput(renderer: renderer)
    try begin(&feed, from: 0)
    for index in 0..<100 {
      let isTaken = write(index, isHeard: index == 0, isPadding: index > 0, to: &feed)
      #expect(isTaken)
    }
    #expect(feed.entryCount == 2)
    let isSoundTaken = write(100, isHeard: true, to: &feed)
    #expect(isSoundTaken && feed.entryCount == 11)
    let isPaddingTaken = write(101, isHeard: false, isPadding: true, to: &feed)
    let isEnded = feed.endStream()
    #expect(isPaddingTaken && isEnded && feed.entryCount == 12)
    source.control.mode = .play
    var samples: [Float] = []
    output.render(frameCount: 3 * Int(Self.framesPerPacket), interleavedInto: &samples)
    #expect(source.control.counters.packets == 10)
  }

  @Test("may be all that a stream has: the stream begins and ends")
  func nothingHeard() throws {
    let source = renderer.addSource()
    var feed = source.feed
    var output = OfflineOutput(renderer: renderer)
    try begin(&feed, from: 0)
    let isTaken = write(0, isHeard: false, to: &feed)
    let isEnded = feed.endStream()
    #expect(isTaken && isEnded)
    source.control.mode = .play
    output.render(frameCount: 64) { _, _ in }
    #expect(
      events(of: &feed) == [.streamStarted(StreamOrigin(track: 0)), .streamEnded])
    #expect(source.control.counters.underruns == 0)
  }
}
