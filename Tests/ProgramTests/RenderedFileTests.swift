// SPDX-License-Identifier: MIT

import TestKit
import Testing

extension ProgramTests {
  @Suite("renders into a file")
  struct RenderedFiles {
    private let workshop = Workshop()
    private let song = Fixtures.path("gapless-1.mp3")

    private func render(_ words: String) -> Program.Result {
      Program.run(
        [], by: ["bash", "-c", "cd '\(workshop.path)'; exec \"$0\" render \(words) '\(song)'"])
    }

    @Test("in the format of its name", arguments: ["out.flac", "OUT.FLAC", "a.b.flac"])
    func flac(_ name: String) throws {
      let result = render("-o \(name)")
      #expect(result.exit == .status(0) && result.errors == "", "\(result)")
      #expect(try workshop.read(name).starts(with: "fLaC".utf8))
      try workshop.run("flac -s -t \(name)")
      try workshop.run("ffmpeg -v error -i \(name) -f f32le flac.raw")
      try workshop.run("'\(Program.path)' render -o out.wav '\(song)'")
      // The samples are rounded to 24 bits, and the length is the same.
      let exact = try FloatWave(path: workshop.path("out.wav"))
      let samples = unsafe try workshop.read("flac.raw").withUnsafeBytes {
        unsafe Array($0.bindMemory(to: Float.self))
      }
      #expect(samples.count == 2 * exact.frameCount)
      let isNear = exact.channels[0].indices.allSatisfy {
        abs(samples[2 * $0] - min(1, max(-1, exact.channels[0][$0]))) <= 1.01 / 8_388_608
      }
      #expect(isNear)
    }

    @Test(
      "in WAVE, by that extension or none", arguments: ["out.wav", "out.WAVE", "out", ".out"])
    func wave(_ name: String) throws {
      #expect(render("-o \(name)").exit == .status(0))
      #expect(try workshop.read(name).starts(with: "RIFF".utf8))
    }

    @Test(
      "and refuses other extensions by name, before it writes or requests anything",
      arguments: ["x.mp3", "x.ogg", "x.m4a", "x.opus", "x.aiff", "x.txt", "flac.x", "x.wav.mp3"])
    func refused(_ name: String) throws {
      let result = render("-o \(name) http://127.0.0.1:1/a.mp3")
      Failures.expectOneLine(result, name, word: name, on: #_sourceLocation)
      #expect(result.errors.contains(".wav and .flac"))
      try workshop.run("test ! -e \(name)")
    }

    @Test(
      "that it does not replace unless asked to", arguments: ["out.wav", "out.flac", "out"])
    func existing(_ name: String) throws {
      try workshop.run("echo old > \(name); ln -s \(name) link.wav; touch empty.wav")
      for place in [name, "./\(name)", "link.wav"] {
        let result = render("-o \(place)")
        Failures.expectOneLine(result, place, word: "--force", on: #_sourceLocation)
        #expect(try workshop.read(name) == Array("old\n".utf8))
      }
      #expect(render("--force -o \(name)").exit == .status(0))
      #expect(try workshop.read(name).count > 1000)
      // An empty file and a device may be overwritten.
      for place in ["empty.wav", "/dev/null"] { #expect(render("-o \(place)").exit == .status(0)) }
    }
  }
}
