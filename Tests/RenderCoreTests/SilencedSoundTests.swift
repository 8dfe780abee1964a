// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import RenderCore

/// libmpg123 returns no error for these packets.
@Suite("MPEG audio that libmpg123 replaces by zeros")
struct SilencedSoundTests {
  private static let damagedFiles = [
    "mp3-cbr128-44100-2.mp3", "mp3-vbr2-44100-2.mp3", "mp3-joint-44100-2.mp3",
    "mp3-mono-44100-1.mp3", "mp3-crc-44100-2.mp3", "mp3-cbr-22050-2.mp3", "mp3-cbr-16000-1.mp3",
    "mp3-cbr-8000-1.mp3", "mp2-192-44100-2.mp2", "mp2-22050-2.mp2", "mp2-mono-48000-1.mp2",
    "mp1-384-44100-2.mp1", "mp1-mono-48000-1.mp1",
  ]

  /// Writes an unsigned number into a packet, bit by bit.
  private static func write(
    _ value: Int, at place: Int, count: Int, into packet: inout [UInt8]
  ) {
    for bit in 0..<count {
      let (byte, mask) = ((place + bit) / 8, UInt8(0x80) >> UInt8((place + bit) % 8))
      packet[byte] &= ~mask
      if value >> (count - 1 - bit) & 1 == 1 { packet[byte] |= mask }
    }
  }

  /// Changes a packet so that it states more bits than it can have.
  private static func overstate(_ packet: inout [UInt8]) {
    let start = packet[1] & 1 == 0 ? 48 : 32
    guard packet[1] & 0b110 == 0b010 else {
      for byte in start / 8..<start / 8 + 16 { packet[byte] = 0xEE }
      return
    }
    let isMPEG1 = packet[1] & 0b11000 == 0b11000
    let channels = packet[3] >> 6 == 3 ? 1 : 2
    let head =
      isMPEG1 ? 9 + (channels == 1 ? 5 : 3) + 4 * channels : 8 + (channels == 1 ? 1 : 2)
    for part in 0..<(isMPEG1 ? 2 : 1) * channels {
      write(4095, at: start + head + part * (isMPEG1 ? 59 : 63), count: 12, into: &packet)
    }
  }

  @Test("Packets that state more bits than there are count as not decoded", arguments: damagedFiles)
  func overstated(_ name: String) throws {
    var stream = ParsedStream(Fixtures.path(name))
    let damaged = [20, 21, stream.packets.count / 2]
    for index in damaged { Self.overstate(&stream.packets[index].bytes) }
    let sound = try stream.decoded()
    #expect(sound.failed == damaged)
    #expect(sound.framesOfPackets.allSatisfy { $0 == stream.packets[0].frames })
  }

  @Test("A packet whose main data would begin before the stream counts as not decoded")
  func missingReservoir() throws {
    var stream = ParsedStream(Fixtures.path("mp3-cbr128-44100-2.mp3"))
    Self.write(511, at: 32, count: 9, into: &stream.packets[1].bytes)
    #expect(try stream.decoded().failed == [1])
  }

  @Test("Pairs of values in code 0 are zeros, those in other codes are not")
  func codeZero() {
    let silence = [Float](repeating: 0, count: 1152)
    for (place, code) in [(0, 0), (34, 1), (39, 4), (44, 16)] {
      // Layer III of MPEG-1, mono, without a check: side information of 17 bytes.
      var packet: [UInt8] = [0xFF, 0xFB, 0x90, 0xC0] + [UInt8](repeating: 0, count: 413)
      let granule = 32 + 9 + 5 + 4
      Self.write(10, at: granule + 12, count: 9, into: &packet)
      if code > 0 { Self.write(code, at: granule + place, count: 5, into: &packet) }
      var silenced = SilencedSound()
      let isWhole = unsafe packet.withUnsafeBytes { bytes in
        unsafe silence.withUnsafeBufferPointer { samples in
          unsafe silenced.isWhole(
            bytes.baseAddress!, byteCount: bytes.count, samples: samples.baseAddress!,
            frames: 1152, channels: 1)
        }
      }
      #expect(isWhole == (code == 0))
    }
  }

  @Test("Every packet of undamaged files counts as decoded", arguments: Fixtures.mpegAudio)
  func undamaged(_ name: String) throws {
    // Only a track's reader knows the size of packets in free format.
    guard name != "mp3-free-44100-2.mp3" else { return }
    let stream = ParsedStream(Fixtures.path(name))
    #expect(!stream.packets.isEmpty)
    #expect(try stream.decoded().failed == [])
  }

  @Test(
    "All packets of silence, single clicks, cancelling channels and tones of 17 kHz count as decoded",
    arguments: [
      "synth 0.001 square 1000 pad 0.3 0.4 repeat 6", "synth 1 pinknoise pad 0.31 0.77 repeat 2",
      "synth 2 pinknoise remix 1 1i", "synth 2 sine 17000 gain -6", "synth 2 sine 40 gain -70",
      "trim 0 2",
    ], ["-b 320", "-b 128 -m j", "-V 6", "-b 32 --resample 16", "-b 8 -m m --resample 8"])
  func silence(_ effects: String, _ options: String) throws {
    let workshop = Workshop()
    try workshop.run("sox -R -D -n -r 44100 -c 2 -b 16 in.wav \(effects)")
    try workshop.run("lame --quiet \(options) in.wav out.mp3")
    let stream = ParsedStream(workshop.path("out.mp3"))
    #expect(!stream.packets.isEmpty)
    #expect(try stream.decoded().failed == [])
  }

  @Test(
    "The first packets of a decoder that begins in the middle of a stream count as decoded",
    arguments: ["mp3-cbr128-44100-2.mp3", "mp3-vbr2-44100-2.mp3", "mp3-cbr-8000-1.mp3"])
  func middle(_ name: String) throws {
    let whole = ParsedStream(Fixtures.path(name))
    for first in 20..<40 {
      var stream = whole
      stream.packets.removeFirst(first)
      #expect(try stream.decoded().failed == [])
    }
  }
}
