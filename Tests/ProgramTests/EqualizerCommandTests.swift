// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

extension ProgramTests {
  @Suite("shows an equaliser file")
  struct EqualizerSheets {
    private let workshop = Workshop()
    private static let sections: [CookbookSection] = [
      .lowShelf(hertz: 105, gain: 6, quality: 0.7, rate: 48_000),
      .peaking(hertz: 2000, gain: -4.5, quality: 1.41, rate: 48_000),
      .highShelf(hertz: 8000, gain: 3, quality: 0.7, rate: 48_000),
    ]

    /// Runs `drawbar eq` in the folder.
    private func show(_ words: String) -> Program.Result {
      Program.run([], by: ["bash", "-c", "cd '\(workshop.path)'; exec \"$0\" eq \(words)"])
    }

    private func write(_ text: String, _ name: String = "eq.txt") throws {
      try workshop.write(Array(text.utf8), name)
    }

    /// Runs `drawbar eq` with a file of this text.
    private func show(text: String, _ words: String = "") throws -> Program.Result {
      try write(text)
      let result = show("\(words) eq.txt")
      #expect(result.exit == .status(0), "\(text): \(result.errors)")
      return result
    }

    private func members(_ text: String, _ words: String = "") throws -> [String: String] {
      let result = try show(text: text, "--json \(words)")
      // The reader refuses Infinity and NaN.
      let reader =
        "import json, sys; json.load(open(sys.argv[1]), parse_constant=lambda name: 1 / 0)"
      try workshop.write(Array(result.output.utf8), "out.json")
      let read = Subprocess.run(["python3", "-c", reader, workshop.path("out.json")])
      #expect(read.exit == .status(0), "\(read.errors)")
      let members = try JSONLine.members(of: result.output)
      return Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value) })
    }

    private func number(_ name: String, in members: [String: String]) throws -> Double {
      try #require(Double(members[name] ?? ""), "\(name): \(members)")
    }

    /// The values of a member in a JSON text, in order.
    private func numbers(_ name: String, in text: String) -> [Double] {
      text.components(after: "\"\(name)\": ").compactMap { part in
        Double(part.prefix { !",}]".contains($0) })
      }
    }

    /// The JSON texts of the channels' objects.
    private func channelTexts(_ members: [String: String]) -> [String] {
      (members["channels"] ?? "").components(after: "{\"name\": ")
    }

    @Test("as text: the preamp, the peak, the filters and the response")
    func text() throws {
      let result = try show(text: CookbookSection.parametricFile)
      #expect(result.errors == "")
      for line in [
        "File         eq.txt", "Form         parametric (AutoEq ParametricEQ, PipeWire)",
        "Rate         48000 Hz", "Channels     2", "Filters      3",
        "Preamp       -7.0 dB, from the file", "Auto preamp  -6.0 dB",
        "Peak         -1.0 dB at 0 Hz; without the preamp +6.0 dB", "Playable     yes",
        "Line  Channels  Type        Frequency     Gain     Q",
        "   2  all       low shelf      105 Hz  +6.0 dB  0.70",
        "   3  all       peaking       2000 Hz  -4.5 dB  1.41",
        "   5  all       high shelf    8000 Hz  +3.0 dB  0.70",
        "Response in dB, with the preamp", "     Hz      L R",
      ] {
        #expect(result.output.contains(line + "\n"), "\(line)")
      }
      let lines = result.output.split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= 80 && !$0.hasSuffix(" ") })
      let rows = lines.drop { !$0.hasSuffix("L R") }.dropFirst()
        .map { $0.split(separator: " ").compactMap { Double($0) } }
      #expect(rows.compactMap(\.first).prefix(5) == [20, 25, 31.5, 40, 50])
      #expect(rows.count == 31 && rows.last?.first == 20_000)
      for row in rows where row.count == 2 {
        let expected = -7 + Self.sections.map { $0.response(at: row[0]).decibels }.reduce(0, +)
        #expect(abs(row[1] - expected) < 0.0501, "\(row)")
      }
      #expect(rows.allSatisfy { $0.count == 2 })
    }

    @Test("as JSON: the response of the cookbook's formulas, at 80 frequencies a decade")
    func response() throws {
      let members = try members(CookbookSection.parametricFile)
      #expect(
        members.keys.sorted() == [
          "automaticPreampDecibels", "channels", "file", "filters", "form", "preampDecibels",
          "preampSource", "sampleRate", "unplayable", "warnings",
        ])
      #expect(members["file"] == "\"eq.txt\"" && members["form"] == "\"parametric\"")
      #expect(members["unplayable"] == "[]" && members["warnings"] == "[]")
      #expect(members["preampSource"] == "\"file\"" && members["preampDecibels"] == "-7.0")
      let channels = channelTexts(members)
      #expect(channels.count == 2)
      for (channel, name) in zip(channels, ["L", "R"]) {
        #expect(channel.hasPrefix("\"\(name)\""))
        let hertz = numbers("hertz", in: channel)
        let gains = numbers("decibels", in: channel)
        let phases = numbers("phaseRadians", in: channel)
        #expect(hertz.count == 241 && gains.count == 241 && phases.count == 241)
        #expect(hertz.first == 20 && abs((hertz.last ?? 0) - 20_000) < 1e-6)
        for (index, hertz) in hertz.enumerated() {
          let expected = Self.sections.map { $0.response(at: hertz) }
          let phase = expected.map(\.phase).reduce(0, +)
          #expect(abs(gains[index] - expected.map(\.decibels).reduce(-7, +)) < 1e-6)
          #expect(abs(sin((phases[index] - phase) / 2)) < 1e-6)
        }
      }
      let filters = members["filters"] ?? ""
      #expect(numbers("line", in: filters) == [2, 3, 5])
      #expect(numbers("frequencyHertz", in: filters) == [105, 2000, 8000])
      #expect(numbers("gainDecibels", in: filters) == [6, -4.5, 3])
      #expect(numbers("q", in: filters) == [0.7, 1.41, 0.7])
      #expect(
        filters.contains("\"type\": \"lowShelf\"") && filters.contains("\"channels\": [\"all\"]"))
    }

    @Test("with the peak and the automatic preamp")
    func peak() throws {
      let filter = "Filter: ON PK Fc 1000 Hz Gain 12 dB Q 1\n"
      for (text, words, source, preamp) in [
        (filter, "", "automatic", -12.0), ("Preamp: -3 dB\n" + filter, "", "file", -3.0),
        ("Preamp: -3 dB\n" + filter, "--preamp auto", "automatic", -12.0),
        ("Preamp: -3 dB\n" + filter, "--preamp -20", "option", -20.0),
      ] {
        let members = try members(text, words)
        #expect(members["preampSource"] == "\"\(source)\"")
        let used = try number("preampDecibels", in: members)
        let automatic = try number("automaticPreampDecibels", in: members)
        #expect(abs(used - preamp) < 0.001 && abs(automatic + 12) < 0.001)
        let channels = channelTexts(members)
        for channel in channels {
          let peaks = numbers("peakDecibels", in: channel)
          #expect(peaks.count == 1 && abs(peaks[0] - 12 - preamp) < 0.001)
          #expect(numbers("peakHertz", in: channel).allSatisfy { abs($0 - 1000) < 1 })
        }
        #expect(channels.count == 2)
      }
    }

    @Test("with a column for each distinct channel")
    func channels() throws {
      let text = """
        Channel: L
        Filter: ON PK Fc 1000 Hz Gain 6 dB Q 2
        Channel: LFE
        Filter: ON LP Fc 120 Hz
        Delay: 2.5 ms
        """
      let result = try show(text: text, "--channels 6 --preamp 0")
      for line in [
        "Peak L       +6.0 dB at 1000 Hz; without the preamp +6.0 dB", "Delay LFE    2.5 ms",
        "     Hz        L     R +3      LFE", "   1000     +6.0     +0.0    -36.9",
        "Playable     yes",
      ] {
        #expect(result.output.contains(line + "\n"), "\(line): \(result.output)")
      }
      let members = try members(text, "--channels 6")
      let delays = channelTexts(members).flatMap { numbers("delayMilliseconds", in: $0) }
      #expect(delays.map { ($0 * 1e6).rounded() } == [0, 0, 0, 2_500_000, 0, 0])
    }

    @Test("also if it has lines that play refuses, and names them")
    func unplayable() throws {
      for (line, command) in [
        ("Delay: 1001 ms", "a delay of more than 1 s"), ("Copy: L=101*R", "a factor above 100"),
        ("Filter: ON IIR Order 3 Coefficients 1 0 0 0 1 0 0 0.5", "a filter of a higher order"),
      ] {
        let text = "Preamp: -3 dB\n\(line)\n"
        let result = try show(text: text)
        #expect(result.errors == "")
        #expect(
          result.output.contains("Playable     no: play refuses line 2 (\(command))\n"),
          "\(result.output)")
        #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        let unplayable = try members(text)["unplayable"] ?? ""
        #expect(numbers("line", in: unplayable) == [2])
        #expect(unplayable.contains("\"reason\": \"\(command)"), "\(unplayable)")
      }
      let missing = "Preamp: -3 dB\nConvolution: room.wav\n"
      let text = try show(text: missing).output
      #expect(text.contains("Playable     no: play refuses line 2 (Convolution:)\n"), "\(text)")
      let reason = try members(missing)["unplayable"] ?? ""
      #expect(reason.contains("cannot convolve with room.wav: "), "\(reason)")
      let curve = try members("GraphicEQ: 20 0; 1000 3; 20000 0\n", "--preamp -3")
      #expect(curve["form"] == "\"graphic\"" && curve["unplayable"] == "[]")
      let channel = try #require(channelTexts(curve).first)
      #expect(channel.contains("\"phaseRadians\": null"))
      let gains = zip(numbers("hertz", in: channel), numbers("decibels", in: channel))
      for (hertz, gain) in gains {
        let share = hertz < 1000 ? log(hertz / 20) / log(50) : log(20_000 / hertz) / log(20)
        #expect(abs(gain + 3 - 3 * share) < 1e-6)
      }
      let silent = try channelTexts(members("Copy: L=0\n"))
      #expect(silent.map { $0.contains("\"peakDecibels\": null") } == [true, false])
    }

    @Test("also if it has more filters than can be played")
    func tooManyFilters() throws {
      let text = String(repeating: "Filter: ON PK Fc 1000 Hz Gain 1 dB Q 1\n", count: 70)
      let result = try show(text: text)
      #expect(result.output.contains("Playable     no: 70 filter sections in a channel"))
      #expect(try members(text)["unplayable"]?.contains("\"line\": null") == true)
    }

    @Test("or names the line that it cannot read")
    func broken() throws {
      try write("Preamp: -3 dB\nFilter 1: ON XX Fc 100 Hz Gain 3 dB Q 1\n")
      for words in ["eq.txt", "--json eq.txt", "--svg eq.svg eq.txt"] {
        let result = show(words)
        Failures.expectOneLine(result, words, word: "drawbar: eq.txt:2: ", on: #_sourceLocation)
        #expect(result.output == "")
      }
      try workshop.run("test ! -e eq.svg")
      Failures.expectOneLine(show("nowhere"), "missing", word: "nowhere", on: #_sourceLocation)
      try write("Preamp: -3 dB\n")
      Failures.expectOneLine(
        show("eq.txt > /dev/full"), "full", word: "disk full", on: #_sourceLocation)
    }

    @Test("and warns of lines without effect in the words of render")
    func warnings() throws {
      let song = Fixtures.path("gapless-1.mp3")
      for line in [
        "Filter: ON PK Fc 30000 Hz Gain 3 dB Q 1",
        "Channel: LFE\nFilter: ON PK Fc 100 Hz Gain 3 dB Q 1",
      ] {
        let result = try show(text: "Preamp: 0 dB\n\(line)\n", "--rate 44100")
        let script =
          "cd '\(workshop.path)'; exec \"$0\" render --force --eq eq.txt -o o.wav '\(song)'"
        let rendered = Program.run([], by: ["bash", "-c", script])
        #expect(rendered.errors.hasPrefix("drawbar: warning: eq.txt: "))
        #expect(result.errors == rendered.errors)
      }
      let left = try show(text: "Filter: ON PK Fc 30000 Hz Gain 3 dB Q 1", "--rate 44100")
      #expect(left.output.contains("Filters      0, 1 left out\n"))
      #expect(left.output.contains("peaking  30000 Hz, left out at 44100 Hz\n"))
      let members = try members("Filter: ON PK Fc 30000 Hz Gain 3 dB Q 1", "--rate 44100")
      #expect(members["filters"]?.contains("\"leftOut\": true") == true)
      #expect(members["warnings"]?.contains("44100 Hz") == true)
    }

    @Test("as a plot: well-formed SVG with a curve for each distinct channel")
    func plot() throws {
      let reader = """
        import sys, xml.etree.ElementTree as tree
        root = tree.parse(sys.argv[1]).getroot()
        paths = [e for e in root.iter('{http://www.w3.org/2000/svg}path')]
        texts = [e.text for e in root.iter('{http://www.w3.org/2000/svg}text')]
        print(root.tag, sum(e.get('stroke-width') == '1.8' for e in paths), *texts, sep='|')
        """
      let left = "Channel: L\nFilter: ON PK Fc 1000 Hz Gain 6 dB Q 2\n"
      for (text, count, names) in [
        (CookbookSection.parametricFile, 1, ["L R"]), (left, 2, ["L", "R"]),
      ] {
        _ = try show(text: text, "--force --svg plot.svg")
        let read = Subprocess.run(["python3", "-c", reader, workshop.path("plot.svg")])
        #expect(read.output.hasPrefix("{http://www.w3.org/2000/svg}svg|\(count)|"), "\(read)")
        let texts = read.output.split(whereSeparator: { "|\n".contains($0) })
        for name in names + ["20", "1k", "20k", "Frequency [Hz]", "Gain [dB]"] {
          #expect(texts.contains(Substring(name)), "\(name): \(texts)")
        }
      }
    }

    @Test("and replaces a file with the plot only if asked to, and never the equaliser file")
    func replaced() throws {
      try write(CookbookSection.parametricFile)
      try write("Include: eq.txt\n", "outer.txt")
      try workshop.run("echo old > plot.svg; ln eq.txt same.txt; ln -s eq.txt link.txt")
      Failures.expectOneLine(
        show("--svg plot.svg eq.txt"), "plot", word: "--force", on: #_sourceLocation)
      #expect(try workshop.read("plot.svg") == Array("old\n".utf8))
      for words in [
        "--svg eq.txt eq.txt", "--svg same.txt eq.txt", "--svg link.txt eq.txt",
        "--svg eq.txt outer.txt", "--svg ./eq.txt \"$PWD/eq.txt\"",
      ] {
        let result = show("--force \(words)")
        Failures.expectOneLine(result, words, word: "choose another path", on: #_sourceLocation)
        #expect(try workshop.read("eq.txt") == Array(CookbookSection.parametricFile.utf8))
      }
      Failures.expectOneLine(
        show("--svg /nowhere/plot.svg eq.txt"), "nowhere", word: "/nowhere/plot.svg",
        on: #_sourceLocation)
      #expect(show("--force --svg plot.svg eq.txt").exit == .status(0))
      #expect(try workshop.read("plot.svg").starts(with: Array("<svg ".utf8)))
    }

    @Test("without terminal control characters of its name")
    func foreignName() throws {
      let name = ForeignText.hostile + ".txt"
      try write(CookbookSection.parametricFile, name)
      let variants: [[String]] = [[], ["--json"], ["--svg", workshop.path("plot.svg")]]
      for options in variants {
        let result = Program.run(["eq"] + options + [workshop.path(name)])
        #expect(result.exit == .status(0), "\(result.errors)")
        #expect(ForeignText.controls(in: result.output) == [])
      }
      let plot = String(decoding: try workshop.read("plot.svg"), as: UTF8.self)
      #expect(ForeignText.controls(in: plot) == [])
    }

    @Test("and refuses wrong usage; its help has at most 80 columns")
    func usage() throws {
      try write(CookbookSection.parametricFile)
      for words in [
        "", "''", "-", "http://127.0.0.1:1/eq.txt", "--rate 999 eq.txt", "--channels 0 eq.txt",
        "--channels 65 eq.txt", "--preamp loud eq.txt", "--svg '' eq.txt", "--svg - eq.txt",
        "--force eq.txt", "eq.txt eq.txt",
      ] {
        let result = show(words)
        #expect(result.exit == .status(64) && result.output == "", "\(words): \(result)")
      }
      let help = show("--help")
      #expect(help.exit == .status(0) && help.output.contains("drawbar eq HD650.txt"))
      #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
  }
}

extension String {
  /// The parts of the text after each occurrence of another text.
  fileprivate func components(after separator: String) -> [String] {
    var parts: [String] = []
    var rest = self[...]
    while let range = rest.firstRange(of: separator) {
      rest = rest[range.upperBound...]
      let end = rest.firstRange(of: separator)?.lowerBound ?? rest.endIndex
      parts.append(String(rest[..<end]))
    }
    return parts
  }
}
