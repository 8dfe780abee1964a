// SPDX-License-Identifier: MIT

import TestKit
import Testing

extension ProgramTests {
  @Suite("resamples")
  struct Tones {
    /// Two and a half seconds of a recording on a server of 48 kHz, away from the tone's start.
    static func recorded(_ name: String) throws -> SineFit {
      let wave = try JACKServer.with(.waiting(period: 512)) {
        try Recording.play(
          Fixtures.path(name), options: ["--buffer", "0.5"], seconds: 5, on: $0)
      }
      let heard = StereoFrames(wave).withoutSilentEdges.left
      try #require(heard.count > 160_000)
      return SineFit(heard[24000..<144_000], sampleRate: 48000, near: 997)
    }

    /// The same part of the file itself.
    static func plain(_ name: String) -> SineFit {
      let path = Fixtures.path(name)
      let samples =
        name.hasSuffix("wav") ? ReferenceDecoder.ffmpeg(path) : ReferenceDecoder.mpg123(path)
      return SineFit(
        StereoFrames(interleaved: samples).left[22050..<132_300], sampleRate: 44100, near: 997)
    }

    @Test("an MP3's 997 Hz at 44.1 kHz to 48 kHz: exact to 1 ppm, as clean as the file")
    func encoded() throws {
      let file = Self.plain("mp3-997-44100-2.mp3")
      let heard = try Self.recorded("mp3-997-44100-2.mp3")
      #expect(abs(heard.frequency / 997 - 1) < 1e-6, "\(heard)")
      #expect(heard.signalToResidual > file.signalToResidual - 0.5, "\(file) \(heard)")
    }

    @Test("a WAVE file's 997 Hz at 44.1 kHz to 48 kHz: exact to 1 ppm, residual below -120 dB")
    func linear() throws {
      let heard = try Self.recorded("tone-997-44100-2.wav")
      #expect(abs(heard.frequency / 997 - 1) < 1e-6, "\(heard)")
      #expect(heard.signalToResidual > 120, "\(heard)")
    }
  }
}
