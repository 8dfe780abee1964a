// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  /// Long inputs, sent as fast as the program reads them. A debug build gets a part of them.
  @Suite("uses no more of the machine as time passes")
  struct LongRuns {
    private static let mebibyte = 1 << 20
    /// The growth allowed for resident memory once every buffer has been filled.
    private static let allowedGrowth = mebibyte
    /// Bytes after which every buffer has been filled.
    private static let warmUpBytes: UInt64 = 6_000_000

    private static let frames = contents(ofFile: Fixtures.path("mp3-notag-44100-2.mp3"))
    /// An hour at 160 kbit/s.
    private static let hourBytes: UInt64 = 3600 * 20_000 / (Program.isRelease ? 1 : 5)

    /// An endless station that changes its title every 16,000 bytes.
    private static var station: ResponsePlan {
      var plan = ResponsePlan(
        fields: [("Content-Type", "audio/mpeg"), ("icy-name", "Sender")],
        body: .generated(byteCount: .max) { offset, count in
          var bytes: [UInt8] = []
          bytes.reserveCapacity(count)
          while bytes.count < count {
            let start = Int((offset + UInt64(bytes.count)) % UInt64(frames.count))
            bytes += frames[start..<min(frames.count, start + count - bytes.count)]
          }
          return bytes
        }, framing: .untilClose)
      plan.metadata = ResponsePlan.Metadata(interval: 16_000) { index in
        Array("StreamTitle='Title number \(index)';".utf8)
      }
      return plan
    }

    /// Samples a program until it has read `total` bytes; memory, descriptors and threads must not grow after the
    /// warm-up.
    private static func expectSteady(
      _ program: Subprocess, upTo total: UInt64, _ name: String, seconds: Double = 100,
      progress: () -> UInt64, besides check: () -> Void = {}
    ) throws {
      var watch = ProcessWatch()
      let start = monotonicSeconds()
      var reached: UInt64 = 0
      while reached < total, monotonicSeconds() - start < seconds {
        reached = progress()
        guard watch.look(at: program.pid, progress: reached) else { break }
        check()
        usleep(5000)
      }
      print(
        "\(name): \(reached) of \(total) bytes in \(Int(monotonicSeconds() - start)) s;",
        watch.summary)
      #expect(reached >= total, "\(program.errors)")
      let steady = watch.samples(from: warmUpBytes)
      let first = try #require(steady.first)
      #expect(steady.count > 10)
      let most = steady.map(\.residentBytes).max() ?? 0
      #expect(most - first.residentBytes <= allowedGrowth, "\(watch.summary)")
      #expect(Set(steady.map(\.descriptors)) == [first.descriptors], "\(watch.summary)")
      // Two of Dispatch's threads end by themselves after seconds of idleness.
      #expect(steady.allSatisfy { $0.threads <= first.threads }, "\(watch.summary)")
    }

    @Test("in an hour of radio, rendered", .timeLimit(.minutes(3)))
    func radio() throws {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      web.serve("/radio", Self.station)
      let program = Program.start(["render", "-o", "/dev/null", web.url("/radio")])
      defer { program.signalGroup(SIGKILL) }
      try Self.expectSteady(program, upTo: Self.hourBytes, "radio") {
        web.bodyBytesSent("/radio")
      }
    }

    @Test(
      "in an hour of radio, played to a server that runs at full speed, with a spool of 16 MiB",
      .timeLimit(.minutes(3)))
    func playedRadio() throws {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      web.serve("/radio", Self.station)
      let directory = TemporaryDirectory()
      try JACKServer.with { jack in
        let program = Program.start(
          Endings.play
            + ["--spool", directory.path, "--spool-size", "16", web.url("/radio")])
        defer { program.signalGroup(SIGKILL) }
        #expect(eventually { Endings.isPresent(jack) }, "\(program.errors)")
        _ = try jack.run(["jack_freewheel", "y"])
        var most: Int64 = 0
        try Self.expectSteady(program, upTo: Self.hourBytes, "played radio") {
          web.bodyBytesSent("/radio")
        } besides: {
          most = max(most, Self.bytes(ofFilesIn: directory.path))
        }
        #expect(most > 1 << 20 && most <= 16 << 20, "\(most)")
        program.signalGroup(SIGINT)
        let end = Program.end(of: program)
        #expect(end.exit == .status(0) && end.seconds < 2, "\(end)")
      }
    }

    @Test("in a file of 1 GB, rendered", .timeLimit(.minutes(3)), arguments: ["file", "http"])
    func bigFile(_ kind: String) throws {
      let directory = TemporaryDirectory()
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      let wave = CountingWave(frameCount: 1_000_000_000 / CountingWave.frameBytes)
      let total = wave.byteCount / (Program.isRelease ? 1 : 10)
      let path = directory.file("big.wav")
      let location: String
      if kind == "file" {
        // The file has a header, and a hole instead of sound.
        let head = wave.bytes(at: 0, CountingWave.headBytes)
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        try #require(unsafe write(file, head, head.count) == head.count)
        try #require(ftruncate(file, off_t(wave.byteCount)) == 0)
        location = path
      } else {
        web.serve(
          "/big.wav",
          ResponsePlan(
            fields: [("Content-Type", "audio/wav")],
            body: .generated(byteCount: wave.byteCount) { wave.bytes(at: $0, $1) }))
        location = web.url("/big.wav")
      }
      let program = Program.start(["render", "-o", "/dev/null", location])
      defer { program.signalGroup(SIGKILL) }
      // The program may end before its last bytes are counted, so the watch stops 2 % earlier.
      try Self.expectSteady(program, upTo: total - total / 50, "1 GB, \(kind)") {
        kind == "file" ? Self.bytesRead(program.pid) : web.bodyBytesSent("/big.wav")
      }
      if Program.isRelease {
        #expect(program.wait(seconds: 20) == .status(0), "\(program.errors)")
      }
    }

    /// The total of bytes that a process has read (proc(5), `io`). The file offset would not show progress,
    /// because the file's end is read first.
    private static func bytesRead(_ pid: pid_t?) -> UInt64 {
      guard let pid else { return 0 }
      let words = String(decoding: contents(ofFile: "/proc/\(pid)/io"), as: UTF8.self)
        .split(whereSeparator: \.isWhitespace)
      return words.firstIndex(of: "rchar:").flatMap { UInt64(words[$0 + 1]) } ?? 0
    }

    /// The number of bytes of all files in a folder.
    private static func bytes(ofFilesIn path: String) -> Int64 {
      guard let folder = unsafe opendir(path) else { return 0 }
      defer { unsafe closedir(folder) }
      var sum: Int64 = 0
      while let entry = unsafe readdir(folder) {
        let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
          unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
        }
        var status = stat()
        if name != ".", name != "..", unsafe stat(path + "/" + name, &status) == 0 {
          sum += Int64(status.st_size)
        }
      }
      return sum
    }
  }
}
