// SPDX-License-Identifier: MIT

import AudioModel
import CRealtimeScope
import OfflineOutput
import PlayerEngine
import RenderCore
import TestKit
import Testing

/// The codecs of the callback in the render scope: see ``RenderPathTests``.
@Suite("Real-time decoding of every codec of the callback", .serialized)
struct CallbackCodecTests {
  /// Ten minutes under the sanitizer, long enough for rare events; otherwise long enough to run the path.
  private static let seconds = drawbar_realtime_is_checked() == 1 ? 600 : 30

  /// A command that makes a file of `seconds` from `in.wav`, with its format and rate.
  struct Recipe: CustomStringConvertible {
    let format: AudioFormatID
    let rate: Int
    let command: String

    init(_ format: AudioFormatID, _ rate: Int, _ command: String) {
      self.format = format
      self.rate = rate
      self.command = command
    }

    var description: String { command }

    static let all = [
      // Frames of layer I are independent, so a file of three seconds is repeated.
      Recipe(
        .mpegLayer1, 44100,
        "for i in $(seq \(CallbackCodecTests.seconds / 3 + 1)); "
          + "do cat \(Fixtures.path("mp1-384-44100-2.mp1")); done >out"),
      Recipe(.mpegLayer2, 44100, "twolame --quiet -b 192 in.wav out"),
      Recipe(.mpegLayer3, 44100, "lame --quiet -q 7 -V 2 in.wav out"),
      Recipe(.flac, 44100, "flac -s -8 -o out in.wav"),
      Recipe(.opus, 48000, "opusenc --quiet --comp 3 in.wav out"),
      Recipe(.linearPCM, 44100, "cp in.wav out"),
      Recipe(.linearPCM, 22050, ffmpeg("pcm_s24be", "aiff")),
      Recipe(.linearPCM, 8000, ffmpeg("pcm_s64le", "wav")),
      Recipe(.linearPCM, 8000, ffmpeg("pcm_f64be", "caf")),
      Recipe(.aLaw, 22050, ffmpeg("pcm_alaw", "wav")),
      Recipe(.muLaw, 22050, ffmpeg("pcm_mulaw", "au")),
      Recipe(.appleIMA4, 22050, ffmpeg("adpcm_ima_qt", "aiff")),
      Recipe(.waveIMAADPCM, 22050, ffmpeg("adpcm_ima_wav", "wav")),
      Recipe(.microsoftADPCM, 22050, ffmpeg("adpcm_ms", "wav")),
    ]

    private static func ffmpeg(_ encoder: String, _ container: String) -> String {
      "ffmpeg -nostdin -v error -i in.wav -c:a \(encoder) -f \(container) out"
    }
  }

  /// Tones, noise that comes and goes, and silence, five times.
  private static let sound =
    "synth \(seconds / 5) pinknoise brownnoise synth \(seconds / 5) sine amod 0.3 sine amod 0.2 "
    + "gain -3 repeat 4"

  @Test(
    "Ten minutes run clean under the sanitizer, from the first packet to the end",
    arguments: Recipe.all)
  func tenMinutes(_ recipe: Recipe) throws {
    guard CallbackCodec.library(for: recipe.format) != nil else { return }
    let folder = TemporaryDirectory()
    let rate = recipe.rate
    _ = ReferenceDecoder.output(
      """
      cd '\(folder.path)' && exec 2>&1 &&
      sox -R -D -V1 -n -r \(rate) -b 16 -c 2 in.wav \(Self.sound) && \(recipe.command) && rm in.wav
      """)
    let reader = try TrackReader(opening: folder.file("out"))
    #expect(try reader.readInformation().dataFormat.formatID == recipe.format)
    let renderer = Renderer(sampleRate: Double(rate), outputChannels: 2)
    var output = OfflineOutput(renderer: renderer)
    let player = SteppedPlayer(
      opened: reader, locations: [], renderer: renderer, configuration: PlayerConfiguration()
    ) { _ in }
    while player.step(mayWait: true) != .finished {
      guard player.state == .playing, player.isBufferReady else { continue }
      output.render(frameCount: 1024) { _, _ in }
    }
    #expect(player.state == .ended)
    #expect(player.control.counters.failedPackets == 0)
    // If the file does not state its length, the rest of the last packet plays, too.
    let frames = Int(player.control.position.outputFrames)
    let sounding = Self.seconds * rate
    let most = sounding + (recipe.format == .mpegLayer1 ? 3 * rate : 6000)
    #expect((sounding..<most).contains(frames))
  }

  @Test("FLAC frames larger than the stream's own allocate nothing")
  func largerFrames() throws {
    guard CallbackCodec.library(for: .flac) != nil else { return }
    let own = try flacFrame(channels: 2, bits: 16, options: "-b 4096 -r 3", frames: 4096)
    let packets = try [
      own.frame,
      flacFrame(channels: 8, bits: 24, options: "-b 32768 -r 15", frames: 32768).frame,
      flacFrame(channels: 8, bits: 16, options: "-b 65535", frames: 65535).frame,
      flacFrame(channels: 2, bits: 32, options: "-b 65535 -8", frames: 65535).frame,
      own.frame,
    ]
    let format = AudioStreamBasicDescription(
      sampleRate: 44100, formatID: .flac, framesPerPacket: 4096, channelsPerFrame: 2)
    let failed = try failures(
      of: packets, frames: 4096,
      in: CodedStreamDescription(format: format, magicCookie: own.streamInfo))
    #expect(failed == 3)
  }

  @Test("Opus packets that are lost or damaged allocate nothing")
  func damagedOpus() throws {
    guard CallbackCodec.library(for: .opus) != nil else { return }
    let header: [UInt8] =
      Array("OpusHead".utf8) + [1, 2, 0, 0, 0x80, 0xBB, 0, 0, 0, 0, 0]
    let format = AudioStreamBasicDescription(
      sampleRate: 48000, formatID: .opus, framesPerPacket: 960, channelsPerFrame: 2)
    // 20 ms of any bits; two frames in an odd number of bytes; 48 frames in one packet.
    let any = (0..<100).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }
    let packets: [[UInt8]] = [
      [0xFC] + any, [0xFD] + any + [1], [0xFC] + any, [0xFF, 48, 1, 2], [0x0C] + any,
    ]
    let failed = try failures(
      of: packets, frames: 960, in: CodedStreamDescription(format: format, magicCookie: header))
    #expect(failed == 1 || failed == 2)
  }

  /// Renders the packets, and returns the number of those that were not decoded.
  private func failures(
    of packets: [[UInt8]], frames: Int, in stream: CodedStreamDescription
  ) throws -> UInt64 {
    let renderer = Renderer(sampleRate: stream.format.sampleRate, outputChannels: 2)
    let source = renderer.addSource()
    var feed = source.feed
    var output = OfflineOutput(renderer: renderer)
    source.control.mode = .play
    for (index, packet) in packets.enumerated() {
      let metadata = PacketMetadata(
        flushSerial: 0, packetIndex: Int64(index), firstFrame: Int64(index * frames),
        frameCount: Int32(frames), trimStartFrames: 0, trimEndFrames: 0, byteOffset: 0,
        durationNanoseconds: 20_000_000)
      let isTaken = try unsafe packet.withUnsafeBytes { bytes in
        if index == 0 {
          _ = try unsafe feed.beginStream(stream, firstPacket: bytes, joinsPrevious: false)
        }
        return unsafe feed.write(packet: bytes, metadata: metadata)
      }
      #expect(isTaken)
      output.render(frameCount: frames) { _, _ in }
    }
    #expect(source.control.position.outputFrames == UInt64(packets.count * frames))
    return source.control.counters.failedPackets
  }

  /// Returns a FLAC file's single frame, and its stream information.
  private func flacFrame(
    channels: Int, bits: Int, options: String, frames: Int
  ) throws -> (streamInfo: [UInt8], frame: [UInt8]) {
    let folder = TemporaryDirectory()
    let tones = (0..<channels).map { " sine \(300 + 100 * $0)" }.joined()
    _ = ReferenceDecoder.output(
      """
      cd '\(folder.path)' && exec 2>&1 &&
      sox -R -D -V1 -r 44100 -n -b \(bits) -c \(channels) in.wav \
      synth \(frames)s\(tones) gain -40 &&
      flac -s --lax --no-padding \(options) -o out.flac in.wav
      """)
    let bytes = contents(ofFile: folder.file("out.flac"))
    try #require(bytes.count > 42)
    var place = 4
    var isLast = false
    while !isLast {
      isLast = bytes[place] & 0x80 != 0
      place += 4 + Int(bytes[place + 1]) << 16 + Int(bytes[place + 2]) << 8 + Int(bytes[place + 3])
    }
    return (Array(bytes[8..<42]), Array(bytes[place...]))
  }
}
