// SPDX-License-Identifier: MIT

import AudioModel
import Glibc
import TestKit
import Testing

@testable import RenderCore

@Suite("Opus in the callback", .enabled(if: CallbackCodec.library(for: .opus) != nil))
struct OpusDecoderTests {
  /// A test file: its channels, and the command that encodes it.
  struct Recipe: CustomTestStringConvertible, Sendable {
    var channels: Int
    var encode: String
    var testDescription: String { "\(channels) channels: \(encode)" }
  }

  private static let ffmpeg = "ffmpeg -v error -i in.wav -c:a libopus"

  static let recipes: [Recipe] =
    ["2.5", "5", "10", "20", "40", "60"].map {
      Recipe(channels: 2, encode: "opusenc --quiet --framesize \($0) in.wav out.opus")
    }
    + ["80", "100", "120"].map {
      Recipe(channels: 2, encode: "\(ffmpeg) -frame_duration \($0) out.opus")
    } + [
      Recipe(channels: 1, encode: "opusenc --quiet --bitrate 6 in.wav out.opus"),
      Recipe(channels: 1, encode: "opusenc --quiet --bitrate 16 --speech in.wav out.opus"),
      Recipe(channels: 1, encode: "\(ffmpeg) -b:a 12k -application voip out.opus"),
      Recipe(channels: 2, encode: "opusenc --quiet --bitrate 24 in.wav out.opus"),
      Recipe(channels: 2, encode: "opusenc --quiet --bitrate 500 --hard-cbr in.wav out.opus"),
      Recipe(
        channels: 2, encode: "opusenc --quiet --bitrate 96 --discard-comments in.wav out.opus"),
      Recipe(channels: 3, encode: "opusenc --quiet in.wav out.opus"),
      Recipe(channels: 6, encode: "opusenc --quiet --bitrate 320 in.wav out.opus"),
      Recipe(channels: 8, encode: "opusenc --quiet in.wav out.opus"),
      Recipe(channels: 6, encode: "\(ffmpeg) -mapping_family 255 out.opus"),
      Recipe(channels: 2, encode: "\(ffmpeg) -strict -2 -movflags +faststart out.mp4"),
      Recipe(channels: 6, encode: "\(ffmpeg) -strict -2 -movflags +faststart out.mp4"),
    ]

  /// Makes a file of three seconds of a tone and noise, different in each channel.
  private func made(_ recipe: Recipe) throws -> (folder: TemporaryDirectory, path: String) {
    let folder = TemporaryDirectory()
    let sounds = (0..<recipe.channels).map { " sine \(200 + 150 * $0) pinknoise" }.joined()
    let mix = (0..<recipe.channels).map { " \(2 * $0 + 1)v0.4,\(2 * $0 + 2)v0.2" }.joined()
    let name = recipe.encode.split(separator: " ").first { $0.hasPrefix("out.") }
    _ = ReferenceDecoder.output(
      """
      cd '\(folder.path)' && exec 2>&1 && sox -R -D -V1 -n -r 48000 -b 16 in.wav \
      synth 3\(sounds) remix\(mix) && \(recipe.encode)
      """)
    return (folder, folder.file(String(try #require(name))))
  }

  /// Returns libopus' output by way of ffmpeg, from the first packet on, in the stream's order of channels.
  private func reference(_ path: String, channels: Int) -> [Float] {
    let file = path.hasSuffix(".mp4") ? "-ignore_editlist 1 -i '\(path)'" : "-i '\(path)'"
    let raw = ReferenceDecoder.output(
      "ffmpeg -v error -flags2 +skip_manual -c:a libopus \(file) -f f32le -")
    // ffmpeg changes Vorbis' order of channels to WAVE's.
    let order =
      switch channels {
      case 3: [0, 2, 1]
      case 6: [0, 2, 1, 4, 5, 3]
      case 8: [0, 2, 1, 6, 7, 4, 5, 3]
      default: Array(0..<channels)
      }
    return unsafe raw.withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map {
        let place = $0 / channels * channels + order[$0 % channels]
        return unsafe bytes.loadUnaligned(fromByteOffset: 4 * place, as: Float.self)
      }
    }
  }

  /// Returns the root mean square of the difference over `count` samples, in dBFS; -200 if there is none.
  private func difference(_ one: [Float], _ other: [Float], count: Int) -> Double {
    let squares = (0..<count).reduce(0.0) { sum, index in
      let difference = Double(one[index] - other[index])
      return sum + difference * difference
    }
    return squares == 0 ? -200 : 10 * log10(squares / Double(count))
  }

  @Test("Samples match those of ffmpeg with libopus to within -90 dBFS", arguments: recipes)
  func whole(_ recipe: Recipe) throws {
    let (folder, path) = try made(recipe)
    defer { withExtendedLifetime(folder) {} }
    let parsed = ParsedStream(path)
    #expect(parsed.failure == nil)
    #expect(parsed.stream.format.channelsPerFrame == recipe.channels)
    let sound = try parsed.decoded()
    #expect(sound.failed == [])
    #expect(sound.framesOfPackets == parsed.packets.map(\.frames))
    let expected = reference(path, channels: recipe.channels)
    // ffmpeg may omit the samples that the container trims at the end.
    #expect(sound.samples.count >= expected.count)
    #expect(expected.count > 140_000 * recipe.channels)
    let rms = difference(sound.samples, expected, count: min(sound.samples.count, expected.count))
    #expect(rms < -90)
  }

  @Test("The header's gain is applied")
  func gain() throws {
    let (folder, path) = try made(Recipe(channels: 2, encode: "opusenc --quiet in.wav out.opus"))
    defer { withExtendedLifetime(folder) {} }
    var parsed = ParsedStream(path)
    let plain = try parsed.decoded().samples
    // -6.0206 dB, a half, is -1541 / 256.
    parsed.stream.magicCookie[16] = 0xFB
    parsed.stream.magicCookie[17] = 0xF9
    let halved = try parsed.decoded().samples
    #expect(difference(plain.map { $0 / 2 }, halved, count: plain.count) < -80)
  }

  @Test("A lost or damaged packet is concealed over its length, counted, and the next ones sound")
  func damaged() throws {
    let (folder, path) = try made(Recipe(channels: 2, encode: "opusenc --quiet in.wav out.opus"))
    defer { withExtendedLifetime(folder) {} }
    var parsed = ParsedStream(path)
    let whole = try parsed.decoded()
    // Two frames of equal size cannot fill an odd number of bytes.
    parsed.packets[40].bytes = [parsed.packets[40].bytes[0] & 0xFC | 1, 1, 2, 3]
    parsed.packets[60].bytes = []
    // 48 frames of 20 ms exceed the 120 ms that a packet may last.
    parsed.packets[80].bytes = [0xFF, 48, 1, 2]
    let sound = try parsed.decoded()
    #expect(sound.failed == [40, 60, 80])
    #expect(sound.framesOfPackets == whole.framesOfPackets)
    // Concealment continues the tone; at the end of the file no difference remains.
    for packet in [40, 60, 80] {
      let range = 2 * 960 * packet..<2 * 960 * (packet + 1)
      #expect(sound.samples[range].contains { abs($0) > 0.01 })
    }
    let tail = whole.samples.count - 2 * 960 * 20
    #expect(
      difference(
        Array(sound.samples[tail...]), Array(whole.samples[tail...]),
        count: whole.samples.count - tail) < -60)
  }

  @Test("A packet that sounds longer or shorter than stated is decoded")
  func otherLength() throws {
    let (folder, path) = try made(Recipe(channels: 2, encode: "opusenc --quiet in.wav out.opus"))
    defer { withExtendedLifetime(folder) {} }
    var parsed = ParsedStream(path)
    parsed.packets[3].frames = 700
    parsed.packets[5].frames = 5000
    let sound = try parsed.decoded()
    #expect(sound.failed == [])
    #expect(Array(sound.framesOfPackets[2...6]) == [960, 700, 960, 960, 960])
  }

  @Test("A packet that sounds shorter than others of its stated length is damaged, and concealed")
  func shorterByDamage() throws {
    let (folder, path) = try made(Recipe(channels: 2, encode: "opusenc --quiet in.wav out.opus"))
    defer { withExtendedLifetime(folder) {} }
    var parsed = ParsedStream(path)
    let whole = try parsed.decoded()
    // A packet of zeros lasts 10 ms.
    for index in [30, 31] {
      parsed.packets[index].bytes = [UInt8](repeating: 0, count: parsed.packets[index].bytes.count)
    }
    let sound = try parsed.decoded()
    #expect(sound.failed == [30, 31])
    #expect(sound.framesOfPackets == whole.framesOfPackets)
  }

  @Test("Without a cookie the stream is mono or stereo")
  func noCookie() throws {
    for (channels, isGood) in [(UInt32(1), true), (2, true), (3, false)] {
      let stream = CodedStreamDescription(
        format: AudioStreamBasicDescription(
          sampleRate: 48000, formatID: .opus, channelsPerFrame: channels))
      do throws(AudioConverterError) {
        _ = try ParsedStream.decoder(stream, first: [])
        #expect(isGood)
      } catch {
        #expect(!isGood)
      }
    }
  }

  @Test("Impossible cookies are refused, whatever they contain")
  func hostileCookies() {
    var generator = SeededGenerator(seed: 3)
    var refused = 0
    for turn in 0..<20_000 {
      let channels = UInt32.random(in: 0...20, using: &generator)
      var cookie = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      if turn % 4 > 0 {
        cookie = Array("OpusHead".utf8) + [1, UInt8(channels)] + cookie
        if cookie.count > 20 { cookie[18] = [0, 1, 255, 2].randomElement(using: &generator)! }
        if cookie.count > 20 { cookie[19] &= 0x0F }
        if cookie.count > 20 { cookie[20] &= 0x07 }
      }
      let format = AudioStreamBasicDescription(
        sampleRate: 48000, formatID: .opus, channelsPerFrame: channels)
      do throws(AudioConverterError) {
        _ = try ParsedStream.decoder(
          CodedStreamDescription(format: format, magicCookie: cookie), first: [])
      } catch {
        switch error {
        case .magicCookieRefused, .formatNotSupported: refused += 1
        default: Issue.record("\(error)")
        }
      }
    }
    #expect(refused > 10_000)
  }

  @Test("The decoder survives packets of any bytes", arguments: [1, 2, 6])
  func hostilePackets(_ channels: Int) throws {
    let (folder, path) = try made(
      Recipe(
        channels: channels, encode: "opusenc --quiet --bitrate \(48 * channels) in.wav out.opus"))
    defer { withExtendedLifetime(folder) {} }
    let parsed = ParsedStream(path)
    // Below 16 kbit/s a channel opusenc would mix down.
    try #require(parsed.stream.format.channelsPerFrame == channels)
    let decoder = try ParsedStream.decoder(parsed.stream, first: parsed.packets[0].bytes)
    var generator = SeededGenerator(seed: 4)
    for turn in 0..<33_334 {
      let packet = generator.mangled(
        parsed.packets[turn % parsed.packets.count].bytes, header: [0xFC])
      let frames = Int.random(in: 0...2000, using: &generator)
      let result = ParsedStream.decode(
        ParsedStream.Packet(bytes: packet, frames: frames), decoder, channels: channels)
      if result.samples.count > channels * frames {
        Issue.record("\(turn): more frames than asked for")
      }
    }
    let good = ParsedStream.decode(parsed.packets[20], decoder, channels: channels)
    #expect(good.isDecoded)
  }
}
