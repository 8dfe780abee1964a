// SPDX-License-Identifier: MIT

import AudioModel
import TestKit
import Testing

@testable import RenderCore

@Suite("FLAC in the callback", .enabled(if: CallbackCodec.library(for: .flac) != nil))
struct FLACDecoderTests {
  /// A test file: the format that sox produces, and the command that encodes it.
  struct Recipe: CustomTestStringConvertible, Sendable {
    var bits: Int
    var channels: Int
    var rate = 44100
    var encode: String
    var testDescription: String { "\(bits) bits, \(channels) channels, \(rate) Hz: \(encode)" }
  }

  private static let flac = "flac -s -f --lax -o out"

  static let recipes: [Recipe] =
    [8, 16, 24, 32].flatMap { bits in
      [1, 2, 6].flatMap { channels in
        ["-0", "-8"].map {
          Recipe(bits: bits, channels: channels, encode: "\(flac).flac \($0) in.wav")
        }
      }
    }
    + [16, 192, 255, 1000, 4608, 16384, 32768, 65535].map {
      Recipe(bits: 16, channels: 2, encode: "\(flac).flac -b \($0) -r 15 in.wav")
    } + [
      Recipe(bits: 24, channels: 8, rate: 96000, encode: "\(flac).flac -5 in.wav"),
      Recipe(bits: 16, channels: 2, rate: 8000, encode: "\(flac).oga --ogg -5 in.wav"),
      Recipe(bits: 24, channels: 2, rate: 192_000, encode: "\(flac).flac -5 -r 14 in.wav"),
      Recipe(bits: 16, channels: 2, encode: "ffmpeg -v error -i in.wav -c:a flac out.flac"),
      Recipe(
        bits: 24, channels: 6, rate: 48000, encode: "ffmpeg -v error -i in.wav -c:a flac out.flac"),
      Recipe(
        bits: 16, channels: 2,
        encode: "ffmpeg -v error -i in.wav -c:a flac -strict -2 -movflags +faststart out.mp4"),
      Recipe(bits: 16, channels: 1, encode: "ffmpeg -v error -i in.wav -c:a flac out.oga"),
    ]

  /// Makes a file of three seconds: silence, a tone, and different noise in each channel.
  private func made(_ recipe: Recipe) throws -> (folder: TemporaryDirectory, path: String) {
    let folder = TemporaryDirectory()
    let noise = String(repeating: " pinknoise", count: recipe.channels)
    let tone = String(repeating: " sine 997", count: recipe.channels)
    let sox = "sox -R -D -V1 -n -r \(recipe.rate) -b \(recipe.bits) -c \(recipe.channels)"
    let name = recipe.encode.split(separator: " ").first { $0.hasPrefix("out.") }
    _ = ReferenceDecoder.output(
      """
      cd '\(folder.path)' && exec 2>&1 && \(sox) tone.wav synth 1\(tone) gain -0.1 pad 0.5 0 &&
      \(sox) noise.wav synth 1.5\(noise) gain -3 && sox -D -V1 tone.wav noise.wav in.wav &&
      \(recipe.encode)
      """)
    return (folder, folder.file(String(try #require(name))))
  }

  /// Returns the samples that flac decodes, or ffmpeg for MP4 files, which flac cannot read.
  private func reference(_ path: String, bits: Int) -> [Float] {
    let raw =
      path.hasSuffix(".mp4")
      ? ReferenceDecoder.output("ffmpeg -v error -i '\(path)' -f s\(bits)le -")
      : ReferenceDecoder.output(
        "flac -d -s -c --force-raw-format --endian=little --sign=signed '\(path)'")
    return ReferenceDecoder.samples(raw, bits: bits)
  }

  @Test("Every sample equals flac's", arguments: recipes)
  func whole(_ recipe: Recipe) throws {
    let (folder, path) = try made(recipe)
    defer { withExtendedLifetime(folder) {} }
    let parsed = ParsedStream(path)
    #expect(parsed.failure == nil)
    #expect(parsed.stream.format.channelsPerFrame == recipe.channels)
    let sound = try parsed.decoded()
    let expected = reference(path, bits: recipe.bits)
    #expect(sound.failed == [])
    #expect(expected.count == 3 * recipe.rate * recipe.channels)
    let isSame = sound.samples == expected
    #expect(isSame)
  }

  @Test("A damaged packet is silence of its length, and the next ones are whole")
  func damaged() throws {
    let recipe = Recipe(bits: 16, channels: 2, encode: "\(Self.flac).flac -8 in.wav")
    let (folder, path) = try made(recipe)
    defer { withExtendedLifetime(folder) {} }
    var parsed = ParsedStream(path)
    let whole = try parsed.decoded()
    let good = parsed.packets
    parsed.packets[12].bytes[100] ^= 1
    parsed.packets[14].bytes[0] = 0
    parsed.packets[16].bytes.removeLast(parsed.packets[16].bytes.count / 2)
    parsed.packets[18].bytes = []
    parsed.packets[20].bytes = Array(repeating: 0x55, count: 1000)
    // A frame of another stream: five channels' header.
    parsed.packets[22].bytes[3] = parsed.packets[22].bytes[3] & 0x0F | 0x40
    // A byte that does not belong to the frame precedes it.
    parsed.packets[24].bytes = [0x12] + good[24].bytes
    let sound = try parsed.decoded()
    #expect(sound.failed == [12, 14, 16, 18, 20, 22, 24])
    #expect(sound.framesOfPackets == whole.framesOfPackets)
    var place = 0
    for (index, frames) in whole.framesOfPackets.enumerated() {
      let range = 2 * place..<2 * (place + frames)
      if sound.failed.contains(index) {
        #expect(sound.samples[range].allSatisfy { $0 == 0 })
      } else {
        let isSame = sound.samples[range] == whole.samples[range]
        #expect(isSame, "packet \(index)")
      }
      place += frames
    }
  }

  @Test("A frame of another rate or channel count is silence")
  func foreign() throws {
    let stereo = try made(Recipe(bits: 16, channels: 2, encode: "\(Self.flac).flac in.wav"))
    let mono = try made(Recipe(bits: 16, channels: 1, encode: "\(Self.flac).flac in.wav"))
    let slow = try made(
      Recipe(bits: 16, channels: 2, rate: 48000, encode: "\(Self.flac).flac in.wav"))
    defer { withExtendedLifetime((stereo.folder, mono.folder, slow.folder)) {} }
    var parsed = ParsedStream(stereo.path)
    parsed.packets[5] = ParsedStream(mono.path).packets[5]
    parsed.packets[7] = ParsedStream(slow.path).packets[7]
    #expect(try parsed.decoded().failed == [5, 7])
  }

  @Test("The cookie may be bare, in its block, in a file's start or in dfLa; more may follow")
  func cookies() throws {
    let (folder, path) = try made(
      Recipe(bits: 16, channels: 2, encode: "\(Self.flac).flac in.wav"))
    defer { withExtendedLifetime(folder) {} }
    var parsed = ParsedStream(path)
    let bare = parsed.stream.magicCookie
    #expect(bare.count == 34)
    let whole = try parsed.decoded().samples
    let box: [UInt8] = [0, 0, 0, 50] + Array("dfLa".utf8) + [0, 0, 0, 0]
    for cookie in [
      bare + [1, 2, 3], [0, 0, 0, 34] + bare, [0x80, 0, 0, 34] + bare,
      Array("fLaC".utf8) + [0, 0, 0, 34] + bare + [4, 0, 0, 0], box + [0x80, 0, 0, 34] + bare,
    ] {
      parsed.stream.magicCookie = cookie
      let isSame = try parsed.decoded().samples == whole
      #expect(isSame)
    }
    // Block sizes of 0 are unknown ones.
    parsed.stream.magicCookie = [0, 0, 0, 0] + Array(bare.dropFirst(4))
    let isSame = try parsed.decoded().samples == whole
    #expect(isSame)
  }

  @Test("Without a cookie, blocks may be larger than the container states")
  func largerBlocks() throws {
    let (folder, path) = try made(
      Recipe(bits: 16, channels: 2, encode: "\(Self.flac).flac in.wav"))
    defer { withExtendedLifetime(folder) {} }
    var parsed = ParsedStream(path)
    let whole = try parsed.decoded()
    parsed.stream.magicCookie = []
    parsed.stream.format.framesPerPacket -= 2
    let sound = try parsed.decoded()
    #expect(sound.failed.isEmpty)
    let isSame = sound.samples == whole.samples
    #expect(isSame)
  }

  @Test("Impossible cookies are refused, whatever they contain")
  func hostileCookies() throws {
    var generator = SeededGenerator(seed: 1)
    var refused = 0
    for _ in 0..<2000 {
      var cookie = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      if Bool.random(using: &generator) { cookie = Array("fLaC".utf8) + [0, 0, 0, 34] + cookie }
      let format = AudioStreamBasicDescription(
        sampleRate: 44100, formatID: .flac,
        channelsPerFrame: UInt32.random(in: 0...9, using: &generator))
      do throws(AudioConverterError) {
        _ = try ParsedStream.decoder(
          CodedStreamDescription(format: format, magicCookie: cookie), first: [])
      } catch {
        guard case .magicCookieRefused = error else {
          Issue.record("\(error)")
          return
        }
        refused += 1
      }
    }
    #expect(refused > 1000)
  }

  @Test("The decoder survives packets of any bytes, and decodes the stream behind them")
  func hostilePackets() throws {
    let (folder, path) = try made(
      Recipe(bits: 16, channels: 2, encode: "\(Self.flac).flac -5 in.wav"))
    defer { withExtendedLifetime(folder) {} }
    let parsed = ParsedStream(path)
    let decoder = try ParsedStream.decoder(parsed.stream, first: parsed.packets[0].bytes)
    let whole = ParsedStream.decode(parsed.packets[20], decoder, channels: 2)
    var generator = SeededGenerator(seed: 2)
    for turn in 0..<100_000 {
      let packet = generator.mangled(
        parsed.packets[turn % parsed.packets.count].bytes, header: [0xFF, 0xF8])
      let frames = Int.random(in: 0...10_000, using: &generator)
      let result = ParsedStream.decode(
        ParsedStream.Packet(bytes: packet, frames: frames), decoder, channels: 2)
      if result.samples.count > 2 * frames { Issue.record("\(turn): more frames than asked for") }
    }
    let again = ParsedStream.decode(parsed.packets[20], decoder, channels: 2)
    #expect(again.isDecoded)
    let isSame = again.samples == whole.samples
    #expect(isSame)
  }
}
