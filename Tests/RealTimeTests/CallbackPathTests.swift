// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import PacketParser
import RenderCore
import TestKit
import Testing

/// The state of a test's render callback: packets in memory, and a converter.
@safe
private struct CallbackPlayback {
  let packets: UnsafeMutableBufferPointer<UnsafeMutableRawBufferPointer>
  var converter: UnsafeMutablePointer<RenderConverter>
  var readHead = 0
  var asked = 0
  var frames = 0
  var starvedCycles = 0
  var hasEnded = false

  /// Returns the next packet, or no data at every third call, as with a slow network.
  @_noLocks
  mutating func nextPacket() -> RenderConverter.Answer {
    asked += 1
    if asked % 3 == 0 { return .status(-1) }
    guard unsafe readHead < packets.count else { return .endOfStream }
    let packet = unsafe packets[readHead]
    readHead += 1
    return unsafe .packet(UnsafeRawBufferPointer(packet), frameCount: 1152)
  }
}

@_noLocks
private func pullPackets(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let playback = unsafe context?.assumingMemoryBound(to: CallbackPlayback.self) else {
    return -1
  }
  let buffers = unsafe UnsafeMutableBufferPointer(
    start: call.pointee.outputs, count: call.pointee.outputCount)
  let converter = unsafe playback.pointee.converter
  let fill = unsafe converter.pointee.fill(buffers, frameCount: call.pointee.frameCount) {
    unsafe playback.pointee.nextPacket()
  }
  unsafe playback.pointee.frames += fill.frameCount
  switch fill.status {
  case .complete: return 0
  case .stopped(let status):
    unsafe playback.pointee.starvedCycles += 1
    return status
  case .endOfStream:
    unsafe playback.pointee.hasEnded = true
    return 0
  }
}

/// As ``RenderPathTests``: with RealtimeSanitizer, an allocation in the callback ends the process.
@Suite("Real-time callback path", .serialized)
struct CallbackPathTests {
  /// Keeps the packets of an MP3 file.
  private struct PacketKeeper: AudioFileStreamListener {
    var format: AudioStreamBasicDescription?
    var packets: [[UInt8]] = []

    mutating func audioFileStream(
      _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
    ) {
      format = try? stream.dataFormat
    }

    mutating func audioFileStream(
      _ stream: borrowing AudioFileStream, produced run: AudioFileStreamPackets,
      bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
    ) {
      for index in descriptions.indices {
        let start = Int(descriptions[index].startOffset)
        let end = start + Int(descriptions[index].dataByteSize)
        packets.append((start..<end).map { bytes[$0] })
      }
    }
  }

  @Test(
    "A callback with a converter and a fill callback runs clean, starved and to the end",
    arguments: [44100, 48000], [64, 333, 8192])
  func clean(_ rate: Double, _ period: Int) throws {
    var keeper = PacketKeeper()
    var parser = AudioFileStream()
    try parser.parse(
      contents(ofFile: Fixtures.path("mp3-vbr2-44100-2.mp3")).span, listener: &keeper)
    try parser.finish(listener: &keeper)
    let format = try #require(keeper.format)
    let packets = UnsafeMutableBufferPointer<UnsafeMutableRawBufferPointer>.allocate(
      capacity: keeper.packets.count)
    for index in keeper.packets.indices {
      let bytes = keeper.packets[index]
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
      unsafe memory.copyBytes(from: bytes)
      unsafe packets.initializeElement(at: index, to: memory)
    }
    let converter = UnsafeMutablePointer<RenderConverter>.allocate(capacity: 1)
    unsafe converter.initialize(
      to: try RenderConverter(
        decoding: CodedStreamDescription(format: format),
        firstPacket: UnsafeRawBufferPointer(packets[0]), sampleRate: rate, channels: 2))
    let playback = UnsafeMutablePointer<CallbackPlayback>.allocate(capacity: 1)
    unsafe playback.initialize(to: CallbackPlayback(packets: packets, converter: converter))
    defer {
      unsafe playback.deallocate()
      unsafe converter.deinitialize(count: 1)
      unsafe converter.deallocate()
      for index in packets.indices { unsafe packets[index].deallocate() }
      unsafe packets.deallocate()
    }
    let renderer = Renderer(sampleRate: rate, outputChannels: 2)
    unsafe renderer.addCallback(pullPackets, context: playback)
    var output = OfflineOutput(renderer: renderer)
    while unsafe !playback.pointee.hasEnded { output.render(frameCount: period) { _, _ in } }
    let expected = Double(keeper.packets.count * 1152) * rate / 44100
    #expect(unsafe abs(Double(playback.pointee.frames) - expected) <= 1)
    #expect(unsafe playback.pointee.starvedCycles > 10)
  }
}
