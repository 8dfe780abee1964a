// SPDX-License-Identifier: MIT

import Equalizers
import Testing

@Suite("A line that cannot be used")
struct ProblemTests {
  typealias Reason = EqualizerProblem.Reason

  static let lines: [(String, Reason)] = [
    ("-1.8", .noCommand),
    ("Preamp -6 dB", .noCommand),
    ("Filters: ON PK Fc 1 Hz Gain 1 dB Q 1", .unknownCommand("Filters")),
    ("Volume: 3", .unknownCommand("Volume")),
    (": 3", .unknownCommand("")),
    ("Device: Speakers", .unsupportedCommand("Device")),
    ("Stage: post-mix", .unsupportedCommand("Stage")),
    ("If: inputChannelCount == 2", .unsupportedCommand("If")),
    ("ElseIf: 1", .unsupportedCommand("ElseIf")),
    ("Else:", .unsupportedCommand("Else")),
    ("EndIf:", .unsupportedCommand("EndIf")),
    ("Eval: a=`3`", .unsupportedCommand("Eval")),
    ("VSTPlugin: Library a.dll", .unsupportedCommand("VSTPlugin")),
    ("LoudnessCorrection: State 1", .unsupportedCommand("LoudnessCorrection")),
    ("Preamp: `a+1` dB", .expression),
    ("Preamp:", .missing("the number of Preamp")),
    ("Preamp: loud", .malformedNumber("loud")),
    ("Preamp: 1.2.3 dB", .malformedNumber("1.2.3")),
    ("Preamp: - dB", .malformedNumber("-")),
    ("Preamp: 1e999 dB", .malformedNumber("1e999")),
    ("Preamp: -6 dB per day", .unexpected("per")),
    ("Preamp: 121 dB", .outOfRange("the gain", lowest: -120, highest: 120)),
    ("Filter 1:", .missing("ON or OFF")),
    ("Filter 1: PK Fc 100 Hz", .unexpected("PK")),
    ("Filter 1: 100 Hz", .unexpected("100")),
    ("Filter 1: ON", .missing("the filter's type")),
    ("Filter 1: ON PQ Fc 100 Hz", .unknownFilterType("PQ")),
    ("Filter 1: ON 5 Fc 100 Hz", .unknownFilterType("5")),
    ("Filter 1: ON PK Gain 1 dB Q 1", .missing("Fc")),
    ("Filter 1: ON PK Fc 100 Gain 1 dB Q 1", .missing("the unit Hz of Fc")),
    ("Filter 1: ON PK Fc 100 Hz Q 1", .missing("Gain")),
    ("Filter 1: ON PK Fc 100 Hz Gain 1 Q 1", .missing("the unit dB of Gain")),
    ("Filter 1: ON PK Fc 100 Hz Gain 1 dB", .missing("Q or BW Oct")),
    ("Filter 1: ON AP Fc 100 Hz", .missing("Q or BW Oct")),
    ("Filter 1: ON PK Fc 100 Hz Gain 1 dB Q", .missing("the number of Q")),
    ("Filter 1: ON PK Fc 100 Hz Gain 1 dB Q 0", .outOfRange("Q", lowest: 0.001, highest: 10_000)),
    ("Filter 1: ON PK Fc 100 Hz Gain 1 dB Q nan", .malformedNumber("nan")),
    ("Filter 1: ON PK Fc 0 Hz Gain 1 dB Q 1", .outOfRange("Fc", lowest: 0.001, highest: 1e6)),
    ("Filter 1: ON PK Fc -5 Hz Gain 1 dB Q 1", .outOfRange("Fc", lowest: 0.001, highest: 1e6)),
    ("Filter 1: ON PK Fc 1,2,3 Hz Gain 1 dB Q 1", .malformedNumber("1,2,3")),
    ("Filter 1: ON PK Fc 9 Hz Gain 200 dB Q 1", .outOfRange("Gain", lowest: -120, highest: 120)),
    ("Filter 1: ON PK Fc 9 Hz Fc 9 Hz Gain 2 dB Q 1", .repeated("Fc")),
    ("Filter 1: ON PK Fc 9 Hz Gain 2 dB Gain 2 dB Q 1", .repeated("Gain")),
    ("Filter 1: ON PK Fc 9 Hz Gain 2 dB Q 1 BW Oct 1", .repeated("the width (Q, BW or slope)")),
    ("Filter 1: ON PK Fc 9 Hz Gain 2 dB BW 1", .missing("Oct behind BW")),
    ("Filter 1: ON PK Fc 9 Hz Gain 2 dB BW Oct 1/3", .unexpected("/3")),
    (
      "Filter 1: ON PK Fc 9 Hz Gain 2 dB BW Oct 30",
      .outOfRange("BW Oct", lowest: 0.0001, highest: 20)
    ),
    ("Filter 1: ON PK Fc 9 Hz Gain 2 dB Q 1 T60 target 300 ms", .unexpected("T")),
    ("Filter 1: ON PK 6 dB Fc 9 Hz Gain 2 dB", .notAParameter("slope", ofType: "PK")),
    ("Filter 1: ON LSC Fc 9 Hz Gain 2 dB BW Oct 1", .notAParameter("BW", ofType: "LSC")),
    ("Filter 1: ON LP Fc 9 Hz Gain 2 dB", .notAParameter("Gain", ofType: "LP")),
    (
      "Filter 1: ON LSC 24 dB Fc 9 Hz Gain 30 dB",
      .filter(.slopeTooSteep(slopeDecibelsPerOctave: 24))
    ),
    ("Filter 1: ON IIR", .missing("Order")),
    (
      "Filter 1: ON IIR Order 2.5",
      .outOfRange("the order, a whole number,", lowest: 1, highest: 16)
    ),
    (
      "Filter 1: ON IIR Order 99", .outOfRange("the order, a whole number,", lowest: 1, highest: 16)
    ),
    ("Filter 1: ON IIR Order 1 Coefficients 1 2 3", .missing("one of 4 coefficients")),
    ("Filter 1: ON IIR Order 1 Coefficients 1 2 3 4 5", .tooManyItems("coefficients", limit: 4)),
    ("Filter 1: ON IIR Order 1 Coefficients 1 2 0 4", .filter(.notRepresentable)),
    ("Filter 1: ON IIR Order 1 Coefficients 1 2 1 -1", .filter(.unstable)),
    ("Filter 1: ON IIR Order 3 Coefficients 1 0 0 0 1 0 0 1.1", .filter(.unstable)),
    ("Channel:", .missing("a channel")),
    ("Channel: L X", .unknownChannel("X")),
    ("Channel: 0", .unknownChannel("0")),
    ("Channel: L,R", .unknownChannel("L,R")),
    ("Copy:", .missing("an assignment")),
    ("Copy: L", .malformedAssignment("L")),
    ("Copy: L=", .malformedAssignment("L=")),
    ("Copy: L=R=C", .malformedAssignment("L=R=C")),
    ("Copy: L=2*3*R", .malformedAssignment("L=2*3*R")),
    ("Copy: L=x*R", .malformedAssignment("L=x*R")),
    ("Copy: L=0.5", .outOfRange("a constant", lowest: 0, highest: 0)),
    ("Copy: L=0.5*Q", .unknownChannel("Q")),
    ("Copy: L2=L R=L2", .unknownChannel("L2")),
    ("Copy: L=R L=C", .repeated("the channel L")),
    ("Delay: 5", .missing("the unit ms or samples")),
    ("Delay: 5 s", .unexpected("s")),
    ("Delay: -5 ms", .outOfRange("the delay in ms", lowest: 0, highest: 10_000)),
    ("GraphicEQ:", .missing("a point")),
    ("GraphicEQ: 20", .missing("the gain of 20.0 Hz")),
    ("GraphicEQ: 20 1 2", .unexpected("2")),
    ("GraphicEQ: 20 1;; 30 2", .missing("a point between two semicolons")),
    ("GraphicEQ: 0 1; 30 2", .outOfRange("the frequency", lowest: 0.001, highest: 1e6)),
    ("GraphicEQ: 20 1; 30 2; 20 3", .repeated("a frequency")),
    ("Convolution:", .missing("the file's name")),
    ("Include: other.txt", .includeNotAllowed),
    ("Include:", .missing("the file's name")),
  ]

  @Test("causes exactly one problem, with its number and its text", arguments: lines)
  func one(_ line: String, _ reason: Reason) throws {
    let text = "# a comment\r\nPreamp: -6 dB\r\n  \(line)\r\nFilter: ON HP Fc 30 Hz\r\n"
    let found = problems(text)
    #expect(found == [EqualizerProblem(reason, line: 3, text: line)])
    let message = try #require(found.first).message(inFile: "a.txt")
    #expect(message.hasPrefix("a.txt:3: ") && message.hasSuffix(" “\(line)”"), "\(message)")
    #expect(!message.contains("  "), "\(message)")
  }

  @Test("is listed beside all the others, in their order")
  func all() {
    let text = Self.lines.map(\.0).joined(separator: "\n")
    let found = problems(text)
    #expect(found.map(\.line) == Array(1...Self.lines.count))
  }

  @Test("is counted beyond the limit")
  func limit() {
    var limits = EqualizerCurve.Limits()
    limits.problems = 3
    do throws(EqualizerError) {
      _ = try read(String(repeating: "x\n", count: 10), limits: limits)
      Issue.record("read")
    } catch {
      #expect(error.problems.count == 3 && error.unlistedProblemCount == 7)
      #expect(error.description.hasSuffix("“x” (and 9 more)"), "\(error)")
    }
  }

  @Test("is shortened and cleaned for a terminal")
  func text() throws {
    let found = problems("\u{1B}[31m" + String(repeating: "é", count: 5000))
    let problem = try #require(found.first)
    #expect(found.count == 1 && problem.text.unicodeScalars.count <= 120)
    #expect(!problem.message(inFile: nil).unicodeScalars.contains("\u{1B}"))
  }

  @Test("is the first one of a file that is not an equaliser")
  func otherFiles() {
    #expect(problems("").map(\.reason) == [.noCommands])
    #expect(problems("\n# nothing\n").map(\.reason) == [.noCommands])
    #expect(problems(" \n{ \"preamp\": 1 }").map(\.reason) == [.json])
    #expect(problems("RIFF\0\0WAVE").map(\.reason) == [.notText])
    #expect(problems("P\0r\0e\0a\0m\0p\0").map(\.reason) == [.notText])
  }
}
