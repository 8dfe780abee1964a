// SPDX-License-Identifier: MIT

import AudioModel
import PlayerEngine
import TestKit
import Testing

@Suite("Seeking in a track")
struct TrackSeekTests {
  /// Returns interleaved samples, at the rate that the track decodes to, from a frame of the sound on; nil is the start
  /// without a seek.
  private func rendered(
    _ path: String, from frame: Int64?, frames: Int = .max, purpose: SeekPurpose = .listening
  ) throws -> (samples: [Float], channels: Int, seek: TrackSeek?) {
    let reader = try TrackReader(opening: path)
    let format = try reader.readDecodedFormat()
    let seek = try frame.map { try reader.seek(toFrame: $0, purpose: purpose) }
    let channels = Int(format.channelsPerFrame)
    let playback = OfflinePlayback(
      opened: reader, [], rate: format.sampleRate, channels: channels)
    playback.run(period: 1024, frames: frames)
    return (playback.sound.interleaved, channels, seek)
  }

  /// Seeks to both ends and to frames between them.
  ///
  /// - Parameters:
  ///   - replication: sounding frames for each frame that the container states.
  ///   - tolerance: root mean square of the permitted difference.
  private func compare(
    _ path: String, seeks: Int = 200, replication: Int = 1, tolerance: Float
  ) throws {
    let (straight, channels, _) = try rendered(path, from: nil)
    let count = Int64(straight.count / channels / replication)
    var random = SplitMix(state: 1)
    let places =
      [0, 1, count - 1] + (0..<seeks).map { _ in Int64.random(in: 0..<count, using: &random) }
    for frame in places {
      let (samples, _, seek) = try rendered(path, from: frame, frames: 2048)
      let result = try #require(seek)
      #expect(result.askedFrame == frame)
      #expect(result.reachedFrame == frame)
      #expect(!result.isEstimated && result.errorBoundFrames == 0)
      #expect(samples.count == min(2048, Int(count - frame) * replication) * channels)
      let expected = straight.dropFirst(Int(frame) * replication * channels)
      let sum = zip(samples, expected).reduce(Float(0)) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
      let difference = (sum / Float(max(1, samples.count))).squareRoot()
      #expect(difference <= tolerance, "frame \(frame)")
    }
  }

  @Test(
    "After a seek to any frame of PCM the samples are those of the straight decode",
    arguments: ["wav-s16-44100-2.wav", "wav-ext-s24-96000-6.wav", "wav-u8-48000-1.wav"])
  func linearPCM(_ name: String) throws {
    try compare(Fixtures.path(name), tolerance: 0)
  }

  @Test(
    "After a seek to any frame of MPEG audio the samples are those of the straight decode",
    arguments: [
      "gapless-1.mp3", "mp3-vbr2-44100-2.mp3", "mp3-abr160-44100-2.mp3", "mp3-free-44100-2.mp3",
      "mp3-cbr-8000-1.mp3", "mp3-id3-big.mp3", "mp2-192-44100-2.mp2", "mp1-384-44100-2.mp1",
    ])
  func mpegAudio(_ name: String) throws {
    // -120 dBFS is the rounding of a filter bank that began elsewhere.
    try compare(Fixtures.path(name), seeks: 50, tolerance: 1e-6)
  }

  @Test(
    "After a seek to any frame of a lossless file the samples are those of the straight decode",
    arguments: CodecRecipe.lossless)
  func lossless(_ recipe: CodecRecipe) throws {
    let directory = TemporaryDirectory()
    try compare(encoded(recipe, in: directory), tolerance: 0)
  }

  @Test(
    "After a seek to any frame of a lossy file the samples are within -80 dBFS of the straight decode",
    arguments: CodecRecipe.lossy)
  func lossy(_ recipe: CodecRecipe) throws {
    let directory = TemporaryDirectory()
    try compare(encoded(recipe, in: directory), tolerance: 1e-4)
  }

  @Test(
    "After a seek to any frame of a short file synthesised noise is the straight decode's",
    arguments: CodecRecipe.noisy)
  func filledIn(_ recipe: CodecRecipe) throws {
    let directory = TemporaryDirectory()
    // The encoder leaves most of pink noise to the decoder's synthesis.
    _ = ReferenceDecoder.output(
      "sox -R -D -V1 -n -r \(recipe.sampleRate) -c 2 -b 16 '\(directory.file("noise.wav"))'"
        + " synth 3.1 pinknoise gain -3")
    // -120 dBFS is the rounding of a filter bank that began elsewhere.
    try compare(recipe.encode("noise", in: directory), tolerance: 1e-6)
  }

  /// Makes pink noise behind some silence; the encoder leaves much of it to the decoder's synthesis.
  private func noisyAAC(
    seconds: Int, silentSeconds: Int = 0, in directory: TemporaryDirectory
  ) -> String {
    let (wave, path) = (directory.file("noise.wav"), directory.file("noise.m4a"))
    _ = ReferenceDecoder.output(
      "sox -R -D -V1 -n -r 44100 -c 2 -b 16 '\(wave)' synth \(seconds - silentSeconds)"
        + " pinknoise pinknoise gain -6 pad \(silentSeconds)"
        + " && ffmpeg -v error -i '\(wave)' -c:a aac -b:a 64k '\(path)'")
    return path
  }

  /// Compares the sound after seeks with the straight decode's, to the last bit, and checks that it would differ
  /// without the pre-roll.
  private func expectStraightNoise(
    in path: String, atSeconds places: [Int], purpose: SeekPurpose
  ) throws {
    let (straight, channels, _) = try rendered(path, from: nil)
    for seconds in places {
      let frame = Int64(seconds) * 44100 + 123
      let expected = straight.dropFirst(Int(frame) * channels).prefix(4096 * channels)
      let (samples, _, seek) = try rendered(path, from: frame, frames: 4096, purpose: purpose)
      #expect(seek?.reachedFrame == frame)
      let isEqual = samples.elementsEqual(expected)
      #expect(isEqual && samples.count == 4096 * channels, "\(seconds) s")
      let (scanned, _, _) = try rendered(path, from: frame, frames: 4096, purpose: .scanning)
      let isAnother = !scanned.elementsEqual(expected)
      #expect(isAnother, "\(seconds) s")
    }
  }

  @Test(
    "After a seek minutes away AAC's substituted noise is the straight decode's, wherever it begins",
    .enabled(if: DecoderChoice(.mpeg4AAC) != nil), arguments: [0, 40, 149])
  func substitutedNoise(_ beginSeconds: Int) throws {
    let directory = TemporaryDirectory()
    let path = noisyAAC(seconds: 160, silentSeconds: beginSeconds, in: directory)
    // Silence has no substituted noise.
    let places = [151, 45, 100, 159].filter { $0 > beginSeconds }
    try expectStraightNoise(in: path, atSeconds: places, purpose: .listening)
  }

  @Test(
    "For rendering, AAC's substituted noise is the straight decode's behind any length",
    .enabled(if: DecoderChoice(.mpeg4AAC) != nil))
  func substitutedNoiseForRendering() throws {
    let directory = TemporaryDirectory()
    let path = noisyAAC(seconds: 340, in: directory)
    try expectStraightNoise(in: path, atSeconds: [339, 310, 325], purpose: .rendering)
  }

  @Test(
    "After a seek to any frame of HE-AAC the replicated band is that of the straight decode",
    .enabled(if: DecoderChoice(.mpeg4HEAAC) != nil),
    arguments: ["he-aac-v1.m4a", "he-aac-v1.aac", "he-aac-v2.m4a", "he-aac-v2.aac"])
  func replicatedBand(_ name: String) throws {
    let path = Fixtures.repository + "/Tests/Fixtures/" + name
    try compare(path, seeks: 100, replication: 2, tolerance: 1e-6)
  }

  /// Encodes three seconds of music.
  private func encoded(_ recipe: CodecRecipe, in directory: TemporaryDirectory) -> String {
    _ = ReferenceDecoder.output(
      "sox -D '\(Fixtures.path("wav-s16-44100-2.wav"))' -b 16 '\(directory.file("music.wav"))'"
        + " trim 2 3.1 rate \(recipe.sampleRate)")
    return recipe.encode("music", in: directory)
  }

  @Test(
    "Over HTTP a seek is exact if the container has a table",
    arguments: ["wav-s16-44100-2.wav", "alac.m4a"])
  func table(_ name: String) throws {
    let directory = TemporaryDirectory()
    let path: String
    if name.hasSuffix(".wav") {
      path = Fixtures.path(name)
    } else {
      let lossless = CodecRecipe.lossless.first { $0.formatID == .appleLossless }
      guard let lossless else { return }
      path = encoded(lossless, in: directory)
    }
    let web = LoopbackHTTPServer()
    defer { web.stop() }
    web.serve("/track", .file(path, ranges: .honoured))
    let (straight, channels, _) = try rendered(path, from: nil)
    for frame: Int64 in [100_001, 5] {
      let (samples, _, seek) = try rendered(web.url("/track"), from: frame, frames: 2048)
      let result = try #require(seek)
      #expect(result.reachedFrame == frame && !result.isEstimated)
      let isEqual = samples.elementsEqual(
        straight.dropFirst(Int(frame) * channels).prefix(samples.count))
      #expect(isEqual && samples.count == 2048 * channels)
    }
  }

  @Test("Over HTTP a seek without a table reports that it is an estimate, and its error bound")
  func guess() throws {
    let path = Fixtures.path("mp3-vbr2-44100-2.mp3")
    let web = LoopbackHTTPServer()
    defer { web.stop() }
    web.serve("/track", .file(path, ranges: .honoured))
    let (straight, channels, _) = try rendered(path, from: nil)
    let frame: Int64 = 300_000
    let (samples, _, seek) = try rendered(web.url("/track"), from: frame, frames: 1 << 20)
    let result = try #require(seek)
    #expect(result.askedFrame == frame && result.isEstimated)
    let bound = try #require(result.errorBoundFrames)
    // The sound is the end of the track, from a frame within the bound on.
    let heard = Int64(straight.count / channels) - Int64(samples.count / channels)
    #expect(abs(heard - frame) <= bound)
    #expect(samples.suffix(10_000).elementsEqual(straight.suffix(10_000)))
  }

  @Test("A source that can only be read from start to end seeks forward only")
  func forwardOnly() throws {
    let path = Fixtures.path("mp3-cbr128-44100-2.mp3")
    let web = LoopbackHTTPServer()
    defer { web.stop() }
    var plan = ResponsePlan.file(path)
    plan.fields.append(("Accept-Ranges", "none"))
    web.serve("/track", plan)
    let reader = try TrackReader(opening: web.url("/track"))
    #expect(try reader.seek(toFrame: 200_000).reachedFrame == 200_000)
    #expect(throws: PlayerError.self) { try reader.seek(toFrame: 10) }
  }
}
