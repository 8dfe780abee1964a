// SPDX-License-Identifier: MIT

import TestKit
import Testing

extension ProgramTests {
  @Suite("reads no file that it writes")
  struct WrittenFiles {
    /// A folder with tracks, and a link and a list that refer to one of them.
    private let workshop: Workshop

    init() throws {
      workshop = Workshop()
      try workshop.run(
        """
        cp '\(Fixtures.path("gapless-1.mp3"))' song.mp3; cp '\(Fixtures.path("gapless-2.mp3"))' other.mp3
        cp song.mp3 song.wav; ln song.wav same.wav; ln -s song.wav link.wav; echo song.wav > list.m3u
        """)
    }

    /// Runs the program in the folder, with a shell's redirections and a limited file size: a file that is
    /// written while it is read would grow without end.
    private func run(_ words: String) -> Program.Result {
      Program.run(
        [], by: ["bash", "-c", "cd '\(workshop.path)'; ulimit -f 20000; exec \"$0\" \(words)"])
    }

    @Test(
      "but reports it and leaves the file as it was",
      arguments: [
        "render --force -o song.wav song.wav", "render --force -o ./song.wav other.mp3 song.wav",
        "render --force -o same.wav song.wav", "render --force -o link.wav song.wav",
        "render --force -o song.wav \"file://$PWD/song.wav\"",
        "render --force -o song.wav list.m3u",
        "render --force -o list.m3u list.m3u", "render --force -o song.wav - < song.wav",
        "render -o - song.mp3 >> song.mp3", "play --timing song.mp3 song.mp3",
        "monitor --with song.mp3 --record song.mp3", "monitor --with other.mp3 --timing other.mp3",
        "info --picture song.mp3 song.mp3", "bench --input song.mp3 --json song.mp3",
      ])
    func inputs(_ words: String) throws {
      let before = try ["song.mp3", "song.wav", "other.mp3", "list.m3u"].map {
        try workshop.read($0)
      }
      let result = run(words)
      Failures.expectOneLine(result, words, word: "choose another path", on: #_sourceLocation)
      #expect(
        try ["song.mp3", "song.wav", "other.mp3", "list.m3u"].map { try workshop.read($0) }
          == before)
    }

    @Test("also if the file does not exist yet")
    func missing() throws {
      let result = run("render -o out.wav song.mp3 \"$PWD/out.wav\"")
      Failures.expectOneLine(result, "render", word: "out.wav", on: #_sourceLocation)
      try workshop.run("test ! -e out.wav")
    }

    @Test("and accepts any other path")
    func others() throws {
      try workshop.run("echo old > out.wav; mkdir folder")
      for place in ["out.wav", "new.wav", "folder/song.wav", "/dev/null"] {
        let result = run("render --force -o \(place) song.mp3 < song.mp3")
        #expect(result.exit == .status(0), "\(place): \(result.errors)")
      }
      let (old, new) = (try workshop.read("out.wav"), try workshop.read("folder/song.wav"))
      #expect(old.count > 1000 && old == new)
    }
  }
}
