// SPDX-License-Identifier: MIT

import AudioModel
import PlayerEngine
import TestKit
import Testing

/// Files with packets of one size, written by several tools, from the file to the samples.
@Suite("Decoding linear PCM, G.711 and ADPCM in every container")
struct EncodedPCMTests {
  /// Two channels of different noise with full 32 bits, and an odd number of frames.
  private static let source =
    "ffmpeg -v error -y -f lavfi -i "
    + "'aevalsrc=1.6*random(1)-0.8|1.4*random(2)-0.7:s=44100:d=0.2,atrim=end_sample=7001' "
    + "-c:a pcm_s32le in.wav </dev/null"

  private static func ffmpeg(_ name: String, _ codecs: String...) -> [String] {
    codecs.map { "ffmpeg -v error -y -i in.wav -c:a \($0) \(name) </dev/null" }
  }

  private static func sox(_ name: String, _ options: String...) -> [String] {
    options.map { "sox -D -V1 in.wav \($0) \(name)" }
  }

  private static func sndfile(_ name: String, _ options: String...) -> [String] {
    options.map { "sndfile-convert \($0) in.wav \(name)" }
  }

  private static let wave =
    ffmpeg(
      "out.wav", "pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_s64le", "pcm_f32le",
      "pcm_f64le", "pcm_alaw", "pcm_mulaw", "adpcm_ima_wav", "adpcm_ms", "pcm_alaw -ac 6",
      "adpcm_ima_wav -ac 1", "adpcm_ms -ac 1", "adpcm_ima_wav -block_size 256",
      "adpcm_ms -block_size 64", "pcm_s24le -rf64 always", "adpcm_ms -rf64 always")
    + sox(
      "out.wav", "-b 8", "-b 24", "-b 32", "-e a-law", "-e mu-law", "-e ima-adpcm",
      "-e ms-adpcm", "-e ima-adpcm -c 1", "-e ms-adpcm -c 1")
    + sndfile(
      "out.wav", "-pcmu8", "-pcm24", "-float64", "-alaw", "-ulaw", "-ima-adpcm", "-ms-adpcm")
    + ffmpeg("out.w64", "pcm_u8", "pcm_s24le", "pcm_f64le", "adpcm_ima_wav", "adpcm_ms")
    + sndfile("out.w64", "-alaw", "-ulaw", "-ms-adpcm")

  private static let aiff =
    ffmpeg(
      "out.aiff", "pcm_s8", "pcm_s16be", "pcm_s24be", "pcm_s32be", "pcm_s16le", "pcm_f32be",
      "pcm_f64be", "pcm_alaw", "pcm_mulaw", "adpcm_ima_qt", "adpcm_ima_qt -ac 1",
      "pcm_mulaw -ac 1")
    + sox("out.aiff", "-b 8", "-b 24", "-b 32")
    + sndfile(
      "out.aif", "-float32", "-float64", "-alaw", "-ulaw", "-pcm24", "-pcm32",
      "-endian=little -pcm16")

  private static let nextSound =
    ffmpeg(
      "out.au", "pcm_s8", "pcm_s16be", "pcm_s24be", "pcm_s32be", "pcm_f32be", "pcm_f64be",
      "pcm_alaw", "pcm_mulaw", "pcm_alaw -ac 5")
    + sox("out.au", "-b 8", "-b 24", "-e floating-point -b 64", "-e mu-law", "-e a-law")
    + sndfile("out.au", "-pcm32", "-float64", "-ulaw", "-alaw")

  private static let coreAudio =
    ffmpeg(
      "out.caf", "pcm_s8", "pcm_s16be", "pcm_s16le", "pcm_s24be", "pcm_s24le", "pcm_s32be",
      "pcm_s32le", "pcm_f32be", "pcm_f32le", "pcm_f64be", "pcm_f64le", "pcm_alaw", "pcm_mulaw",
      "adpcm_ima_qt", "adpcm_ima_qt -ac 1")
    + sndfile("out.caf", "-pcms8", "-pcm24", "-float64", "-ulaw", "-alaw")

  private static let quickTime = ffmpeg(
    "out.mov", "pcm_u8", "pcm_s8", "pcm_s16le", "pcm_s16be", "pcm_s24le", "pcm_s24be", "pcm_s32le",
    "pcm_s32be", "pcm_f32le", "pcm_f32be", "pcm_f64le", "pcm_f64be", "pcm_alaw", "pcm_mulaw",
    "adpcm_ima_qt", "adpcm_ima_qt -movflags +faststart", "adpcm_ms", "adpcm_ima_wav",
    "pcm_s16le -frag_duration 100000 -movflags +empty_moov")

  @Test(
    "Every encoding has ffmpeg's frames, sample for sample",
    arguments: wave + aiff + nextSound + coreAudio + quickTime)
  func samples(_ command: String) throws {
    let folder = TemporaryDirectory()
    make(command, in: folder)
    let name = try #require(
      command.split(separator: " ").last { $0.hasPrefix("out.") }, "no file in \(command)")
    let path = folder.file(String(name))
    try check(path, against: ReferenceDecoder.ffmpeg(path))
  }

  @Test(
    "The little-endian integers of AIFF-C, which ffmpeg does not know, equal libsndfile's",
    arguments: ["-pcm24", "-pcm32"])
  func littleEndianIntegers(_ option: String) throws {
    let folder = TemporaryDirectory()
    make(
      "sndfile-convert -endian=little \(option) in.wav out.aif && "
        + "sndfile-convert -pcm32 out.aif back.wav", in: folder)
    try check(
      folder.file("out.aif"), against: ReferenceDecoder.ffmpeg(folder.file("back.wav")))
  }

  @Test(
    "A file cut within its last block of ADPCM has ffmpeg's frames",
    arguments: ["adpcm_ima_wav", "adpcm_ima_wav -ac 1", "adpcm_ms", "adpcm_ms -ac 1"])
  func cutBlock(_ codec: String) throws {
    let folder = TemporaryDirectory()
    make(
      "ffmpeg -v error -y -i in.wav -c:a \(codec) whole.wav </dev/null && head -c -300 whole.wav >out.wav",
      in: folder)
    let path = folder.file("out.wav")
    try check(path, against: ReferenceDecoder.ffmpeg(path), isCut: true)
  }

  @Test(
    "Blocks of ADPCM in WAVE have the frames that their bytes hold, whatever the extension states",
    arguments: ["adpcm_ima_wav", "adpcm_ima_wav -ac 1", "adpcm_ms", "adpcm_ms -ac 1"],
    [0, 1, 300, 1900, 2032, 65535])
  func statedBlockFrames(_ codec: String, _ stated: Int) throws {
    let folder = TemporaryDirectory()
    make("ffmpeg -v error -y -i in.wav -c:a \(codec) out.wav </dev/null", in: folder)
    let path = folder.file("out.wav")
    var bytes = contents(ofFile: path)
    // `wSamplesPerBlock`, behind the chunk's header and 18 bytes.
    let place = try #require(bytes.firstRange(of: Array("fmt ".utf8))?.upperBound) + 4 + 18
    bytes[place] = UInt8(stated & 255)
    bytes[place + 1] = UInt8(stated >> 8)
    let workshop = Workshop()
    try workshop.write(bytes, "changed.wav")
    try check(workshop.path("changed.wav"), against: ReferenceDecoder.ffmpeg(path))
  }

  private func make(_ command: String, in folder: TemporaryDirectory) {
    _ = ReferenceDecoder.output("cd '\(folder.file(""))' && \(Self.source) && \(command) 2>&1")
  }

  private func check(
    _ path: String, against expected: [Float], isCut: Bool = false
  ) throws {
    let format = try TrackReader(opening: path).readInformation().dataFormat
    if !isCut { #expect(expected.count >= 7001 * Int(format.channelsPerFrame)) }
    let playback = OfflinePlayback(
      [path], rate: format.sampleRate, channels: Int(format.channelsPerFrame))
    playback.run(period: 1024)
    #expect(playback.states.last == .ended)
    let sound = playback.sound.interleaved
    #expect(sound.count == expected.count)
    let firstDifference = zip(sound, expected).enumerated().first { $1.0 != $1.1 }
    #expect(firstDifference == nil, "\(format)")
  }
}
