// SPDX-License-Identifier: MIT

import AudioModel
import PacketDecoders
import TestKit
import Testing

@Suite("Damaged packets decoded ahead", .enabled(if: AheadCodec.library(for: .mpeg4AAC) != nil))
struct DamageTests {
  @Test(
    "Damage neither shifts the time axis nor outlasts the pre-roll", arguments: CodedSample.allCases
  )
  func everyTenth(_ sample: CodedSample) throws {
    let whole = try #require(CodedSample.made[sample])
    let wanted = try whole.decode()
    var file = whole
    var numbers = SeededNumbers(7)
    var empty: [Int] = []
    for index in stride(from: 5, to: file.packets.count, by: 10) {
      let packet = file.packets[index]
      switch index / 10 % 3 {
      case 0: file.packets[index] = numbers.bytes(packet.count)
      case 1: file.packets[index] = Array(packet.prefix(packet.count / 2))
      default:
        file.packets[index] = []
        empty.append(index)
      }
    }
    let decoded = try file.decode()
    #expect(decoded.format == wanted.format)
    #expect(decoded.outputs.map(\.frames) == wanted.outputs.map(\.frames))
    #expect(empty.allSatisfy { !decoded.outputs[$0].isDecoded })
    let preRoll = file.stream.format.formatID.packetsRemembered
    for index in file.packets.indices where !decoded.outputs[index].isDecoded {
      #expect((index - preRoll...index).contains { $0 % 10 == 5 }, "packet \(index) is whole")
    }
    guard sample.isRepeatable else { return }
    for index in file.packets.indices
    where !(index - preRoll...index).contains(where: { $0 % 10 == 5 }) {
      #expect(
        decoded.samples(ofPacket: index) == wanted.samples(ofPacket: index), "packet \(index)")
    }
  }

  @Test("Damaged lossless packets are detected")
  func checksums() throws {
    var file = try #require(CodedSample.made[.flac])
    for index in file.packets.indices { file.packets[index][file.packets[index].count / 2] ^= 0x10 }
    let decoded = try file.decode()
    #expect(decoded.outputs.allSatisfy { !$0.isDecoded })
    #expect(decoded.samples.allSatisfy { $0 == 0 })
  }

  @Test("Packets of random bytes are harmless", arguments: CodedSample.allCases)
  func hostilePackets(_ sample: CodedSample) throws {
    let file = try #require(CodedSample.made[sample])
    let decoder = try AheadDecoder(file.stream)
    var numbers = SeededNumbers(sample.seed)
    for _ in 0..<1700 {
      let source = file.packets[Int.random(in: 0..<file.packets.count, using: &numbers)]
      var packet: [UInt8]
      if Bool.random(using: &numbers) {
        packet = source
        for _ in 0..<Int.random(in: 1...8, using: &numbers) where !packet.isEmpty {
          packet[Int.random(in: 0..<packet.count, using: &numbers)] = numbers.bytes(1)[0]
        }
      } else {
        packet = numbers.bytes(Int.random(in: 0...600, using: &numbers))
        if Bool.random(using: &numbers) { packet = Array(source.prefix(8)) + packet }
      }
      let rate = decoder.outputFormat.sampleRate
      let output = decoder.decode(packet.span, frameCount: 256)
      let frames = 256 * decoder.outputFormat.sampleRate / file.stream.format.sampleRate
      let count = decoder.samples.count
      let isRight =
        abs(Double(output.frames) - frames) < 1
        && (output.changesFormat || decoder.outputFormat.sampleRate == rate)
        && count == output.frames * Int(decoder.outputFormat.channelsPerFrame)
      if !isRight { Issue.record("packet \(packet) gives \(output)") }
      if Int.random(in: 0..<50, using: &numbers) == 0 { decoder.reset() }
    }
  }

  @Test("Cookies of random bytes are refused or harmless", arguments: CodedSample.allCases)
  func hostileCookies(_ sample: CodedSample) throws {
    let file = try #require(CodedSample.made[sample])
    var numbers = SeededNumbers(sample.seed)
    for _ in 0..<2000 {
      var stream = file.stream
      if Bool.random(using: &numbers), !stream.magicCookie.isEmpty {
        for _ in 0..<Int.random(in: 1...4, using: &numbers) {
          let place = Int.random(in: 0..<min(200, stream.magicCookie.count), using: &numbers)
          stream.magicCookie[place] = numbers.bytes(1)[0]
        }
      } else {
        stream.magicCookie = numbers.bytes(Int.random(in: 0...200, using: &numbers))
      }
      guard let decoder = try? AheadDecoder(stream) else { continue }
      for packet in file.packets.prefix(2) {
        _ = decoder.decode(packet.span, frameCount: 64)
        let count = decoder.samples.count
        if count > 1 << 24 { Issue.record("cookie \(stream.magicCookie) gives \(count) samples") }
      }
    }
  }
}

extension CodedSample {
  /// Whether the same packets always decode to the same samples, because the codec has no noise.
  fileprivate var isRepeatable: Bool {
    switch self {
    case .aac, .adts, .appleLossless, .flac, .vorbis, .layer2, .layer3: true
    case .heAAC, .heAACv2, .ac3, .enhancedAC3, .opus: false
    }
  }
}
