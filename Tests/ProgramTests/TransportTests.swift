// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("with JACK's transport")
  struct Transports {
    private static let seconds = 60

    /// A server at 44.1 kHz, so that nothing is resampled, which loses no cycle on a busy machine.
    private static var options: JACKServer.Options {
      var options = JACKServer.Options.waiting()
      options.sampleRate = CountingWave.sampleRate
      return options
    }

    private static func play(_ role: String, _ more: String...) -> [String] {
      ["play", "--transport", role, "--connect", "none", "--no-mpris", "--buffer", "0.2"] + more
    }

    private static func makeNumbers(in directory: TemporaryDirectory) -> String {
      let wave = CountingWave(frameCount: seconds * CountingWave.sampleRate)
      let path = directory.file("numbers.wav")
      let file = unsafe fopen(path, "wb")
      let bytes = wave.bytes(at: 0, Int(wave.byteCount))
      unsafe fwrite(bytes, 1, bytes.count, file)
      unsafe fclose(file)
      return path
    }

    private static func hasPorts(_ jack: JACKServer, of clients: String...) -> Bool {
      let names = (try? jack.ports().map(\.name)) ?? []
      return clients.allSatisfy { names.contains($0 + ":out_2") }
    }

    /// The numbers of recorded frames that match the transport's position, and that do not.
    private static func judge(_ recorder: JACKRecorder, channel: Int) -> (right: Int, wrong: Int) {
      let (samples, times) = (recorder.samples, recorder.transportFrames)
      var result = (right: 0, wrong: 0)
      for index in 0..<min(samples[channel].count, times.count) {
        let number = CountingWave.number(samples[channel][index], samples[channel + 1][index])
        let isRight = Int64(number) == max(0, times[index])
        if times[index] > 0, isRight { result.right += 1 }
        if !isRight { result.wrong += 1 }
      }
      return result
    }

    @Test("two followers are at its position, to the sample, and silent while it is stopped")
    func follows() throws {
      let directory = TemporaryDirectory()
      let path = Self.makeNumbers(in: directory)
      try JACKServer.with(Self.options) { jack in
        let programs = ["one", "two"].map { Program.start(Self.play("follow", "--name", $0, path)) }
        defer { for program in programs { program.signalGroup(SIGKILL) } }
        let isThere = eventually { Self.hasPorts(jack, of: "one", "two") }
        try #require(isThere, "\(programs[0].errors)")
        let recorder = try JACKRecorder(
          ["one:out_1", "one:out_2", "two:out_1", "two:out_2"], capacityFrames: 2_000_000,
          recordsTransport: true)
        defer { recorder.close() }
        _ = try jack.run([
          "sh", "-c", "printf 'play\\nlocate 48000\\nquit\\n' | jack_transport",
        ])
        #expect(eventually { recorder.transport.frame > 60_000 })
        for frame in [2_000_000, 7, 1_234_567] as [UInt32] {
          #expect(recorder.locateTransport(frame, andHear: 10_000))
        }
        _ = try jack.run(["sh", "-c", "printf 'stop\\nquit\\n' | jack_transport"])
        #expect(eventually { !recorder.transport.isRolling })
        let count = recorder.frameCount
        #expect(eventually { recorder.frameCount > count + 4096 })
        for channel in [0, 2] {
          let (right, wrong) = Self.judge(recorder, channel: channel)
          #expect(right > 40_000 && wrong == 0, "\(right) \(wrong)")
        }
        for program in programs { program.signalGroup(SIGTERM) }
        for program in programs {
          let end = Program.end(of: program)
          #expect(end.exit == .status(0) && end.errors == "", "\(end)")
        }
      }
    }

    @Test("a follower's keys control the transport, and its panel shows the transport's state")
    func keys() throws {
      let directory = TemporaryDirectory()
      let path = Self.makeNumbers(in: directory)
      try JACKServer.with(Self.options) { jack in
        let program = TerminalProgram(Self.play("follow", path), columns: 120)
        defer { program.signal(SIGKILL) }
        #expect(program.shows("transport stopped"), "\(program.output)")
        #expect(program.shows("Paused     0:00 / 1:00"), "\(program.output)")
        let recorder = try JACKRecorder(["drawbar:out_1"], capacityFrames: 1)
        defer { recorder.close() }
        #expect(program.showsAnew("transport rolling") { program.type(" ") })
        #expect(recorder.transport.isRolling)
        program.type("\u{1B}[C")
        #expect(eventually { recorder.transport.frame >= 5 * 44100 })
        program.type("\u{1B}[A")
        // Behind the end of the list the program is silent, and the transport rolls on.
        #expect(eventually { recorder.transport.frame >= 65 * 44100 })
        program.type("\u{1B}[H")
        #expect(eventually { recorder.transport.frame < 3 * 44100 })
        #expect(program.showsAnew("Playing") {}, "\(program.output)")
        #expect(program.showsAnew("Paused ") { program.type("p") })
        #expect(eventually { !recorder.transport.isRolling })
        #expect(program.showsAnew("not while it follows") { program.type("L") })
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }

    @Test("a follower counts each of several keys that are pressed at once")
    func quickly() throws {
      let directory = TemporaryDirectory()
      let path = Self.makeNumbers(in: directory)
      try JACKServer.with(Self.options) { jack in
        let program = TerminalProgram(Self.play("follow", path, path), columns: 120)
        defer { program.signal(SIGKILL) }
        #expect(program.shows("transport stopped"), "\(program.output)")
        let recorder = try JACKRecorder(["drawbar:out_1"], capacityFrames: 1)
        defer { recorder.close() }
        // Three seeks ahead, and one back.
        program.type("\u{1B}[C\u{1B}[C\u{1B}[C\u{1B}[D")
        #expect(eventually { recorder.transport.frame == 10 * 44100 }, "\(recorder.transport)")
        // An immediate start and stop leave the transport stopped.
        program.type("  \u{1B}[C")
        #expect(eventually { recorder.transport.frame >= 15 * 44100 }, "\(recorder.transport)")
        #expect(!recorder.transport.isRolling && recorder.transport.frame == 15 * 44100)
        // From the tenth second of the second track to its start, and to the first track.
        program.type("\u{1B}[A")
        #expect(program.shows("[2/2]"), "\(program.output)")
        program.type("<<")
        #expect(eventually { recorder.transport.frame == 0 }, "\(recorder.transport)")
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }

    @Test("a track that cannot be sought in is reported as not following, and plays on")
    func unseekable() throws {
      let directory = TemporaryDirectory()
      let path = Self.makeNumbers(in: directory)
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      web.serve(
        "/stream",
        ResponsePlan(
          fields: [("Content-Type", "audio/wav"), ("Accept-Ranges", "none")],
          body: .file(path: path)))
      try JACKServer.with(Self.options) { jack in
        let program = TerminalProgram(
          Self.play("follow", "--no-spool", web.url("/stream")), columns: 120)
        defer { program.signal(SIGKILL) }
        #expect(program.shows("transport stopped"), "\(program.output)")
        let recorder = try JACKRecorder(
          ["drawbar:out_1", "drawbar:out_2"], capacityFrames: 1_000_000, recordsTransport: true)
        defer { recorder.close() }
        recorder.startTransport()
        #expect(eventually { recorder.transport.frame > 60_000 })
        let told = "the JACK transport is not followed there, and it plays on"
        #expect(
          program.showsAnew(told) { recorder.locateTransport(1000) }, "\(program.output)")
        let before = recorder.frameCount
        #expect(eventually { recorder.frameCount > before + 20_000 })
        let samples = recorder.samples
        // All frames are played once and in order, whatever the transport's position.
        let numbers = zip(samples[0], samples[1]).map { CountingWave.number($0, $1) }
          .filter { $0 > 0 }
        #expect(numbers == Array(1...numbers.count) && numbers.count > 60_000)
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }

    /// The transport's lead over the last recorded frame, in frames.
    private static func lastOffset(_ recorder: JACKRecorder) -> Int? {
      let (samples, times) = (recorder.samples, recorder.transportFrames)
      for index in (0..<min(samples[1].count, times.count)).reversed() where times[index] >= 0 {
        let number = CountingWave.number(samples[0][index], samples[1][index])
        if number > 0 { return Int(times[index]) - number }
      }
      return nil
    }

    @Test("a leader starts, stops and locates it, also on a server that returns")
    func leads() throws {
      let directory = TemporaryDirectory()
      let path = Self.makeNumbers(in: directory)
      try JACKServer.with(Self.options) { first in
        var jack = first
        defer { jack.stop() }
        let program = TerminalProgram(Self.play("lead", path, path), columns: 120)
        defer { program.signal(SIGKILL) }
        #expect(program.shows("transport rolling"), "\(program.output)")
        var recorder = try JACKRecorder(
          ["drawbar:out_1", "drawbar:out_2"], capacityFrames: 1_000_000, recordsTransport: true)
        #expect(eventually { recorder.transport.isRolling && recorder.transport.frame > 4410 })
        #expect(recorder.transport.frame < 5 * 44100)
        #expect(eventually { recorder.frameCount > 4410 })
        let offset = try #require(Self.lastOffset(recorder))
        // Exact to the sample, except in cycles in which the program was delayed.
        #expect(abs(offset) <= 1024, "\(offset)")
        program.type(" ")
        #expect(eventually { !recorder.transport.isRolling })
        program.type("\u{1B}[C")
        #expect(eventually { recorder.transport.frame >= 5 * 44100 })
        #expect(!recorder.transport.isRolling)
        program.type(" ")
        #expect(eventually { recorder.transport.isRolling })
        #expect(recorder.transport.frame >= 5 * 44100)
        // Another client may locate the transport, too.
        recorder.locateTransport(50 * 44100)
        #expect(eventually { recorder.transport.frame >= 50 * 44100 })
        program.type(">")
        #expect(eventually { recorder.transport.frame < 5 * 44100 })
        program.type("\u{1B}[A\u{1B}[D")
        #expect(eventually { recorder.transport.frame > 30 * 44100 }, "\(program.output)")
        let count = recorder.frameCount
        #expect(eventually { recorder.frameCount > count + 22050 })
        let later = try #require(Self.lastOffset(recorder))
        #expect(abs(later) <= 1024, "\(later)")
        recorder.close()
        jack.kill()
        #expect(program.showsAnew("Waiting for the JACK server") {}, "\(program.output)")
        jack = try JACKServer.start(Self.options)
        let isBack = eventually { Self.hasPorts(jack, of: "drawbar") }
        try #require(isBack, "\(program.state) \(program.output)")
        recorder = try JACKRecorder(["drawbar:out_1"], capacityFrames: 1)
        defer { recorder.close() }
        #expect(
          eventually { recorder.transport.isRolling && recorder.transport.frame > 30 * 44100 })
        program.type("q")
        #expect(eventually { !recorder.transport.isRolling })
        #expect(program.end().exit == .status(0))
      }
    }

    /// Returns, for each jump of more than a tenth of a second in the sound, the number of frames from the last one
    /// before the fade until the transport matches the new sound.
    private static func lags(_ recorder: JACKRecorder) -> [Int] {
      let (samples, times) = (recorder.samples, recorder.transportFrames)
      var lags: [Int] = []
      var (previous, run) = (0, 0)
      var last: (index: Int, number: Int)?
      var begin: Int?
      for index in 0..<min(samples[1].count, times.count) where times[index] >= 0 {
        let number = CountingWave.number(samples[0][index], samples[1][index])
        // A fade scales the numbers, so frames count only if consecutive numbers increase by one.
        run = number == previous + 1 ? run + 1 : 0
        previous = number
        if run < 8 { continue }
        if let last, begin == nil, abs(number - last.number) > 4410 { begin = last.index }
        last = (index, number)
        if let start = begin, abs(Int(times[index]) - number) <= 1024 {
          lags.append(index - start)
          begin = nil
        }
      }
      return lags
    }

    @Test("a leader locates it for each seek, shortly after the new sound has begun")
    func leadsSeeks() throws {
      let directory = TemporaryDirectory()
      let path = Self.makeNumbers(in: directory)
      try JACKServer.with(Self.options) { jack in
        let program = TerminalProgram(Self.play("lead", path), columns: 120)
        defer { program.signal(SIGKILL) }
        #expect(program.shows("transport rolling"), "\(program.output)")
        let recorder = try JACKRecorder(
          ["drawbar:out_1", "drawbar:out_2"], capacityFrames: 2_000_000, recordsTransport: true)
        defer { recorder.close() }
        #expect(eventually { recorder.transport.isRolling && recorder.frameCount > 4410 })
        // Only a seek changes this offset.
        func offset() -> Int { Int(recorder.transport.frame) - recorder.frameCount }
        for seek in 1...9 {
          let before = offset()
          program.type("\u{1B}[C")
          let isThere = eventually { offset() >= before + 4 * 44100 }
          try #require(isThere, "seek \(seek)")
          let count = recorder.frameCount
          #expect(eventually { recorder.frameCount > count + 22050 })
        }
        let lags = Self.lags(recorder).sorted()
        try #require(lags.count == 9, "\(lags)")
        // The sum of the loop's 10 ms, a locate's two cycles, and two fades of 5 ms. The median, because a busy machine
        // delays the loop.
        #expect(lags[4] <= 44100 / 20, "\(lags)")
        print("frames until the transport follows: \(lags)")
        program.type("q")
        #expect(program.end().exit == .status(0))
      }
    }

    @Test("a leader stops it when it ends, also while the server is stopped")
    func leaves() throws {
      let directory = TemporaryDirectory()
      let path = Self.makeNumbers(in: directory)
      try JACKServer.with(Self.options) { jack in
        let program = TerminalProgram(Self.play("lead", path), columns: 120)
        defer { program.signal(SIGKILL) }
        #expect(program.shows("transport rolling"), "\(program.output)")
        let recorder = try JACKRecorder(["drawbar:out_1"], capacityFrames: 1)
        defer { recorder.close() }
        #expect(eventually { recorder.transport.isRolling })
        jack.freeze()
        program.type("q")
        let end = program.end()
        jack.thaw()
        #expect(end.exit == .status(0), "\(end)")
        #expect(eventually { !recorder.transport.isRolling })
      }
    }

    @Test("--transport follow and --start exclude each other")
    func start() {
      let run = Program.run(["play", "--transport", "follow", "--start", "3", "x.wav"])
      #expect(run.exit == .status(64) && run.errors.contains("locate the transport"), "\(run)")
    }
  }
}
