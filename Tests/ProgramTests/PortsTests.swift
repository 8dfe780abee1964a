// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

/// `drawbar ports` on a real JACK server, with JACK's own tools as oracles.
@Suite("drawbar ports", .serialized)
struct PortsTests {
  private func expectOneLine(_ result: Program.Result, _ what: String, word: String) {
    ProgramTests.Failures.expectOneLine(result, what, word: word, on: #_sourceLocation)
  }

  /// A JSON text as Python reads it, a value in each line.
  private func values(of json: String, _ expressions: [String]) -> [String] {
    let folder = TemporaryDirectory()
    let path = folder.file("ports.json")
    write(json, to: path)
    let script =
      "import json,sys; o=json.load(open(sys.argv[1]))\n"
      + expressions.map { "print(\($0))\n" }.joined()
    let result = Subprocess.run(["python3", "-c", script, path])
    #expect(result.exit == .status(0), "\(result.errors)")
    return result.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map { String($0) }
  }

  private func write(_ text: String, to path: String) {
    let file = unsafe fopen(path, "w")
    unsafe fputs(text, file)
    unsafe fclose(file)
  }

  /// The server's ports by `jack_lsp`, in the form of the program's text.
  private func portsByTool(_ jack: JACKServer) throws -> String {
    let text = try jack.run(["jack_lsp", "-c", "-p", "-t", "-l"])
    var ports: [(head: String, connections: [String], facts: [String: String])] = []
    for line in text.split(separator: "\n") {
      let words = line.drop { $0 == " " || $0 == "\t" }
      if words.startIndex == line.startIndex {
        ports.append((String(line), [], [:]))
      } else if line.hasPrefix("   ") {
        ports[ports.count - 1].connections.append(String(words))
      } else if let range = ["port playback latency = ", "port capture latency = "].first(
        where: words.hasPrefix)
      {
        let numbers = words.dropFirst(range.count).split(separator: " ").filter {
          $0.allSatisfy(\.isNumber)
        }
        let shown = numbers[0] == numbers[1] ? numbers[0] : numbers[0] + "-" + numbers[1]
        ports[ports.count - 1].facts[range] = String(shown)
      } else if words.hasPrefix("properties: ") {
        ports[ports.count - 1].facts["flags"] = String(words.dropFirst(12).dropLast())
      } else {
        ports[ports.count - 1].facts["type"] = words == "32 bit float mono audio" ? "audio" : "?"
      }
    }
    return ports.map { port in
      let flags = (port.facts["flags"] ?? "").split(separator: ",", maxSplits: 1)
      let line = [
        port.head, String(flags.first ?? ""), port.facts["type"] ?? "",
        flags.count > 1 ? String(flags[1]) : "",
        "capture \(port.facts["port capture latency = "] ?? ""),",
        "playback \(port.facts["port playback latency = "] ?? "")",
      ].joined(separator: " ")
      let arrow = flags.first == "output" ? "->" : "<-"
      return ([line] + port.connections.map { "\(arrow) \($0)" }).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// The program's text with single blanks and without pretty names.
  private func normalised(_ text: String) -> String {
    text.split(separator: "\n").map { line in
      line.prefix { $0 != "\"" }.split(separator: " ").joined(separator: " ")
    }.joined(separator: "\n")
  }

  @Test("lists ports, directions, types, flags, latencies and connections like jack_lsp")
  func list() throws {
    try JACKServer.with { jack in
      for isConnected in [false, true] {
        if isConnected {
          _ = try jack.run(["jack_connect", "system:capture_1", "system:playback_1"])
          _ = try jack.run(["jack_connect", "system:capture_1", "system:playback_2"])
        }
        let result = Program.run(["ports"])
        #expect(result.exit == .status(0) && result.errors == "")
        let seen = try portsByTool(jack)
        #expect(normalised(result.output) == seen)
        #expect(seen.contains("-> system:playback_2") == isConnected)
      }
      let some = Program.run(["ports", "capture_[12]$"])
      #expect(normalised(some.output).split(separator: "\n").count == 4)
      #expect(Program.run(["ports", "nothing of this name"]).output == "")
    }
  }

  @Test("lists the same as one JSON object, alone on standard output")
  func json() throws {
    try JACKServer.with { jack in
      _ = try jack.run(["jack_connect", "system:capture_1", "system:playback_2"])
      let result = Program.run(["ports", "--json"])
      #expect(result.exit == .status(0) && result.errors == "")
      let lines = values(
        of: result.output,
        [
          "list(o)", "o['server'], o['sampleRate'], o['bufferSize']", "list(o['ports'][0])",
          "'\\n'.join(str((p['name'], p['direction'], p['connections'])) for p in o['ports'])",
          "[p['captureLatency']['max'] for p in o['ports']], [p['aliases'] for p in o['ports']]",
        ])
      #expect(
        lines == [
          "['server', 'sampleRate', 'bufferSize', 'ports']",
          "\(JACKServer.name) 48000.0 256",
          "['name', 'prettyName', 'direction', 'type', 'physical', 'terminal', 'canMonitor', "
            + "'captureLatency', 'playbackLatency', 'aliases', 'connections', 'properties']",
          "('system:capture_1', 'output', ['system:playback_2'])",
          "('system:capture_2', 'output', [])",
          "('system:playback_1', 'input', [])",
          "('system:playback_2', 'input', ['system:capture_1'])",
          "[256, 256, 0, 256] [['dummy_pcm:dummy:out1'], ['dummy_pcm:dummy:out2'], "
            + "['dummy_pcm:dummy:in1'], ['dummy_pcm:dummy:in2']]",
        ])
      let none = Program.run(["ports", "--json", "nothing of this name"])
      #expect(values(of: none.output, ["o['ports']"]) == ["[]"])
    }
  }

  @Test("shows pretty names, of the program's own ports and those set by others")
  func prettyNames() throws {
    let key = "http://jackaudio.org/metadata/pretty-name"
    let texts = try JACKServer.withMetadata { jack in
      let playback = Program.start([
        "play", "--connect", "none", Fixtures.path("mp3-cbr320-44100-2.mp3"),
      ])
      defer {
        playback.signalGroup(SIGTERM)
        playback.wait(seconds: 5)
      }
      _ = try jack.run([
        "jack_property", "-s", "-p", "system:playback_1", key, "Left loudspeaker", "text/plain",
      ])
      _ = eventually { (try? jack.run(["jack_property", "-l"]).contains("icon-name")) == true }
      return [Program.run(["ports"]).output, Program.run(["ports", "--json"]).output]
    }
    let text = try #require(texts?.first)
    let json = try #require(texts?.last)
    func name(_ port: String) -> Substring? {
      text.split(separator: "\n").first { $0.hasPrefix(port + " ") }?.split(
        separator: "\"", maxSplits: 2
      ).dropFirst().first
    }
    #expect(name("system:playback_1") == "Left loudspeaker")
    #expect(name("drawbar:out_1") == "Left output")
    #expect(name("drawbar:out_2") == "Right output")
    #expect(name("system:playback_2") == nil)
    let names = values(
      of: json, ["[p['prettyName'] for p in o['ports'] if p['name'].startswith('drawbar:')]"])
    #expect(names == ["['Left output', 'Right output']"])
  }

  @Test("connects and disconnects, in either order and by alias, and prints the resulting graph")
  func connections() throws {
    try JACKServer.with { jack in
      func expectSeen(_ expected: [[String]]) throws {
        let seen = try jack.ports().prefix(2).map(\.connections)
        #expect(seen == expected)
      }
      let line = "system:capture_1 -> system:playback_2\n"
      for ends in [
        ["system:capture_1", "system:playback_2"], ["system:playback_2", "system:capture_1"],
        ["dummy_pcm:dummy:out1", "dummy_pcm:dummy:in2"],
      ] {
        // The ports are already connected at the second and the third command.
        let made = Program.run(["ports", "connect"] + ends)
        #expect(made.exit == .status(0) && made.errors == "")
        #expect(made.output == "connected     " + line)
        try expectSeen([["system:playback_2"], []])
      }
      let broken = Program.run(["ports", "disconnect", "system:capture_1", "system:playback_2"])
      #expect(broken.exit == .status(0) && broken.output == "disconnected  " + line)
      try expectSeen([[], []])
      let clients = Program.run(["ports", "connect", "--json", "system", "system"])
      #expect(
        clients.output == """
          {"event":"connected","output":"system:capture_1","input":"system:playback_1"}
          {"event":"connected","output":"system:capture_2","input":"system:playback_2"}

          """)
      try expectSeen([["system:playback_1"], ["system:playback_2"]])
      #expect(Program.run(["ports", "disconnect", "system"]).exit == .status(0))
      try expectSeen([[], []])
    }
  }

  @Test("prints a line for each port and connection that others change, until a signal")
  func watch() throws {
    try JACKServer.with { jack in
      for (option, signal) in [([], SIGINT), (["--json"], SIGTERM)] {
        let watch = Program.start(["ports", "--watch"] + option)
        defer { watch.signalGroup(SIGKILL) }
        try #require(eventually { watch.output.contains("\n") }, "\(watch.errors)")
        func tells(_ text: String, _ json: String) -> Bool {
          eventually { watch.output.contains(option.isEmpty ? "\n" + text + "\n" : "\n" + json) }
        }
        let ends = ["system:capture_2", "system:playback_1"]
        let edge = "\"output\":\"\(ends[0])\",\"input\":\"\(ends[1])\"}\n"
        _ = try jack.run(["jack_connect"] + ends)
        #expect(
          tells("connected     \(ends[0]) -> \(ends[1])", "{\"event\":\"connected\",\(edge)"))
        _ = try jack.run(["jack_disconnect"] + ends)
        #expect(
          tells("disconnected  \(ends[0]) -> \(ends[1])", "{\"event\":\"disconnected\",\(edge)"))
        let capture = jack.startCapture(of: ["system:capture_1"], seconds: 1)
        #expect(eventually { watch.output.contains("jack_capture") })
        _ = try capture.finish()
        #expect(eventually { watch.output.contains(option.isEmpty ? "\nremoved" : "portRemoved") })
        watch.signalGroup(signal)
        let end = Program.end(of: watch)
        #expect(end.exit == .status(0) && end.seconds < 2 && end.errors == "")
        if !option.isEmpty {
          for line in end.output.split(separator: "\n") {
            #expect(values(of: String(line), ["o['event'] != ''"]) == ["True"])
          }
        }
      }
    }
  }

  @Test("watches only matching ports, and ends when its output is closed or the server ends")
  func watchEnds() throws {
    try JACKServer.with { jack in
      let watch = Program.start(["ports", "--watch", "playback_1"])
      defer { watch.signalGroup(SIGKILL) }
      try #require(eventually { watch.output.contains("\n") }, "\(watch.errors)")
      _ = try jack.run(["jack_connect", "system:capture_2", "system:playback_2"])
      _ = try jack.run(["jack_connect", "system:capture_2", "system:playback_1"])
      #expect(eventually { watch.output.contains("system:capture_2 -> system:playback_1") })
      #expect(!watch.output.contains("playback_2"))
      let piped = Program.run(
        [], by: ["sh", "-c", "'\(Program.path)' ports --watch | head -n 1"], program: "")
      #expect(piped.exit == .status(0) && piped.output.split(separator: "\n").count == 1)
      jack.end()
      expectOneLine(Program.end(of: watch), "lost server", word: "has ended")
    }
  }

  @Test("ends when it writes into a socket whose other end is closed")
  func watchIntoSocket() throws {
    try JACKServer.with { _ in
      let script = """
        import socket, subprocess, sys
        ours, theirs = socket.socketpair()
        child = subprocess.Popen([sys.argv[1], "ports", "--watch"], stdout=theirs)
        theirs.close()
        print(ours.recv(65536).decode().split()[0])
        ours.close()
        try: print(child.wait(10))
        finally: child.kill()
        """
      let result = Program.run([Program.path], by: ["python3", "-c"], program: script)
      #expect(result.output == "watching\n0\n" && result.errors == "")
    }
  }

  @Test("ends by a signal while its output is not read")
  func watchUnread() throws {
    let folder = TemporaryDirectory()
    let pipe = UnreadPipe(folder.file("pipe"))
    try JACKServer.with { jack in
      let watch = pipe.start(["ports", "--watch", "--json"])
      defer { watch.signalGroup(SIGKILL) }
      let ends = ["system:capture_2", "system:playback_1"]
      let isStuck = try pipe.waitUntilStuck {
        _ = try jack.run(["jack_connect"] + ends)
        _ = try jack.run(["jack_disconnect"] + ends)
      }
      #expect(isStuck)
      watch.signalGroup(SIGTERM)
      let end = Program.end(of: watch)
      #expect(end.exit == .status(0) && end.seconds < 1 && end.errors == "")
    }
  }

  @Test("reports an error in one line, with exit code 1, and 64 for wrong usage")
  func failures() throws {
    expectOneLine(
      Program.run(["ports"]), "no server", word: "no JACK server named '\(JACKServer.name)'")
    try JACKServer.with { jack in
      for (arguments, word) in [
        (["connect", "nobody:out", "system:playback_1"], "no JACK port or client 'nobody:out'"),
        (["connect", "system:capture_1", "system:capture_2"], "from an output to an input"),
        (["disconnect", "system:capture_1", "system:playback_1"], "are not connected"),
        (["disconnect", "system"], "'system' is connected to nothing"),
        (["("], "'(' is not a regular expression"),
        (["--watch", "["], "'[' is not a regular expression"),
        (["nothing"], "no JACK port's name or alias matches 'nothing'"),
      ] {
        let result = Program.run(["ports"] + arguments)
        expectOneLine(result, "\(arguments)", word: word)
        #expect(result.output == "")
      }
      for arguments in [["connect"], ["connect", "a"], ["a", "b"], ["disconnect"]] {
        #expect(Program.run(["ports"] + arguments).exit == .status(64))
      }
      jack.freeze()
      let frozen = Program.run(["ports"])
      jack.thaw()
      expectOneLine(frozen, "stopped server", word: "did not answer within 3.0 s")
    }
  }
}
