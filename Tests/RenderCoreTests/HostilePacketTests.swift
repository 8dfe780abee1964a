// SPDX-License-Identifier: MIT

import AudioModel
import Glibc
import Testing

@testable import RenderCore

/// Each packet ends at an inaccessible page, so a read of one byte too many ends the test process.
@Suite("Packets of any bytes and any size")
struct HostilePacketTests {
  private static var formats: [AudioStreamBasicDescription] {
    var formats: [AudioStreamBasicDescription] = []
    let flagSets: [AudioFormatFlags] = [
      [], .signedInteger, .bigEndian, [.signedInteger, .bigEndian, .alignedHigh], .float,
      [.float, .bigEndian],
    ]
    for flags in flagSets {
      for bytes in [UInt32(1), 2, 3, 4, 8] where !flags.contains(.float) || bytes > 3 {
        for bits in Set([bytes * 8, flags.contains(.float) ? bytes * 8 : bytes * 8 - 3]) {
          for channels in [UInt32(1), 2, 7] {
            formats.append(
              .linearPCM(
                sampleRate: 44100, channels: channels, bitsPerChannel: bits,
                bytesPerSample: bytes, flags: flags))
          }
        }
      }
    }
    for channels in [UInt32(1), 2, 5] {
      formats.append(.constant(.aLaw, channels: channels, bytes: channels, frames: 1))
      formats.append(.constant(.muLaw, channels: channels, bytes: channels, frames: 1))
      formats.append(.constant(.appleIMA4, channels: channels, bytes: 34 * channels, frames: 64))
      for codes in [UInt32(0), 1, 4, 15, 252] {
        formats.append(
          .constant(
            .waveIMAADPCM, channels: channels, bytes: (4 + codes) * channels,
            frames: codes * 2 + 1))
        guard channels <= 2 else { continue }
        formats.append(
          .constant(
            .microsoftADPCM, channels: channels, bytes: (7 + codes) * channels,
            frames: codes * 2 + 2))
      }
    }
    return formats
  }

  @Test("Decoders never read beyond random packets, and return no more frames than stated")
  func random() throws {
    var random = LinearCongruential(state: 2_026)
    let page = 4096
    let byteCount = 8 * page
    let memory = try unsafe #require(
      mmap(nil, byteCount + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    defer { unsafe munmap(memory, byteCount + page) }
    #expect(unsafe mprotect(memory + byteCount, page, PROT_NONE) == 0)
    for index in 0..<byteCount {
      unsafe memory.storeBytes(of: random.next(), toByteOffset: index, as: UInt8.self)
    }
    let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    for format in Self.formats {
      let decoder = unsafe try PacketDecoder(
        CodedStreamDescription(format: format), firstPacket: none)
      let sizes =
        [0, 1, 2, 3, 5, 33, 34, 35, byteCount] + (0..<12).map { _ in Int(random.next()) * 37 }
      for size in sizes {
        for frames in [0, 1, 63, 1024, 100_000] {
          let output = unsafe decoder.decode(
            FilledPacket(
              bytes: UnsafeRawPointer(memory + (byteCount - size)), byteCount: size,
              frameCount: frames, trimStartFrames: 0, trimEndFrames: 0))
          #expect(output.frames >= 0 && output.frames <= frames)
          let count = output.frames * Int(format.channelsPerFrame)
          // Reads every sample, so that a sanitized build reports one that does not exist.
          let isFilled = (0..<count).reduce(true) {
            unsafe $0 && output.samples[$1].bitPattern >= 0
          }
          #expect(isFilled)
        }
      }
    }
  }
}

/// A generator with a seed (the constants of Knuth's MMIX).
private struct LinearCongruential {
  var state: UInt64

  mutating func next() -> UInt8 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt8(truncatingIfNeeded: state >> 56)
  }
}
