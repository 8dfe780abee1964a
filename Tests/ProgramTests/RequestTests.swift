// SPDX-License-Identifier: MIT

import TestKit
import Testing

extension ProgramTests {
  @Suite("asks servers")
  struct Requests {
    static let short = Fixtures.path("mp3-short-44100-2.mp3")

    @Test("over TLS only if their certificate is trusted, which SSL_CERT_FILE can state")
    func certificate() throws {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      web.serve("/a.mp3", .file(Self.short))
      let tunnel = try TLSTunnel(to: web.port)
      defer { tunnel.stop() }
      let arguments = ["info", tunnel.url("/a.mp3")]
      let unknown = Program.run(arguments)
      Failures.expectOneLine(unknown, "unknown", word: "certificate", on: #_sourceLocation)
      let trusted = Program.end(
        of: Program.start(arguments, with: ["SSL_CERT_FILE": tunnel.certificateFile]))
      #expect(trusted.exit == .status(0) && trusted.errors == "", "\(trusted.errors)")
      #expect(trusted.output.contains("44100 Hz"))
    }

    @Test("with additional fields and the given user agent")
    func fields() {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      web.serve("/a.mp3", .file(Self.short))
      let options = ["--header", "X-Key: geheim", "--header", "X-Empty:", "--user-agent", "Uhr/2"]
      for command in [["info"], ["render", "-o", "/dev/null"]] {
        let result = Program.run(command + options + [web.url("/a.mp3")])
        #expect(result.exit == .status(0), "\(result)")
      }
      #expect(web.requests.count >= 2)
      for request in web.requests {
        #expect(request.fields["x-key"] == "geheim" && request.fields["x-empty"] == "")
        #expect(request.fields["user-agent"] == "Uhr/2")
      }
    }

    @Test(
      "and waits for the first byte for the time of --timeout", arguments: [1, 2.5])
    func timeout(_ seconds: Double) {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      web.serve("/silent", .silence)
      let result = Program.run(["info", "--timeout", "\(seconds)", web.url("/silent")])
      Failures.expectOneLine(result, "\(seconds)", word: "--timeout", on: #_sourceLocation)
      // The default is 4 s.
      #expect((seconds - 0.1..<4).contains(result.seconds))
    }

    @Test("without invalid fields, refused without printing them", arguments: ["play", "info"])
    func badFields(_ command: String) {
      for line in ["geheim", "X: geheim\r\nY: z", "Range: geheim", "X geheim: y"] {
        let result = Program.run([command, "--header", line, "http://127.0.0.1:9/"])
        #expect(result.exit == .status(64))
        #expect(result.errors.contains("--header") && !result.errors.contains("geheim"))
      }
      let result = Program.run([command, "--user-agent", "a\nb", "http://127.0.0.1:9/"])
      #expect(result.exit == .status(64) && result.errors.contains("--user-agent"))
    }

    @Test("again when the connection is lost, and renders the very same samples")
    func resumed() {
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      let folder = TemporaryDirectory()
      var broken = ResponsePlan.file(Fixtures.path("mp3-vbr2-44100-2.mp3"), ranges: .honoured)
      broken.fields.append(("ETag", "\"1\""))
      broken.fault = .finish(afterBytes: 50_000)
      web.serve("/a.mp3", broken)
      let output = [folder.file("file.wav"), folder.file("web.wav")]
      let locations = [Fixtures.path("mp3-vbr2-44100-2.mp3"), web.url("/a.mp3")]
      for (path, location) in zip(output, locations) {
        let result = Program.run(["render", "-o", path, location])
        #expect(result.exit == .status(0) && result.errors == "", "\(result)")
      }
      let isSame = contents(ofFile: output[0]) == contents(ofFile: output[1])
      #expect(isSame)
      #expect(web.requests.count > 2)
    }
  }
}
