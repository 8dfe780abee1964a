// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  /// Each test reads 300 MB of MP3, or a part larger than the memory limit.
  @Suite("stays small")
  struct Memory {
    static let mebibyte = 1 << 20
    /// A debug build would take minutes for the whole.
    static let bytesToRead: UInt64 = Program.isRelease ? .max : 40_000_000

    /// Most of play's memory is code: a debug build's is larger, and HTTP loads libcurl and its dependencies.
    static func playAllowance(_ kind: String) -> Int {
      guard Program.isRelease else { return 28 * mebibyte }
      return kind == "http" ? 24_000_000 : 14_000_000
    }

    /// 300 MB of CBR frames in one stream, as in a recording of a radio station.
    static func makeBigFile(in folder: TemporaryDirectory) throws -> String {
      let frames = contents(ofFile: Fixtures.path("mp3-cbr320-44100-2.mp3"))
      // Start behind the tag's frame, which states a shorter stream.
      let start = try #require(
        frames.indices.first { frames[$0...].starts(with: Array("LAME".utf8)) })
      let tail = try #require(
        frames[start...].indices.first {
          frames[$0] == 0xFF && frames[$0 + 1] == 0xFB
        })
      let path = folder.file("big.mp3")
      try repeatFrames(frames[tail...], until: 300_000_000, in: path)
      return path
    }

    private static func repeatFrames(
      _ frames: ArraySlice<UInt8>, until byteCount: Int, in path: String
    ) throws {
      let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      try #require(file >= 0)
      defer { close(file) }
      var written = 0
      while written < byteCount {
        let count = unsafe frames.withUnsafeBytes {
          unsafe write(file, $0.baseAddress!, $0.count)
        }
        try #require(count > 0)
        written += count
      }
    }

    /// Follows a run until it has read `bytesToRead`, or to its end.
    static func peakBytes(of program: Subprocess, reading path: String) -> Int {
      var peak = 0
      _ = eventually(seconds: 50) {
        guard let bytes = Program.peakResidentBytes(program.pid) else { return true }
        peak = max(peak, bytes)
        return readOffset(program.pid, path) >= bytesToRead
      }
      return peak
    }

    /// A process's offset in a file (proc(5), `fdinfo`).
    static func readOffset(_ pid: pid_t?, _ path: String) -> UInt64 {
      guard let pid else { return 0 }
      for descriptor in 3..<32 {
        var target = [UInt8](repeating: 0, count: 4096)
        let count = unsafe target.withUnsafeMutableBytes {
          unsafe readlink("/proc/\(pid)/fd/\(descriptor)", $0.baseAddress!, $0.count)
        }
        guard count > 0, String(decoding: target[..<count], as: UTF8.self) == path else { continue }
        let text = String(
          decoding: contents(ofFile: "/proc/\(pid)/fdinfo/\(descriptor)"), as: UTF8.self)
        return text.split(whereSeparator: { $0.isWhitespace }).dropFirst().first
          .flatMap { UInt64($0) } ?? 0
      }
      return 0
    }

    @Test(
      "in render: at most 32 MiB resident (release: the whole file; debug: its first 40 MB)",
      .timeLimit(.minutes(2)))
    func render() throws {
      let folder = TemporaryDirectory()
      let path = try Self.makeBigFile(in: folder)
      let program = Program.start(["render", "-o", "/dev/null", path])
      defer { program.signalGroup(SIGKILL) }
      let peak = Self.peakBytes(of: program, reading: path)
      if Program.isRelease {
        #expect(program.wait(seconds: 1) == .status(0), "\(program.errors)")
      } else {
        #expect(program.pid != nil, "it ended before 40 MB: \(program.errors)")
      }
      #expect(peak > 0 && peak <= 32 * Self.mebibyte)
    }

    @Test("in render, also when 64 MB of AAC are decoded for the noise of the last seconds")
    func renderFromFarIn() throws {
      let folder = TemporaryDirectory()
      let (piece, path) = (folder.file("piece.aac"), folder.file("long.aac"))
      // Ten seconds of 320 kbit/s.
      _ = ReferenceDecoder.output(
        "ffmpeg -nostdin -v error -f lavfi -i anoisesrc=r=44100:a=0.5:d=10 -ac 2 -c:a aac"
          + " -b:a 320k '\(piece)'")
      try Self.repeatFrames(contents(ofFile: piece)[...], until: 64_000_000, in: path)
      let program = Program.start(["render", "--start", "2200", "-o", "/dev/null", path])
      defer { program.signalGroup(SIGKILL) }
      var peak = 0
      _ = eventually(seconds: 100) {
        guard let bytes = Program.peakResidentBytes(program.pid) else { return true }
        peak = max(peak, bytes)
        return false
      }
      #expect(program.wait(seconds: 1) == .status(0), "\(program.errors)")
      #expect(peak > 0 && peak <= 40 * Self.mebibyte, "\(peak)")
    }

    @Test(
      "in play, above an empty JACK client: 14 MB for a file or its full packet ring, 24 MB for HTTP (debug: 28 MiB)",
      arguments: ["file", "packets", "http"])
    func play(_ kind: String) throws {
      let folder = TemporaryDirectory()
      let path = try Self.makeBigFile(in: folder)
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      web.serve("/big", .file(path))
      try JACKServer.with { jack in
        let empty = try EmptyClient.peakBytes(in: folder, on: jack)
        var arguments = ["play", "--connect", "none"]
        switch kind {
        case "file": arguments.append(path)
        // By default only 12 s of a file are buffered.
        case "packets": arguments += ["--decode", "callback", "--high-water", "3600", path]
        default: arguments.append(web.url("/big"))
        }
        let program = TerminalProgram(arguments)
        defer { program.signal(SIGKILL) }
        // The ring's 2 MiB are 52 s of packets at 320 kbit/s; decoded sound is buffered for a second.
        let full = kind == "file" ? "buffer 1" : "buffer 5"
        #expect(program.shows(full, seconds: 20), "\(program.output)")
        #expect(program.showsAnew("Playing    0:03") {}, "\(program.output)")
        let peak = Program.peakResidentBytes(program.pid) ?? 0
        #expect(peak > 0 && peak - empty <= Self.playAllowance(kind), "\(peak) - \(empty)")
        program.type("q")
        let end = program.end()
        #expect(end.exit == .status(0) && end.seconds < 1)
      }
    }
  }
}

/// A JACK client in C that writes silence, to measure libjack's own memory.
private enum EmptyClient {
  static let source = """
    #include <jack/jack.h>
    #include <string.h>
    #include <unistd.h>
    static jack_port_t *ports[2];
    static int process(jack_nframes_t frames, void *unused) {
      for (int i = 0; i < 2; i++)
        memset(jack_port_get_buffer(ports[i], frames), 0, frames * sizeof(float));
      return 0;
    }
    int main(void) {
      jack_client_t *client = jack_client_open("empty", JackNoStartServer, 0);
      if (!client) return 1;
      jack_set_process_callback(client, process, 0);
      ports[0] = jack_port_register(client, "out_1", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
      ports[1] = jack_port_register(client, "out_2", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
      if (jack_activate(client)) return 1;
      pause();
    }
    """

  /// The client's peak memory, after the server has called it for some cycles.
  static func peakBytes(in folder: TemporaryDirectory, on jack: JACKServer) throws -> Int {
    let file = folder.file("empty.c")
    let program = folder.file("empty")
    _ = ReferenceDecoder.output("cat >'\(file)' <<'END'\n\(source)\nEND\n")
    // Swift's own clang is enough if the system has no other compiler.
    let compile =
      "$(command -v cc || command -v clang) -o '\(program)' '\(file)' "
      + "$(pkg-config --cflags --libs jack)"
    let compiled = Subprocess.run(["sh", "-c", compile])
    try #require(compiled.exit == .status(0), "\(compiled.errors)")
    let client = Subprocess([program], environment: Program.environment)
    defer { client.signalGroup(SIGKILL) }
    try #require(
      eventually { (try? jack.ports().contains { $0.name == "empty:out_2" }) == true },
      "\(client.errors)")
    // The peak is reached once it has not grown for a while.
    var peak = 0
    var steady = 0
    _ = eventually {
      let now = Program.peakResidentBytes(client.pid) ?? 0
      steady = now == peak ? steady + 1 : 0
      peak = now
      return steady == 100
    }
    return peak
  }
}
