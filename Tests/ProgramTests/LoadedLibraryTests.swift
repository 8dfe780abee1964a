// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("loads only the libraries it needs")
  struct LoadedLibraries {
    let folder = TemporaryDirectory()
    let short = Fixtures.path("mp3-short-44100-2.mp3")

    /// libcurl and its dependencies.
    static let forURLs = ["libcurl", "libssl", "libgnutls", "libkrb5", "libldap"]
    static let forDigests = ["libcrypto"]
    static let forOtherCodecs = ["libFLAC", "libogg", "libopus", "libavcodec", "libfftw3f"]

    /// Returns those of the libraries that are mapped into a process.
    static func loaded(_ names: [String], in pid: pid_t) -> [String] {
      let maps = String(decoding: contents(ofFile: "/proc/\(pid)/maps"), as: UTF8.self)
      // libjack is always loaded: without its name the map was not read.
      #expect(maps.contains("/libjack.so"))
      return names.filter { maps.contains("/\($0)") }
    }

    func write(_ name: String, _ text: String) throws -> String {
      let path = folder.file(name)
      let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
      try #require(descriptor >= 0)
      defer { close(descriptor) }
      let bytes = Array(text.utf8)
      #expect(unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
      return path
    }

    /// Creates empty files under the libraries' names, which the loader finds first and fails to load.
    func hiding(_ names: [String]) throws -> [String: String] {
      for name in names { _ = try write(name, "") }
      return ["LD_LIBRARY_PATH": folder.path]
    }

    func withoutCurl() throws -> [String: String] {
      try hiding(["libcurl.so.4", "libcurl-gnutls.so.4"])
    }

    @Test(
      "for an MP3 file: neither libcurl, libcrypto nor another codec; for a URL: libcurl",
      arguments: ["file", "list", "http"])
    func play(_ kind: String) throws {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      let path = Fixtures.path("mp3-cbr320-44100-2.mp3")
      web.serve("/tone", .file(path))
      let location =
        switch kind {
        case "file": path
        case "list": try write("l.m3u", "#EXTM3U\n\(path)\nfile://\(path)\n")
        default: web.url("/tone")
        }
      try JACKServer.with { _ in
        let program = TerminalProgram(["play", "--connect", "none", location])
        defer { program.signal(SIGKILL) }
        #expect(program.shows("Playing    0:01", seconds: 20), "\(program.output)")
        if kind == "http" {
          #expect(Self.loaded(["libcurl"], in: program.pid) == ["libcurl"])
        } else {
          #expect(Self.loaded(Self.forURLs + Self.forDigests, in: program.pid) == [])
        }
        #expect(Self.loaded(Self.forOtherCodecs, in: program.pid) == [])
        program.type("q")
        #expect(program.end().exit == .status(0), "\(program.output)")
      }
    }

    @Test("and reports a missing FFTW for a convolver")
    func noTransforms() throws {
      let path = Fixtures.path("wav-s16-48000-1.wav")
      let process = Program.start(
        ["render", "-o", folder.file("out.wav"), "--convolve", path, path],
        with: try hiding(["libfftw3f.so.3"]))
      Failures.expectOneLine(
        Program.end(of: process), "render", word: "libfftw3-single3", on: #_sourceLocation)
    }

    @Test("and reports a missing libcurl for a URL, without the URL's password")
    func noCurl() throws {
      let variables = try withoutCurl()
      let url = "http://user:hunter2@127.0.0.1:1/a.mp3"
      let process = Program.start(["info", url], with: variables)
      let result = Program.end(of: process)
      Failures.expectOneLine(
        result, "info", word: "install libcurl.so.4 (Debian: libcurl4)", on: #_sourceLocation)
      #expect(result.errors.contains("http://127.0.0.1:1/a.mp3"))
      #expect(!result.errors.contains("hunter2"))
    }

    @Test(
      "and decodes with libavcodec without a codec's own library, and reports if both are missing",
      arguments: [("FLAC", "flac -s -o OUT IN"), ("Opus", "opusenc --quiet IN OUT")])
    func noCodec(_ name: String, _ command: String) throws {
      let file = folder.file("tone.\(name.lowercased())")
      let wave = Fixtures.path("wav-s16-48000-1.wav")
      _ = ReferenceDecoder.output(
        command.replacing("OUT", with: "'\(file)'").replacing("IN", with: "'\(wave)'") + " >&2")
      let (complete, sound) = (folder.file("complete.wav"), folder.file("tone.wav"))
      #expect(Program.run(["render", "-o", complete, file]).exit == .status(0))
      let render = ["render", "--force", "-o", sound, file]
      let library = name == "FLAC" ? "libFLAC.so." : "libopus.so."
      // Hide every version, because the build's own is unknown here.
      var variables = try hiding((0...20).map { "\(library)\($0)" })
      if name == "FLAC" {
        #expect(Program.end(of: Program.start(render, with: variables)).exit == .status(0))
        let isSame = contents(ofFile: sound) == contents(ofFile: complete)
        #expect(isSame, "other samples than libFLAC's")
      }
      variables = try hiding((50...70).map { "libavcodec.so.\($0)" })
      let result = Program.end(of: Program.start(render, with: variables))
      Failures.expectOneLine(result, "render", word: "not installed", on: #_sourceLocation)
      #expect(result.errors.contains("\(name) needs \(library)"))
    }

    @Test("and reports before it starts that it cannot record FLAC without libFLAC")
    func noEncoder() throws {
      let variables = try hiding((8...20).map { "libFLAC.so.\($0)" })
      try JACKServer.with { _ in
        let result = Program.end(
          of: Program.start(
            ["monitor", "--from", "none", "--to", "none", "--record", folder.file("take.flac")],
            with: variables))
        Failures.expectOneLine(result, "monitor", word: "record WAVE", on: #_sourceLocation)
        #expect(result.errors.contains("libFLAC.so."))
      }
    }

    @Test("and plays a list's files without libcurl, if the list also has URLs")
    func listWithoutCurl() throws {
      let variables = try withoutCurl()
      let list = try write("l.m3u", "http://127.0.0.1:1/a.mp3\n\(short)\n")
      let (mixed, alone) = (folder.file("mixed.wav"), folder.file("alone.wav"))
      let process = Program.start(["render", "-o", mixed, list], with: variables)
      let result = Program.end(of: process)
      #expect(result.exit == .status(1))
      #expect(
        result.errors.contains("install libcurl.so.4")
          && result.errors.split(separator: "\n").count == 1, "\(result.errors)")
      #expect(Program.run(["render", "-o", alone, short]).exit == .status(0))
      let samples = contents(ofFile: mixed)
      #expect(!samples.isEmpty && samples == contents(ofFile: alone))
    }

    @Test("and prints everything but the digest without libcrypto")
    func noCrypto() throws {
      let (complete, tone) = (
        Program.run(["info", "--json", short]), Fixtures.path("wav-s24-48000-1.wav")
      )
      let variables = try hiding(["libcrypto.so.3"])
      func info(_ path: String) -> Program.Result {
        Program.end(of: Program.start(["info", "--json", path], with: variables))
      }
      let result = info(short)
      #expect(result.exit == .status(1) && result.errors == "")
      let members = try JSONLine.members(of: result.output)
      let values = Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value) })
      #expect(values["packetsSHA"] == "null")
      #expect(values["error"]?.contains("install libcrypto.so.3 (Debian: libssl3)") == true)
      let others = members.filter { !["packetsSHA", "error"].contains($0.name) }
      let expected = try JSONLine.members(of: complete.output)
        .filter { !["packetsSHA", "error"].contains($0.name) }
      #expect(
        others.map(\.value) == expected.map(\.value) && others.map(\.name) == expected.map(\.name))
      // Packets of one size have no digest, and neither has the text output.
      #expect(info(tone).exit == .status(0))
      #expect(Program.end(of: Program.start(["info", short], with: variables)).exit == .status(0))
    }
  }
}
