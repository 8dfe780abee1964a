// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  /// Recordings that end before they are finished.
  @Suite("a recording")
  struct RecordingFailures {
    /// Runs the program with a file system of 256 KiB to write to, and finally copies the file to `kept-NAME`.
    /// Needs the right to mount a file system.
    private static func run(
      _ arguments: [String], writing name: String, in folder: TemporaryDirectory
    ) -> Program.Result {
      let script = """
        mkdir -p "$0/small"; mount -t tmpfs -o size=256k none "$0/small" || exit 99
        "$@"; code=$?; cp "$0/small/\(name)" "$0/kept-\(name)"; exit $code
        """
      return Program.run(
        arguments, by: ["unshare", "-rm", "sh", "-c", script, folder.path], seconds: 30)
    }

    private static let mayMount =
      Subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).exit == .status(0)

    /// Expects a frame count in the header, as SoX and ffprobe read it, and that many decodable frames.
    private func expectReadable(_ path: String, atLeast frames: Int) {
      let sox = Subprocess.run(["soxi", "-s", path])
      let count = Int(sox.output.filter(\.isNumber)) ?? 0
      #expect(count >= frames, "\(sox)")
      #expect(ReferenceDecoder.ffprobe(path, "duration_ts") == count)
      let channels = ReferenceDecoder.ffprobe(path, "channels") ?? 0
      #expect(ReferenceDecoder.ffmpeg(path).count == count * channels)
      guard path.hasSuffix(".flac") else { return }
      let test = Subprocess.run(["flac", "-t", "-s", path])
      #expect(test.exit == .status(0) && !test.errors.contains("ERROR"), "\(test.errors)")
    }

    @Test(
      "on a full disk is readable to its end, and an event, while the monitor continues",
      .enabled(if: mayMount), arguments: ["take.wav", "take.flac"])
    func fullDisk(_ name: String) throws {
      let folder = TemporaryDirectory()
      try JACKServer.with(.waiting(period: 256)) { _ in
        // Noise, so that FLAC hardly compresses it.
        let noise = folder.file("noise.wav")
        _ = ReferenceDecoder.output(
          "ffmpeg -nostdin -v error -f lavfi -i 'anoisesrc=r=48000:d=20:seed=1' '\(noise)'")
        let result = Self.run(
          [
            "monitor", "--from", "none", "--to", "none", "--with", noise, "--json", "--record",
            folder.file("small/\(name)"), "--seconds", "5", "--interval", "0.1",
          ], writing: name, in: folder)
        #expect(result.exit == .status(1))
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 1 && lines[0].contains("disk full"), "\(result.errors)")
        let output = result.output.split(separator: "\n")
        let events = output.filter { $0.contains("\"type\":\"recordingFailed\"") }
        try #require(events.count == 1, "\(output.suffix(3))")
        #expect(events[0].contains("disk full") && events[0].contains("\"path\":\""))
        #expect(output.last?.contains("\"type\":\"meters\"") == true)
        let kept = folder.file("kept-\(name)")
        expectReadable(kept, atLeast: 24000)
        let frames = ReferenceDecoder.ffprobe(kept, "duration_ts") ?? 0
        #expect(events[0].contains("\"frames\":\(frames),"), "\(frames) \(events[0])")
      }
    }

    @Test("that was killed is readable to its last second", arguments: ["take.wav", "take.flac"])
    func killed(_ name: String) throws {
      let folder = TemporaryDirectory()
      let path = folder.file(name)
      try JACKServer.with(.waiting(period: 256)) { _ in
        let program = Program.start([
          "monitor", "--from", "none", "--to", "none", "--record", path, "--json", "--interval",
          "0.05",
        ])
        defer { program.signalGroup(SIGKILL) }
        func hasSeconds(_ seconds: Int) -> Bool {
          program.output.split(separator: "\n").last { $0.hasSuffix("}") }?
            .split(separator: "\"recording\":{\"frames\":").dropFirst().first
            .flatMap { Int($0.prefix { $0.isNumber }) }.map { $0 > seconds * 48000 } ?? false
        }
        #expect(eventually { hasSeconds(2) }, "\(program.errors)")
        program.signalGroup(SIGKILL)
        program.wait(seconds: 5)
      }
      expectReadable(path, atLeast: 48000)
    }

    @Test("of render on a full disk is readable to its end", .enabled(if: mayMount))
    func renderedOnFullDisk() {
      let folder = TemporaryDirectory()
      let result = Self.run(
        ["render", "-o", folder.file("small/out.wav"), Fixtures.path("mp3-cbr320-44100-2.mp3")],
        writing: "out.wav", in: folder)
      Failures.expectOneLine(result, "render", word: "disk full", on: #_sourceLocation)
      expectReadable(folder.file("kept-out.wav"), atLeast: 24000)
    }

    @Test("of render that reaches the largest file size is readable to its end")
    func largestSize() {
      let folder = TemporaryDirectory()
      let path = folder.file("out.wav")
      let result = Program.run(
        ["render", "-o", path, Fixtures.path("mp3-cbr320-44100-2.mp3")],
        by: ["bash", "-c", "ulimit -f 1000; exec \"$@\"", "bash"])
      Failures.expectOneLine(result, "render", word: "ulimit", on: #_sourceLocation)
      expectReadable(path, atLeast: 44100)
    }
  }
}
